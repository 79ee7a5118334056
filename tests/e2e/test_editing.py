"""Writing cards in a real browser: the keys, the live preview, a mistake's line, a file that changed meanwhile."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.reach import out_of_reach
from tests.house import House, house

pytestmark = pytest.mark.e2e

DECK = (
    "---\ndeck: masks\ntitle: Masks\n---\n\nQ: What does the mask hide?\nA: {}\nid: mask\nlevel: IC4\n\n"
    "Q: {}\nA: x\nid: b\n"
)


@pytest.fixture
def content(tmp_path: Path) -> Path:
    made = tmp_path / "content" / "decks"
    made.mkdir(parents=True)
    (made / "masks.md").write_text(DECK.format("The future.", "Wide? " + "$a_1 + b_1 + c_1 + d_1$ " * 6))
    return made / "masks.md"


@pytest.fixture
def room(content: Path, tmp_path: Path) -> Iterator[House]:
    with house(tmp_path / "data", content=str(content.parent.parent)) as made:
        yield made


def test_a_new_card_is_written_by_keys_and_seen_while_it_is_written(page: Page, room: House) -> None:
    page.goto(f"{room.url}/cards")
    page.keyboard.press("n")
    expect(page.get_by_role("heading", name="A new card")).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("shown here")
    text = page.get_by_label("The card's text")
    text.fill("Q: Why divide by $\\sqrt{d_k}$?\nlevel: IC9\nA: The variance.")
    expect(page.locator(".mistakes")).to_contain_text('the level "IC9" is not known')
    expect(text).to_have_attribute("aria-invalid", "true")
    page.get_by_role("link", name="Line 2").click()
    expect(text).to_be_focused()
    page.keyboard.type("level: IC5")
    expect(page.locator("#preview math").first).to_be_visible()
    expect(page.locator("#preview")).to_contain_text("Its id will be divide-sqrt-d-k")
    expect(page.locator("#live")).to_contain_text("It can be saved.")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{room.url}/cards/divide-sqrt-d-k")
    expect(page.locator(".facts")).to_contain_text("your deck, decks/mine.md")
    assert "level: IC5" in (room.data / "decks" / "mine.md").read_text()


def test_a_shipped_card_is_edited_from_the_study_page_and_its_history_stays(page: Page, room: House) -> None:
    page.goto(f"{room.url}/study")
    page.keyboard.press("Space")
    expect(page.locator(".grades")).to_be_visible()
    page.keyboard.press("3")
    expect(page.locator(".question")).to_contain_text("Wide?")
    page.goto(f"{room.url}/cards/mask")
    page.keyboard.press("e")
    text = page.get_by_label("The card's text")
    expect(text).to_have_value("Q: What does the mask hide?\nA: The future.\nid: mask\nlevel: IC4")
    text.fill(text.input_value().replace("hide", "cover"))
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".question")).to_contain_text("cover")
    expect(page.locator(".facts")).to_contain_text("your edited copy")
    expect(page.locator("main")).to_contain_text("Good")
    page.goto(f"{room.url}/study")
    page.keyboard.press("e")
    text.fill(text.input_value().replace("Wide?", "Wide formula?"))
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{room.url}/study")
    expect(page.locator(".question")).to_contain_text("Wide formula?")


def test_a_file_that_changed_meanwhile_shows_both_texts(page: Page, room: House) -> None:
    page = page.context.new_page()  # unwatched: the refusal is a 409, which a browser reports
    file = room.data / "decks" / "mine.md"
    file.parent.mkdir()
    file.write_text("---\ndeck: mine\ntitle: Mine\n---\nQ: One?\nA: Yes.\nid: one\n")
    page.goto(f"{room.url}/cards")
    page.get_by_role("button", name="Look for changed decks").click()
    expect(page.locator("[data-news]")).to_contain_text("1 card new")
    page.goto(f"{room.url}/cards/one/edit")
    text = page.get_by_label("The card's text")
    text.fill("Q: One, mine?\nA: Yes.\nid: one")
    file.write_text(file.read_text().replace("Yes.", "No."))
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was saved and your text is kept")
    expect(page.locator(".difference del")).to_contain_text("No")
    expect(text).to_have_value("Q: One, mine?\nA: Yes.\nid: one")
    assert out_of_reach(page) == []
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{room.url}/cards/one")
    assert "One, mine?" in file.read_text()


def test_a_shipped_change_is_a_difference_with_three_ways_on(page: Page, room: House, content: Path) -> None:
    page.goto(f"{room.url}/cards/mask/edit")
    text = page.get_by_label("The card's text")
    text.fill(text.input_value().replace("hide", "cover"))
    page.get_by_role("button", name="Save").click()
    content.write_text(content.read_text().replace("The future.", "Every later position."))
    page.goto(f"{room.url}/cards")
    page.get_by_role("button", name="Look for changed decks").click()
    page.get_by_role("link", name="What does the mask cover?").first.click()
    expect(page.get_by_role("heading", name="The shipped card has changed")).to_be_visible()
    expect(page.locator(".difference ins").first).to_contain_text("Every later position")
    assert out_of_reach(page) == []
    page.keyboard.press("e")
    expect(page.locator(".difference")).to_contain_text("Every later position")
    page.go_back()
    page.get_by_role("button", name="Take the shipped one").click()
    expect(page.locator(".answer")).to_contain_text("Every later position.")
    expect(page.locator(".facts")).to_contain_text("shipped with Aloud")


def test_a_text_that_was_not_saved_is_not_left_unasked(page: Page, room: House) -> None:
    page.goto(f"{room.url}/cards/new")
    page.get_by_label("The card's text").press_sequentially("x")
    asked: list[str] = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept())[0])
    page.get_by_role("link", name="Cancel").click()
    expect(page).to_have_url(f"{room.url}/cards")
    assert asked == ["beforeunload"]


def test_a_card_is_retired_and_restored_on_its_page(page: Page, room: House) -> None:
    page.goto(f"{room.url}/cards/mask")
    page.get_by_role("button", name="Retire").click()
    expect(page.get_by_role("status").first).to_contain_text("This card is retired")
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("button", name="Retire")).to_be_visible()


def test_all_of_it_works_without_scripts(browser: Browser, room: House) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{room.url}/cards/new")
    page.get_by_label("The card's text").fill("Q: No scripts?\nlevel: IC9\nA: None.")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator(".mistakes")).to_contain_text("IC9")
    page.get_by_label("The card's text").fill("Q: No scripts?\nA: None.")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("Its id will be scripts")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(f"{room.url}/cards/scripts")
    context.close()


def test_the_editor_can_be_used_by_all(browser: Browser, room: House) -> None:
    context = browser.new_context()  # a mistake in the text is answered with an error
    page = context.new_page()
    for path in ("/cards", "/cards/new", "/cards/b/edit", "/cards/mask"):
        page.goto(room.url + path)
        assert out_of_reach(page) == []
    page.goto(f"{room.url}/cards/mask/edit")
    page.get_by_label("The card's text").fill("Q: Broken?\nlevel: IC9")
    expect(page.locator(".mistakes")).to_be_visible()
    assert out_of_reach(page, "with a mistake") == []
    context.close()
