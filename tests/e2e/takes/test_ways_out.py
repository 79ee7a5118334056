"""Where nothing can be recorded the page says why and how else, and the drill goes on."""

import wave
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from tests.e2e.live import gets_ready, hears
from tests.e2e.takes.microphone import FAKE_CONSENT, attempt, context, finish, goes_on, kept, launched, stand
from tests.house import House

pytestmark = pytest.mark.e2e


def test_quiet_is_one_key_remembered_and_asks_for_no_microphone(page: Page, room: House) -> None:
    stand(page, room)
    page.keyboard.press("q")
    expect(page.locator("[data-mode]")).to_have_text("Quiet: nothing is recorded.")
    hears(page, "Quiet: nothing is recorded.")
    stand(page, room, "Quiet: nothing is recorded.")
    page.keyboard.press("Space")
    gets_ready(page)
    page.keyboard.press("Space")
    expect(page.locator("[data-clock-word]")).to_have_text("time in hand")
    finish(page)
    assert page.evaluate("streams.length") == 0
    assert kept(room, str(attempt(page)["key"])) is None


def test_space_starts_after_a_click_on_quiet_take(page: Page, room: House) -> None:
    stand(page, room)
    page.get_by_role("button", name="Quiet take").click()
    expect(page.locator("[data-mode]")).to_have_text("Quiet: nothing is recorded.")
    goes_on(page)


def test_a_refused_microphone_is_told_before_the_clock_runs(refusing: Browser, room: House) -> None:
    with context(refusing) as made:
        page = made.new_page()
        stand(page, room)
        page.keyboard.press("Space")
        expect(page.locator("[data-why-words]")).to_contain_text("Allow it in the site's settings")
        expect(page.locator("[data-mode]")).to_have_text("Quiet: nothing is recorded.")
        expect(page.get_by_role("button", name="Start", exact=True)).to_be_focused()
        goes_on(page)


def length(wav: Path) -> float:
    """Seconds."""
    with wave.open(str(wav)) as file:
        return file.getnframes() / file.getframerate()


def test_a_plain_http_name_says_why_and_how_else(refusing: Browser, room: House, voice: Path) -> None:
    with context(refusing) as made:
        page = made.new_page()
        page.goto(f"http://lan.test:{room.port}/drill/pitch-90")
        expect(page.locator("[data-why-words]")).to_contain_text(
            f"ssh -L {room.port}:localhost:{room.port} lan.test"
        )
        expect(page.get_by_role("button", name="Check microphone")).to_be_hidden()
        goes_on(page)
        page.goto(f"http://lan.test:{room.port}/drill/pitch-30")
        page.get_by_text("Recorded it elsewhere?").click()
        page.get_by_label("Your recording").set_input_files(voice)
        page.get_by_role("button", name="Send it, and review").click()
        expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()
        expect(page.locator("sound-player")).to_have_attribute("data-ready", "whole")
        expect(page.locator("sound-player")).to_contain_text(f"/ 0:{int(length(voice)):02}")


def test_a_machine_without_a_microphone_says_so(playwright: Playwright, room: House) -> None:
    with launched(playwright, FAKE_CONSENT) as browser, context(browser) as made:
        page = made.new_page()
        page.goto(f"{room.url}/drill/pitch-90")
        expect(page.locator("[data-why-words]")).to_contain_text("There is no microphone")
        goes_on(page)


@pytest.mark.parametrize("missing", ["MediaRecorder", "permissions"])
def test_a_browser_that_cannot_record_says_so(page: Page, room: House, missing: str) -> None:
    """Or one whose pages are kept from the microphone by a header that a proxy adds."""
    if missing == "MediaRecorder":
        page.add_init_script("delete window.MediaRecorder")
        words = "This browser cannot record sound"
    else:
        page.route("**/drill/*", lambda route: route.fulfill(
            response=(got := route.fetch()), headers={**got.headers, "permissions-policy": "microphone=()"}
        ))  # fmt: skip
        words = "A header of this page (Permissions-Policy)"
    page.goto(f"{room.url}/drill/pitch-90")
    expect(page.locator("[data-why-words]")).to_contain_text(words)
    goes_on(page)
