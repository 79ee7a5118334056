"""The history of takes in a real browser: drawn over time, played when it is looked at, and deleted."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.said import desk, say
from tests.house import House

pytestmark = pytest.mark.e2e

TAKES = 8


@pytest.fixture
def card(own_site: House) -> str:
    """A spoken card with takes that get better, and one that was never rated."""
    with desk(own_site) as client:
        found = re.search(r'class="item-main" href="/drill/([\w-]+)"', client.get("/drill").text)
        assert found
        for at in range(TAKES):
            say(client, found[1], at // 2, 3)
        say(client, found[1], 0, None)
    return found[1]


def test_takes_over_time_are_drawn_played_and_deleted(page: Page, own_site: House, card: str) -> None:
    page.goto(f"{own_site.url}/drill/history?card={card}")
    players = page.locator("sound-player")
    expect(players).to_have_count(TAKES)
    assert players.last.get_attribute("data-ready") is None  # it is not in sight yet
    players.last.scroll_into_view_if_needed()
    expect(players.last).to_have_attribute("data-ready", "whole")
    expect(players.last).to_contain_text("0:03")
    expect(players.last.get_by_role("slider")).to_be_visible()
    page.get_by_role("link", name="Delete the sound").first.press("Enter")
    page.get_by_role("button", name="Delete").press("Enter")
    expect(page).to_have_url(re.compile("history"))
    expect(players).to_have_count(TAKES - 1)
    expect(page.get_by_text("sound deleted")).to_be_visible()
    page.goto(f"{own_site.url}/drill")
    expect(page.get_by_role("heading", name="Not rated yet")).to_be_visible()
    page.get_by_role("button", name=re.compile("Review it")).press("Enter")
    expect(page).to_have_url(re.compile("/review"))
    expect(players).to_have_attribute("data-ready", "whole")
