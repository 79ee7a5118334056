"""The ten-minute case on a phone: what somebody who speaks has to see is in sight, and to hear, is said."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.live import gets_ready
from tests.house import House

pytestmark = pytest.mark.e2e

EVENING = datetime(2026, 11, 29, 18, 0, tzinfo=UTC)
LISTEN = """
window.heard = [];
const live = document.getElementById("live");
new MutationObserver(() => live.textContent && heard.push(live.textContent)).observe(live, { childList: true });
"""
IN_SIGHT = """() => [".clock", "[data-stages]", "[data-finish] button"].every((name) => {
  const { top, bottom } = document.querySelector(name).getBoundingClientRect();
  const tabs = [...document.querySelectorAll("nav")].find((nav) => getComputedStyle(nav).position === "fixed");
  return top >= 0 && bottom <= tabs.getBoundingClientRect().top;
})"""


def test_on_a_phone_the_clock_of_a_case_is_in_sight_and_each_stage_is_said(
    page: Page, own_site: House
) -> None:
    """The focus on Finish scrolled the clock away; "failure" was drowned by "60 seconds left", of the same moment."""
    page.set_viewport_size({"width": 360, "height": 640})
    page.add_init_script("localStorage.setItem('aloud-take', 'quiet')")
    page.clock.install(time=EVENING)
    page.goto(f"{own_site.url}/drill/case-70b-128k")
    page.clock.pause_at(EVENING + timedelta(minutes=1))
    expect(page.locator("[data-live]")).to_be_visible()
    page.evaluate(LISTEN)
    page.keyboard.press("Space")
    gets_ready(page)
    page.keyboard.press("Space")
    expect(page.locator("[data-clock-time]")).to_have_text("0:00")
    page.wait_for_function(IN_SIGHT)
    page.clock.run_for(2_000)
    page.clock.run_for(60_000)
    page.clock.run_for(479_000)
    page.clock.run_for(2_000)
    expect(page.locator("#live")).to_have_text("failure, 1 minute")
    heard = page.evaluate("heard")
    assert "Speak. 10 minutes." in heard
    assert "estimate, 2 minutes 30 seconds" in heard
    assert "60 seconds left" in heard


def test_a_typed_case_has_its_stages_go_on_with_the_clock(page: Page, own_site: House) -> None:
    page.clock.install(time=EVENING)
    page.goto(f"{own_site.url}/drill/case-70b-128k/typed")
    expect(page.get_by_label("Your answer")).to_be_focused()
    expect(page.locator("[data-stages] [data-state=now]")).to_contain_text("requirements")
    page.clock.run_for(61_000)
    expect(page.locator("[data-stages] [data-state=now]")).to_contain_text("estimate")
    expect(page.locator("[data-stages] [data-state=next]")).to_contain_text("design")
