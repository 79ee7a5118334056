"""What a learner can still do when the disk is full, a second tab is open, or Back is pressed."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.live import hears
from tests.e2e.takes.microphone import attempt, finish, kept, seconds, speak
from tests.house import House

pytestmark = pytest.mark.e2e

FULL = "The recording cannot be written (No space left on device); what came before is kept."


def test_a_full_disk_is_told_and_finish_goes_on_with_what_there_is(page: Page, room: House) -> None:
    key = speak(page, room)
    line = page.locator("[data-sound-line]")
    page.route("**/sound?*", lambda route: route.fulfill(status=507, body=json.dumps({"detail": FULL})))
    expect(line).to_have_text(f"Recording, but it waits in this page: {FULL}")
    page.unroute("**/sound?*")
    expect(line).to_have_text("Recording")
    page.route("**/sound?*", lambda route: route.fulfill(status=507, body=json.dumps({"detail": FULL})))
    expect(line).to_contain_text("waits in this page")
    page.keyboard.press("Space")
    expect(line).to_have_text(
        f"Not all of the recording is kept: {FULL} Press Finish again to go on with what there is."
    )
    finish(page)
    found = kept(room, key)
    assert found is not None
    assert found.ended
    assert seconds(room, key) > 1


def test_a_server_that_comes_back_while_finish_waits_is_told(page: Page, room: House) -> None:
    key = speak(page, room, "0:01")
    page.route("**/sound?*", lambda route: route.fulfill(status=507, body=json.dumps({"detail": FULL})))
    expect(page.locator("[data-sound-line]")).to_contain_text("waits in this page")
    page.keyboard.press("Space")
    expect(page.locator("[data-sound-line]")).to_contain_text("Not all of the recording is kept")
    page.unroute("**/sound?*")
    hears(page, "All of the recording is there now: press Finish.")
    finish(page)
    spoken_ms = attempt(page)["spoken_ms"]
    assert isinstance(spoken_ms, int)
    assert seconds(room, key) == pytest.approx(spoken_ms / 1000, abs=0.2)


def test_a_second_tab_at_the_same_address_does_not_end_the_recording(page: Page, room: House) -> None:
    key = speak(page, room, "0:01")
    with page.context.new_page() as other:
        other.goto(page.url)
        expect(other.locator("[data-sound-line]")).to_have_text(
            "Another tab records this take. Finish it there."
        )
    page.bring_to_front()
    expect(page.locator("[data-sound-line]")).to_have_text("Recording")
    finish(page)
    found = kept(room, key)
    assert found is not None
    assert found.lost == ""
    spoken_ms = attempt(page)["spoken_ms"]
    assert isinstance(spoken_ms, int)
    assert seconds(room, key) == pytest.approx(spoken_ms / 1000, abs=0.2)


def test_back_from_the_review_does_not_let_the_clock_run_again(page: Page, room: House) -> None:
    page.goto(f"{room.url}/drill")
    speak(page, room, "0:01")
    finish(page)
    page.go_back()
    expect(page.get_by_role("heading", name="Not rated yet")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()
