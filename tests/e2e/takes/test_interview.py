"""A spoken interview with a microphone that takes its time: each answer is recorded, and heard again in the report."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.takes.microphone import context
from tests.house import House

pytestmark = pytest.mark.e2e

# A microphone is there a second after it was asked for.
LATE = """
const devices = navigator.mediaDevices;
const ask = devices.getUserMedia.bind(devices);
devices.getUserMedia = async (wanted) => { await new Promise((go) => setTimeout(go, 1000)); return ask(wanted); };
"""


def speak(page: Page) -> None:
    """Skip the time to think, and speak for two seconds, by keyboard."""
    expect(page.get_by_role("button", name="Answer now")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("[data-sound-line]")).to_have_text("Recording")
    expect(page.locator("[data-clock-time]")).to_have_text("0:03")


def test_every_answer_of_an_interview_is_recorded_even_one_begun_before_the_microphone_is_there(
    page: Page, room: House
) -> None:
    page.add_init_script(LATE)
    page.goto(f"{room.url}/mock")
    page.get_by_role("button", name="Start the interview").click()
    expect(page.locator("[data-mode]").last).to_contain_text("It will be recorded with")
    page.keyboard.press("Space")
    speak(page)
    page.keyboard.press("o")  # start over: the same question, and its time to think
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    expect(page.locator("main")).to_contain_text("Question 1")
    page.keyboard.press("Space")
    speak(page)
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_focused()
    expect(page.locator("sound-player[data-ready=whole]")).to_be_visible()
    page.keyboard.press("2")
    expect(page.locator("main")).to_contain_text("Question 2")
    speak(page)  # at once: its microphone comes while the clock runs
    page.keyboard.press("Space")
    expect(page.locator("h2#said")).to_be_focused()
    expect(page.locator("sound-player[data-ready=whole]")).to_be_visible()
    page.get_by_role("button", name="End the interview").click()
    expect(page.get_by_role("heading", name="Report of your interview")).to_be_focused()
    expect(page.locator("main")).to_contain_text("2 questions: 1 Hard, 1 skipped")
    expect(page.locator("sound-player")).to_have_count(2)
    page.set_viewport_size({"width": 360, "height": 900})
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("link", name="Delete the sound").last.click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("main")).to_contain_text("What was recorded of it was deleted.")
    expect(page.locator("sound-player")).to_have_count(1)


def running(page: Page, room: House, question: int) -> str:
    """A spoken interview whose question's clock runs, in no page yet; its address."""
    page.goto(f"{room.url}/mock")
    page.get_by_role("button", name="Start the interview").click()
    page.wait_for_url("**/mock/*")
    where = page.url
    page.goto(f"{room.url}/mock")
    with room.api() as api:
        api.post(f"{where}/1/start")
        if question == 1:
            api.post(f"{where}/1/start", data={"speaking": "true"})
        else:
            api.post(f"{where}/1/skip")
    return where


def test_a_question_that_is_opened_while_its_clock_runs_is_recorded_from_then_on(
    page: Page, room: House
) -> None:
    where = running(page, room, 1)
    with page.expect_response("**/sound?*"):  # a second of it is there
        page.goto(where)
    expect(page.locator("[data-sound-line]")).to_have_text("Recording")
    page.keyboard.press("Space")
    expect(page.locator("sound-player[data-ready=whole]")).to_be_visible()


def test_a_question_that_nobody_records_says_so(refusing: Browser, room: House) -> None:
    with context(refusing) as made:
        page = made.new_page()
        page.goto(running(page, room, 2))
        expect(page.get_by_role("button", name="Answer now")).to_be_focused()
        told = "Nothing is recorded: this page has no microphone. Start over looks for it."
        expect(page.locator("[data-sound-line]")).to_have_text(told)
        page.keyboard.press("Space")
        expect(page.locator("[data-clock-word]")).to_have_text("time in hand")
        expect(page.locator("[data-sound-line]")).to_have_text(told)
