"""The two small scripts: forms that swap the page, keys that press what they are written on."""

from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from starlette.applications import Starlette

from tests.e2e.gallery import served

pytestmark = pytest.mark.e2e


@pytest.fixture
def place() -> Iterator[tuple[str, Starlette]]:
    with served() as made:
        yield made


@pytest.fixture
def asked(page: Page, place: tuple[str, Starlette]) -> Page:
    page.goto(f"{place[0]}/next")
    return page


def test_an_answer_swaps_the_page_and_focus_is_on_the_new_card(
    asked: Page, place: tuple[str, Starlette]
) -> None:
    asked.evaluate("window.same = true")
    asked.keyboard.press("3")
    expect(asked.locator(".question")).to_have_text("Card 1")
    assert asked.evaluate("window.same")
    assert asked.evaluate("document.activeElement.className") == "question"
    assert asked.title() == "Card 1 · Aloud"
    assert asked.url.endswith("/next?n=1")
    expect(asked.locator("#live")).to_have_text("Card 1 of 9")
    assert [parse_qs(a) for a in place[1].state.answers] == [{"card": ["c0"], "grade": ["3"]}]


def test_keys_still_work_after_answers(asked: Page, place: tuple[str, Starlette]) -> None:
    for n, key in enumerate(("3", "Space", "1"), start=1):
        asked.keyboard.press(key)
        expect(asked.locator(".question")).to_have_text(f"Card {n}")
    assert [parse_qs(a)["grade"] for a in place[1].state.answers] == [["3"], ["3"], ["1"]]


def test_a_second_press_while_the_first_is_on_its_way_does_nothing(
    page: Page, place: tuple[str, Starlette]
) -> None:
    asked, held = page, list[Route]()

    def hold(route: Route) -> None:
        held.append(route)

    asked.route(
        "**/answers", hold
    )  # before the page is there: on a page that is, it was seen to come too late
    asked.goto(f"{place[0]}/next")
    with asked.expect_request("**/answers"):
        asked.keyboard.press("3")
    asked.keyboard.press("3")
    expect(asked.locator("html")).to_have_attribute("data-busy", "")
    expect(asked.locator("#live")).to_have_text("Working")
    asked.get_by_role("button", name="Again").click()
    assert len(held) == 1
    held[0].continue_()
    expect(asked.locator(".question")).to_have_text("Card 1")
    expect(asked.locator("html")).not_to_have_attribute("data-busy", "")
    assert len(place[1].state.answers) == 1


def test_without_scripts_the_same_form_works(browser: Browser, place: tuple[str, Starlette]) -> None:
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(f"{place[0]}/next")
    plain.get_by_role("button", name="Good").click()
    expect(plain.locator(".question")).to_have_text("Card 1")
    plain.context.close()


def test_what_is_no_page_is_left_to_the_browser(asked: Page) -> None:
    asked.get_by_role("button", name="Break").click()
    expect(asked.locator("body")).to_have_text("no page")


@pytest.mark.parametrize("away", ["no connection", "bad gateway"])
def test_while_the_server_is_away_the_page_stays_and_says_so(
    browser: Browser, place: tuple[str, Starlette], away: str
) -> None:
    page = browser.new_context().new_page()
    page.route("**/answers", lambda r: r.fulfill(status=502) if away == "bad gateway" else r.abort())
    page.goto(f"{place[0]}/next")
    for _ in range(2):
        page.keyboard.press("3")
        expect(page.get_by_role("alert")).to_contain_text("press the button again")
    expect(page.get_by_role("alert")).to_have_count(1)
    page.unroute("**/answers")
    page.keyboard.press("3")
    expect(page.locator(".question")).to_have_text("Card 1")
    expect(page.get_by_role("alert")).to_have_count(0)
    assert len(place[1].state.answers) == 1
    page.context.close()


def test_a_step_within_a_page_takes_its_place_in_the_history(asked: Page) -> None:
    asked.evaluate(
        "for (const form of document.forms) if (form.dataset.swap === '') form.dataset.swap = 'replace'"
    )
    entries = asked.evaluate("history.length")
    asked.keyboard.press("3")
    expect(asked.locator(".question")).to_have_text("Card 1")
    assert asked.url.endswith("/next?n=1")
    assert asked.evaluate("history.length") == entries


def test_a_page_that_answers_a_post_leaves_the_address_alone(asked: Page) -> None:
    asked.keyboard.press("v")
    expect(asked.locator(".question")).to_have_text("Card 7")
    assert asked.url.endswith("/next")
    asked.reload()
    expect(asked.locator(".question")).to_have_text("Card 0")


def test_going_back_shows_the_state_of_now(asked: Page) -> None:
    asked.keyboard.press("3")
    expect(asked.locator(".question")).to_have_text("Card 1")
    with asked.expect_navigation(url="**/next"):
        asked.go_back()
    expect(asked.locator(".question")).to_have_text("Card 1")


def test_keys_are_text_in_a_text_field(asked: Page, place: tuple[str, Starlette]) -> None:
    asked.keyboard.press("/")
    expect(asked.get_by_label("Search")).to_be_focused()
    asked.keyboard.type("3 1s?gs")
    expect(asked.get_by_label("Search")).to_have_value("3 1s?gs")
    assert place[1].state.answers == []


@pytest.mark.parametrize("chord", ["Control+3", "Alt+3", "Meta+3"])
def test_keys_with_modifiers_are_the_browsers_own(
    asked: Page, place: tuple[str, Starlette], chord: str
) -> None:
    asked.keyboard.press(chord)
    asked.keyboard.press("1")
    expect(asked.locator(".question")).to_have_text("Card 1")
    assert [parse_qs(a)["grade"] for a in place[1].state.answers] == [["1"]]


def test_a_held_key_answers_once(asked: Page, place: tuple[str, Starlette]) -> None:
    asked.keyboard.down("3")
    expect(asked.locator(".question")).to_have_text("Card 1")
    asked.keyboard.down("3")
    asked.keyboard.up("3")
    asked.keyboard.press("1")
    expect(asked.locator(".question")).to_have_text("Card 2")
    assert len(place[1].state.answers) == 2


def test_space_on_a_focused_button_is_that_buttons_own(asked: Page, place: tuple[str, Starlette]) -> None:
    asked.get_by_role("button", name="Again").focus()
    asked.keyboard.press("Space")
    expect(asked.locator(".question")).to_have_text("Card 1")
    assert [parse_qs(a)["grade"] for a in place[1].state.answers] == [["1"]]


def test_a_key_pressed_while_composing_is_no_answer(asked: Page, place: tuple[str, Starlette]) -> None:
    asked.evaluate(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '3', isComposing: true, bubbles: true}))"
    )
    asked.keyboard.press("1")
    expect(asked.locator(".question")).to_have_text("Card 1")
    assert [parse_qs(a)["grade"] for a in place[1].state.answers] == [["1"]]


def test_g_then_s_goes_to_study(asked: Page) -> None:
    asked.keyboard.press("g")
    asked.keyboard.press("s")
    expect(asked).to_have_title("Study · Aloud")


def test_the_help_lists_the_keys_of_the_page_and_closes_by_escape(asked: Page) -> None:
    asked.keyboard.press("?")
    dialog = asked.get_by_role("dialog")
    expect(dialog).to_be_visible()
    listed = dict(
        zip(dialog.locator("dt").all_inner_texts(), dialog.locator("dd").all_inner_texts(), strict=True)
    )
    keys = {key.replace(" ", ""): label for key, label in listed.items()}
    assert keys["3Space"] == "Good"
    assert keys["GT"] == "Today"
    assert keys["/"] == "Search"
    asked.keyboard.press("3")
    expect(dialog).to_be_visible()
    asked.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_keys_can_be_switched_off_and_stay_off(asked: Page, place: tuple[str, Starlette]) -> None:
    asked.keyboard.press("?")
    asked.get_by_label("Single keys are on").uncheck()
    asked.get_by_role("button", name="Close").click()
    asked.reload()
    asked.keyboard.press("3")
    asked.get_by_role("button", name="Again").click()
    expect(asked.locator(".question")).to_have_text("Card 1")
    assert [parse_qs(a)["grade"] for a in place[1].state.answers] == [["1"]]
