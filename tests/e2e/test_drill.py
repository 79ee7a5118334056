"""A pitch said in a real browser, by keyboard, against a clock that the test moves."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.live import HEARD, gets_ready, hears
from tests.e2e.reach import out_of_reach
from tests.house import House, house

pytestmark = pytest.mark.e2e

EVENING = datetime(2026, 11, 29, 19, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One house for the whole file: only the journey of pitch-90 counts takes, and only it saves any of that card."""
    with house(tmp_path_factory.mktemp("drill") / "data") as made:
        yield made


def stand(page: Page, site: House, card: str = "pitch-90") -> None:
    """The page of a pitch, with a clock that stands still until it is moved."""
    page.clock.install(time=EVENING)
    page.goto(f"{site.url}/drill/{card}")
    page.clock.pause_at(EVENING + timedelta(minutes=1))
    expect(page.locator("[data-live]")).to_be_visible()


def speak(page: Page, site: House, card: str = "pitch-90") -> None:
    """Past Start and getting ready, with the clock at 0:00."""
    stand(page, site, card)
    page.keyboard.press("Space")
    gets_ready(page)
    page.keyboard.press("Space")
    face(page, "start", "0:00", "time in hand")


def face(page: Page, stage: str, time: str, word: str) -> None:
    expect(page.locator("[data-clock-time]")).to_have_text(time)
    expect(page.locator("[data-clock-word]")).to_have_text(word)
    expect(page.locator(".clock")).to_have_attribute("data-stage", stage)


def test_a_pitch_from_start_to_undo_by_keyboard_alone(page: Page, room: House) -> None:
    stand(page, room)
    page.keyboard.press("Space")
    gets_ready(page)
    face(page, "ready", "3", "get ready")
    page.clock.run_for(3_200)
    face(page, "start", "0:00", "time in hand")
    for run_s, stage, time, word in (
        (30, "start", "0:30", "time in hand"),
        (30, "green", "1:00", "two thirds used"),
        (15, "yellow", "1:15", "wrap up"),
        (15, "red", "1:30", "time is up"),
        (5, "red", "1:35", "over by 0:05"),
    ):
        page.clock.run_for(run_s * 1000)
        face(page, stage, time, word)
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_focused()
    expect(page.locator(".figures")).to_contain_text("1:35")
    assert "interrupted" not in page.inner_text("main")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("3")
    expect(page.get_by_role("heading", name="Saved: Good")).to_be_focused()
    expect(page.locator(".figures")).to_contain_text("1 of")
    page.reload()
    expect(page.get_by_role("heading", name="Saved: Good")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_role("checkbox").first).to_be_checked()
    page.keyboard.press("4")
    expect(page.get_by_role("heading", name="Saved: Easy")).to_be_visible()
    expect(page.locator(".takes .item-title")).to_have_text(["Easy", "Good, undone"])


def test_keys_work_from_the_first_moment_of_a_page(page: Page, room: House) -> None:
    page.clock.install(time=EVENING)  # the steady clock reads next to nothing when the key is pressed
    page.goto(f"{room.url}/drill/pitch-90")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Speak now")).to_be_visible()


def test_a_page_that_stood_still_shows_the_true_time_and_marks_the_take(page: Page, room: House) -> None:
    speak(page, room)
    page.clock.fast_forward(30_000)
    page.clock.run_for(200)
    face(page, "start", "0:30", "time in hand")
    page.keyboard.press("Space")
    expect(page.locator("main")).to_contain_text("This take was interrupted")


def test_space_finishes_wherever_the_focus_is(page: Page, room: House) -> None:
    speak(page, room)
    page.clock.run_for(12_000)
    page.get_by_role("button", name="Show notes").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()
    expect(page.locator(".figures")).to_contain_text("0:12")
    expect(page.locator("main")).not_to_contain_text("Notes were shown")


def test_a_held_key_does_not_run_through_the_drill(page: Page, room: House) -> None:
    stand(page, room)
    for _ in range(5):
        page.keyboard.down("Space")
    page.keyboard.up("Space")
    face(page, "ready", "3", "get ready")


def test_notes_are_one_key_away_and_the_take_says_so(page: Page, room: House) -> None:
    speak(page, room)
    expect(page.locator("[data-notes]")).to_be_hidden()
    page.keyboard.press("n")
    expect(page.locator("[data-notes]")).to_be_visible()
    expect(page.get_by_role("button", name="Finish")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("main")).to_contain_text("Notes were shown")


def test_starting_over_begins_a_new_take_from_nothing(page: Page, room: House) -> None:
    speak(page, room)
    page.clock.run_for(40_000)
    page.get_by_role("button", name="Start over").click()
    expect(page.get_by_role("button", name="Start", exact=True)).to_be_visible()
    page.keyboard.press("Space")
    gets_ready(page)
    page.keyboard.press("Space")
    face(page, "start", "0:00", "time in hand")


def test_a_screen_reader_hears_the_marks_and_no_ticking(page: Page, room: House) -> None:
    page.add_init_script(HEARD)
    stand(page, room)
    page.keyboard.press("Space")
    gets_ready(page)
    page.clock.run_for(3_200)
    page.clock.run_for(100_000)
    hears(page, "Time is up. The clock counts on.")
    assert page.evaluate("heard") == [
        "Get ready",
        "Speak. 90 seconds.",
        "60 seconds left",
        "30 seconds left",
        "10 seconds left",
        "Time is up. The clock counts on.",
    ]


def test_the_server_keeps_the_time_until_the_script_takes_over(browser: Browser, room: House) -> None:
    """A press of Start before the script has loaded is not lost: it goes on from there."""
    plain = browser.new_context(java_script_enabled=False)
    page = plain.new_page()
    page.goto(f"{room.url}/drill/pitch-30")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("button", name="Finish")).to_be_visible()
    started = page.url
    plain.close()
    scripted = browser.new_context()
    page = scripted.new_page()
    page.goto(started)
    expect(page.locator("[data-clock-word]")).to_have_text("get ready")
    expect(page.locator("[data-clock-word]")).to_have_text("time in hand")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()
    scripted.close()


def test_a_reload_in_mid_speech_goes_on_and_marks_the_take(page: Page, room: House) -> None:
    page.goto(f"{room.url}/drill/pitch-30")
    page.keyboard.press("Space")
    gets_ready(page)
    page.keyboard.press("Space")
    page.wait_for_url("**/drill/pitch-30?take=*")
    with page.expect_response("**/notes"):
        page.keyboard.press("n")
    expect(page.locator("[data-clock-time]")).to_have_text("0:03")
    page.reload()
    expect(page.locator("[data-clock-time]")).to_have_text("0:04")
    page.keyboard.press("Space")
    expect(page.locator("main")).to_contain_text("This take was interrupted")
    expect(page.locator("main")).to_contain_text("Notes were shown")


@pytest.mark.parametrize("scripted", [True, False])
def test_enter_on_a_key_point_keeps_the_ticks_and_rates_nothing(
    browser: Browser, room: House, scripted: bool
) -> None:
    context = browser.new_context(java_script_enabled=scripted)
    page = context.new_page()
    page.goto(f"{room.url}/drill/pitch-30")
    page.get_by_role("button", name="Start", exact=True).click()
    if scripted:
        page.get_by_role("button", name="Speak now").click()
    else:
        expect(page.locator("noscript p")).to_be_visible()
        page.get_by_role("button", name="Finish").click()
        while page.locator("[data-stage=ready]").count():
            page.reload()
    page.get_by_role("button", name="Finish").click()
    page.get_by_role("checkbox").nth(1).check()
    page.keyboard.press("Enter")
    expect(page.locator("[name=point][checked]")).to_have_count(1)
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()
    expect(page.get_by_role("checkbox").nth(1)).to_be_checked()
    context.close()


def test_everybody_can_use_every_page_of_the_room(page: Page, room: House) -> None:
    def clean(where: str) -> None:
        assert out_of_reach(page, where) == []

    for path in ("/", "/drill"):
        page.goto(room.url + path)
        clean(path)
    page.goto(f"{room.url}/drill/pitch-30")
    clean("prompt")
    page.locator("[data-drill]").evaluate(
        "room => { room.dataset.readyS = '60'; }"
    )  # longer than a look takes
    page.keyboard.press("Space")
    gets_ready(page)
    clean("ready")
    page.keyboard.press("Space")
    expect(page.locator("[data-clock-word]")).to_have_text("time in hand")
    page.keyboard.press("n")
    clean("speaking")
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_visible()
    clean("review")
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Saved: Hard")).to_be_visible()
    clean("saved")
