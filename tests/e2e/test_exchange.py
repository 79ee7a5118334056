"""Import and export as a learner does them: a file chosen, a file downloaded, with and without JavaScript."""

import io
import zipfile
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.reach import out_of_reach
from tests.house import House

pytestmark = pytest.mark.e2e

CSV = "guid,front,back,deck\n1,Why *scale* by $\\sqrt{d_k}$?,Because.,ML/Attention\n2,No back,,ML/Attention\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "cards.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


def test_a_table_is_imported_and_its_card_found_and_a_second_time_nothing_changes(
    page: Page, own_site: House, table: Path
) -> None:
    page.goto(f"{own_site.url}/cards")
    page.get_by_role("link", name="Import and export").click()
    page.get_by_label("File").set_input_files(table)
    page.get_by_role("button", name="Import").press("Enter")
    expect(page.get_by_text("cards.csv: 1 card added, 1 not taken.")).to_be_visible()
    expect(page.get_by_text("No back", exact=True)).to_be_visible()
    assert Axe().run(page).response["violations"] == []
    page.get_by_role("link", name="ML: Attention").click()
    expect(page.get_by_role("link", name="Why scale by")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("cards.csv: 1 card added, 1 not taken.")).to_be_visible()
    page.get_by_label("File").set_input_files(table)
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("cards.csv: 1 card as before, 1 not taken.")).to_be_visible()


def test_a_refused_file_says_why_without_javascript_too(
    browser: Browser, own_site: House, tmp_path: Path
) -> None:
    (tmp_path / "broken.apkg").write_bytes(b"PK\x03\x04 and no more")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{own_site.url}/cards/exchange")
    page.get_by_label("File").set_input_files(tmp_path / "broken.apkg")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("alert")).to_contain_text("broken.apkg: This is no package of Anki")
    assert not (own_site.data / "decks").exists()
    context.close()


def test_the_filters_of_the_list_are_carried_to_the_download(page: Page, site: House) -> None:
    page.goto(f"{site.url}/cards?deck=attention/mask&level=IC5")
    page.get_by_role("link", name="Import and export").click()
    assert page.get_by_label("Deck", exact=True).input_value() == "attention/mask"
    assert page.get_by_label("Level", exact=True).input_value() == "IC5"
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Anki (.apkg)").click()
    assert waiting.value.suggested_filename == "aloud-attention-mask.apkg"
    packed = zipfile.ZipFile(io.BytesIO(Path(waiting.value.path()).read_bytes()))
    assert packed.testzip() is None
    assert f"{site.url}/cards/".encode() in packed.read("collection.anki2")


def test_everybody_can_exchange_cards(page: Page, site: House) -> None:
    page.goto(f"{site.url}/cards/exchange")
    assert out_of_reach(page) == []
