"""The stand before and while a take is recorded: the check, tones, what axe says."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.live import until
from tests.e2e.takes.microphone import LIT, context, speak, stand
from tests.house import House

pytestmark = pytest.mark.e2e


def test_the_check_shows_level_and_devices_plays_back_and_lets_go(page: Page, room: House) -> None:
    stand(page, room)
    page.keyboard.press("m")
    dialog = page.get_by_role("dialog", name="Your microphone")
    expect(dialog).to_contain_text("Say something: the bar should move.")
    until(page, "document.querySelector('#microphone meter').value > 30")
    label = dialog.get_by_role("combobox").locator("option").nth(1).inner_text()
    dialog.get_by_role("combobox").select_option(label)
    until(page, "streams.length === 2 && streams[1].active")
    dialog.get_by_role("button", name="Hear three seconds").click()
    expect(dialog).to_contain_text("This is how it sounds.")
    assert page.evaluate("document.querySelector('#microphone audio').readyState") > 0
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    until(page, f"!({LIT})()")
    expect(page.locator("[data-mode]")).to_contain_text(label)
    stand(page, room, label)  # the choice is remembered


def test_tones_and_shakes_tell_stages_to_who_wants_them(page: Page, room: House) -> None:
    page.add_init_script(
        """window.told = { tones: 0, shakes: [] };
        const start = OscillatorNode.prototype.start;
        OscillatorNode.prototype.start = function (at) { told.tones += 1; start.call(this, at); };
        navigator.vibrate = (pattern) => told.shakes.push(pattern.length);"""
    )
    page.clock.install()
    stand(page, room)
    page.get_by_label("Tones at each stage").check()
    page.get_by_label("Shake at each stage").check()
    speak(page, room, "0:00")
    page.clock.fast_forward(60_000)
    page.clock.fast_forward(15_000)
    page.clock.fast_forward(15_000)
    expect(page.locator("[data-clock-word]")).to_have_text("time is up")
    assert page.evaluate("told") == {"tones": 1 + 2 + 3, "shakes": [1, 3, 5]}


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_axe_finds_nothing_while_a_take_is_recorded(
    hearing: Browser, room: House, width: int, scheme: str
) -> None:
    def clean(page: Page, where: str) -> None:
        results = Axe().run(page)
        assert results.violations_count == 0, f"{where}: {results.generate_report()}"
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{where}: {overflow} px too wide"

    with context(hearing, width=width, scheme=scheme) as made:
        page = made.new_page()
        stand(page, room)
        clean(page, "prompt")
        page.keyboard.press("m")
        expect(page.get_by_role("dialog")).to_contain_text("Say something")
        clean(page, "check")
        page.keyboard.press("Escape")
        speak(page, room, "0:01")
        clean(page, "speaking")
