"""Takes that something breaks off: what was said until then is kept, and the page says what happened."""

import os

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.live import hears
from tests.e2e.takes.microphone import context, finish, kept, seconds, speak
from tests.house import House

pytestmark = pytest.mark.e2e


def test_a_lost_microphone_is_told_and_the_clock_goes_on(page: Page, room: House) -> None:
    key = speak(page, room)
    page.evaluate("streams[0].getTracks()[0].stop()")
    lost = "Microphone lost, 2 s kept. The clock goes on."
    expect(page.locator("[data-sound-line]")).to_have_text(lost)
    expect(page.locator("[data-clock-time]")).to_have_text("0:03")
    hears(page, lost)
    finish(page)
    found = kept(room, key)
    assert found is not None
    assert found.lost == "microphone"
    assert seconds(room, key) == pytest.approx(2.4, abs=0.6)


def test_a_closed_tab_keeps_what_there_was_and_the_list_offers_it(hearing: Browser, room: House) -> None:
    with context(hearing) as made:
        page = made.new_page()
        key = speak(page, room, "0:03")
        page.close()
        assert seconds(room, key) > 2
        grown_old(room, key)
        page = made.new_page()
        page.goto(f"{room.url}/drill")
        page.get_by_role("button", name="Review").first.click()
        expect(page.locator("main")).to_contain_text("This take was cut off when its page was left")
        expect(page.locator("sound-player")).to_have_attribute("data-ready", "whole")


def grown_old(room: House, key: str) -> None:
    """A minute without a byte, after which no page is at it any more."""
    found = kept(room, key)
    assert found is not None
    (file,) = (room.data / "audio").rglob(f"{found.id}.*")
    then = file.stat().st_mtime - 61
    os.utime(file, (then, then))


def test_a_reload_in_the_middle_keeps_what_was_said_and_goes_on(page: Page, room: House) -> None:
    key = speak(page, room)
    with page.expect_response("**/sound/end*"):
        page.reload()
    expect(page.locator("[data-sound-line]")).to_contain_text("The recording ended when the page was left")
    finish(page)
    found = kept(room, key)
    assert found is not None
    assert (found.lost, found.ended) == ("page", True)
    assert seconds(room, key) > 1


def test_a_clock_that_leaps_marks_the_take_and_the_recording_arrives(page: Page, room: House) -> None:
    page.clock.install()
    key = speak(page, room, "0:01")
    page.clock.fast_forward(60_000)
    expect(page.locator("[data-clock-word]")).to_have_text("two thirds used")
    finish(page)
    expect(page.locator("main")).to_contain_text("This take was interrupted")
    assert seconds(room, key) > 0.8
