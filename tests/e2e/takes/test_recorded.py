"""Takes said into a real browser's microphone; what arrives is decoded."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.live import hears, until
from tests.e2e.takes.microphone import LIT, attempt, context, finish, kept, loudness, seconds, sound, speak
from tests.house import House

pytestmark = pytest.mark.e2e


def test_twenty_seconds_arrive_as_they_come_and_decode_to_their_length(page: Page, room: House) -> None:
    key = speak(page, room, "0:03")
    expect(page.locator("[data-sound-line]")).to_have_text("Recording")
    hears(page, "Speak. 90 seconds. Recording.")
    assert page.evaluate("heard").count("Speak. 90 seconds. Recording.") == 1
    until(page, "document.querySelector('[data-level]').value > 30")
    assert seconds(room, key) > 1  # it is there before the take ends
    expect(page.locator("[data-clock-time]")).to_have_text("0:20", timeout=40_000)
    finish(page)
    said = sound(room, key)
    spoken_ms = attempt(page)["spoken_ms"]
    assert isinstance(spoken_ms, int)
    assert len(said) / 16_000 == pytest.approx(spoken_ms / 1000, abs=0.2)
    assert loudness(said) > 0.01, "the microphone was fed with silence"
    found = kept(room, key)
    assert found is not None
    assert (found.lost, found.ended, found.deleted) == ("", True, False)
    assert not page.evaluate(LIT), "the microphone is still on"
    plays(page)


def plays(page: Page) -> None:
    """The take of twenty seconds, on its review: by keyboard, to any place, at its true length."""
    player = page.locator("sound-player")
    expect(player).to_have_attribute("data-ready", "whole")
    expect(player).to_contain_text("0:00 / 0:20")
    place = player.get_by_role("slider", name="Place in the recording")
    place.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(place).to_have_attribute("aria-valuetext", "0:10 of 0:20")
    page.keyboard.press("Home")
    expect(place).to_have_attribute("aria-valuenow", "0")
    player.get_by_label("Speed").select_option("1.5")
    page.keyboard.press("Escape")
    page.evaluate("document.querySelector('sound-player').seek(7_000)")
    expect(player.get_by_role("button", name="Pause")).to_be_visible()
    expect(player).to_contain_text("0:08 / 0:20")
    assert page.evaluate("document.querySelector('sound-player audio').playbackRate") == 1.5
    player.get_by_role("button", name="Pause").focus()
    page.keyboard.press("Space")
    expect(player.get_by_role("button", name="Play")).to_be_focused()
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()  # Space rated nothing


def test_what_could_not_be_sent_waits_until_it_can(page: Page, room: House) -> None:
    key = speak(page, room, "0:01")
    page.context.set_offline(True)
    expect(page.locator("[data-clock-time]")).to_have_text("0:03")
    page.keyboard.press("Space")
    expect(page.locator("[data-sound-line]")).to_have_text("Saving the recording")
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()
    spoken_ms = attempt(page)["spoken_ms"]
    assert isinstance(spoken_ms, int)
    assert seconds(room, key) == pytest.approx(spoken_ms / 1000, abs=0.2)


def test_two_tabs_record_at_once_and_keep_apart(hearing: Browser, room: House) -> None:
    with context(hearing) as made:
        one, two = made.new_page(), made.new_page()
        keys = [speak(one, room, "0:01"), speak(two, room, "0:01")]
        finish(one)
        finish(two)
        for key, page in zip(keys, (one, two), strict=True):
            spoken_ms = attempt(page)["spoken_ms"]
            assert isinstance(spoken_ms, int)
            assert seconds(room, key) == pytest.approx(spoken_ms / 1000, abs=0.2)


def test_starting_over_deletes_the_recording(page: Page, room: House) -> None:
    key = speak(page, room)
    page.get_by_role("button", name="Start over").click()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    found = kept(room, key)
    assert found is None or found.deleted
    assert not page.evaluate(LIT)
    assert speak(page, room, "0:01") != key
    finish(page)
