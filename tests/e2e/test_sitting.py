"""A whole sitting in a real browser: bury, suspend, flag and note by keys, undo and redo to the done page and back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.reach import out_of_reach
from tests.house import House, house

pytestmark = pytest.mark.e2e


@pytest.fixture
def own_decks(tmp_path: Path) -> Iterator[House]:
    """A deck of three cards, alone."""
    content = tmp_path / "content"
    (content / "decks").mkdir(parents=True)
    cards = "".join(
        f"Q: Question {name}?\nA: Answer {name}.\nid: {name}\n\n" for name in ("one", "two", "six")
    )
    (content / "decks" / "a.md").write_text(f"---\ndeck: mine\ntitle: Mine\n---\n{cards}", encoding="utf-8")
    with house(tmp_path / "data", content=str(content)) as made:
        yield made


def asks(page: Page, name: str) -> None:
    """The question has come, and has the focus."""
    expect(page.locator(".reveal")).to_be_visible()
    expect(page.locator(".question")).to_have_text(f"Question {name}?")
    expect(page.locator(".question")).to_be_focused()


def answer(page: Page, key: str) -> None:
    page.keyboard.press("Space")
    expect(page.locator(".answer")).to_be_focused()
    page.keyboard.press(key)


def test_undo_and_redo_from_the_first_card_to_the_done_page_and_back(page: Page, own_decks: House) -> None:
    page.goto(f"{own_decks.url}/study")
    page.locator(".question").focus()
    asks(page, "one")
    page.keyboard.press("b")
    asks(page, "two")
    answer(page, "4")
    asks(page, "six")
    page.keyboard.press("s")
    expect(page.locator(".done h1")).to_be_focused()
    for name in ("six", "two", "one"):
        page.keyboard.press("u")
        asks(page, name)
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(page.locator(".counts")).to_contain_text("3 new")
    for name in ("two", "six"):
        page.keyboard.press("Shift+U")
        asks(page, name)
    page.keyboard.press("Shift+U")
    expect(page.locator(".done h1")).to_be_focused()
    expect(page.get_by_role("button", name="Redo")).to_have_count(0)
    page.keyboard.press("u")
    asks(page, "six")
    answer(page, "4")
    expect(page.locator(".done h1")).to_be_focused()
    expect(page.get_by_role("button", name="Redo")).to_have_count(0)


def test_a_note_is_written_beside_the_answer_and_its_letters_press_nothing(
    page: Page, own_decks: House
) -> None:
    page.goto(f"{own_decks.url}/study")
    page.keyboard.press("Space")
    expect(page.locator(".grades")).to_be_visible()
    page.keyboard.press("f")
    expect(page.locator(".chip", has_text="flagged")).to_be_visible()
    page.keyboard.press("n")
    box = page.get_by_label("Note to self, shown with the answer")
    expect(box).to_be_focused()
    page.keyboard.type("b u s 3 1")
    box.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".remark")).to_have_text("b u s 3 1")
    expect(page.locator(".grades")).to_be_visible()
    page.keyboard.press("3")
    asks(page, "two")
    page.goto(f"{own_decks.url}/cards/one")
    expect(page.get_by_label("Note to self")).to_have_value("b u s 3 1")
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Take it back in")).to_be_visible()


@pytest.mark.parametrize("scripted", [True, False])
def test_some_cards_are_crammed_with_and_without_scripts(
    browser: Browser, own_decks: House, scripted: bool
) -> None:
    context = browser.new_context(java_script_enabled=scripted)
    page = context.new_page()
    page.goto(f"{own_decks.url}/study")
    page.get_by_role("link", name="Some cards").click()
    page.get_by_label("Deck", exact=True).select_option("mine")
    page.get_by_role("button", name="Count them").click()
    page.get_by_role("link", name="Cram 3 cards").click()
    for left in ("3 to go", "2 to go", "1 to go"):
        expect(page.locator(".counts")).to_contain_text(left)
        page.get_by_role("button", name="Show the answer").click()
        page.get_by_role("button", name="Known").click()
    expect(page.locator(".done h1")).to_have_text("Known, all of them")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".counts")).to_contain_text("1 to go")
    page.get_by_role("link", name="All that is due").click()
    expect(page.locator(".counts")).to_contain_text("3 new")
    context.close()


def test_everybody_can_study_some_cards(page: Page, site: House) -> None:
    wrong: list[str] = []
    for path in (
        "/study/some",
        "/study/some?level=IC6&tag=gqa",
        "/study/cram?core=yes",
        "/study",
        "/cards/sqrt-dk",
    ):
        page.goto(site.url + path)
        if path.startswith(("/study/cram", "/study")) and page.locator(".reveal").count():
            page.keyboard.press("Space")
            expect(page.locator(".grades")).to_be_visible()
            page.locator(".own-note > summary").click()
        wrong += out_of_reach(page, path)
    assert wrong == []
