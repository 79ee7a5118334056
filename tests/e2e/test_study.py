"""Studying in a real browser by keyboard alone: focus is on what is new, and no tab or button answers twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.reach import out_of_reach
from tests.house import House, house

pytestmark = pytest.mark.e2e


@pytest.fixture
def small_site(tmp_path: Path) -> Iterator[House]:
    """One new card a day from each tree of decks, so that the done page is near."""
    with house(tmp_path / "data", new_per_day="1") as made:
        yield made


def question(page: Page) -> str:
    """The text of the question, which has the focus."""
    expect(page.locator(".reveal")).to_be_visible()
    expect(page.locator(".question")).to_be_focused()
    return page.locator(".question").inner_text()


def grade(page: Page, key: str) -> None:
    page.keyboard.press("Space")
    expect(page.locator(".answer")).to_be_focused()
    page.keyboard.press(key)


def cards_left(page: Page) -> str:
    """The counts without the minutes, which follow how long the answers took."""
    return page.locator(".counts").inner_text().rpartition(" · ")[0]


def test_three_cards_by_keyboard_one_undone_and_a_reload(page: Page, own_site: House) -> None:
    page.goto(f"{own_site.url}/study")
    page.locator(".question").focus()
    seen = []
    for key in ("3", "4", "Space"):
        seen.append(question(page))
        grade(page, key)
    after = question(page)
    assert len({*seen, after}) == 4
    counts = cards_left(page)
    page.keyboard.press("u")
    expect(page.locator(".question")).to_have_text(seen[-1], use_inner_text=True)
    page.reload()
    expect(page.locator(".question")).to_have_text(seen[-1], use_inner_text=True)
    page.locator(".question").focus()
    grade(page, "3")
    assert question(page) == after
    assert cards_left(page) == counts


def test_a_second_tab_and_the_back_button_answer_nothing_twice(page: Page, own_site: House) -> None:
    page.goto(f"{own_site.url}/cards")
    page.goto(f"{own_site.url}/study")
    other = page.context.new_page()
    other.goto(f"{own_site.url}/study")
    other.keyboard.press("Space")
    expect(other.locator(".grades")).to_be_visible()
    page.locator(".question").focus()
    first = question(page)
    grade(page, "3")
    second = question(page)
    other.evaluate("document.querySelectorAll('form').forEach((form) => delete form.dataset.swap)")
    other.locator(".grade").first.click()
    expect(other.locator(".notice")).to_contain_text("elsewhere")
    expect(other.locator(".question")).to_have_text(second, use_inner_text=True)
    page.go_back()
    expect(page).to_have_url(f"{own_site.url}/cards")
    page.go_forward()
    expect(page.locator(".question")).to_have_text(second, use_inner_text=True)
    assert first != second


def test_back_after_a_grade_finds_a_card_and_no_error(browser: Browser, own_site: House) -> None:
    """Without scripts each step is a page of its own, and Back asks for it again."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{own_site.url}/study")
    page.get_by_role("button", name="Show the answer").click()
    page.get_by_role("button", name="Good").click()
    now = page.locator(".question").inner_text()
    for _ in range(2):
        page.go_back()
        expect(page.locator(".reveal")).to_be_visible()
        expect(page.locator(".question")).to_have_text(now, use_inner_text=True)
    context.close()


@pytest.mark.parametrize("scripted", [True, False])
def test_a_theme_leaves_a_revealed_card_revealed(browser: Browser, site: House, scripted: bool) -> None:
    context = browser.new_context(java_script_enabled=scripted)
    page = context.new_page()
    page.goto(f"{site.url}/study")
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".grades")).to_be_visible()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator(".grades")).to_be_visible()
    page.reload()
    expect(page.locator(".grades")).to_be_visible()
    context.close()


def test_keys_are_shown_only_where_they_work(browser: Browser, site: House) -> None:
    for scripted in (True, False):
        context = browser.new_context(java_script_enabled=scripted)
        page = context.new_page()
        page.goto(f"{site.url}/study")
        for hint in (page.locator(".reveal kbd"), page.get_by_text("All keys")):
            expect(hint).to_be_visible(visible=scripted)
        context.close()


def test_the_done_page_says_when_the_card_is_back(page: Page, small_site: House) -> None:
    page.clock.install()
    page.goto(f"{small_site.url}/study")
    while page.locator(".reveal").count():
        page.keyboard.press("Space")
        expect(page.locator(".grades")).to_be_visible()
        page.keyboard.press("3")
        expect(page.locator(".reveal, .done")).to_be_visible()
    expect(page.locator(".done h1")).to_be_focused()
    expect(page.locator(".done .lead")).to_contain_text("comes back in 10 minutes")
    page.clock.fast_forward("11:00")
    expect(page.locator(".done .lead")).to_have_text("The next card is here.")
    expect(page.locator("#live")).to_have_text("The next card is here.")
    page.keyboard.press("u")
    expect(page.locator(".question")).to_be_focused()


def test_everybody_can_study(page: Page, site: House) -> None:
    page.goto(f"{site.url}/study")
    wrong = out_of_reach(page, "asked")
    page.keyboard.press("Space")
    expect(page.locator(".grades")).to_be_visible()
    assert wrong + out_of_reach(page, "answered") == []
