"""Progress in a real browser: reached by keys, read as pictures and as tables, on a phone and on a desk."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.e2e.reach import out_of_reach
from tests.house import House, house
from tests.progress.used import use

pytestmark = pytest.mark.e2e
PATHS = ("/progress", "/progress/topics")


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Somebody who has studied for some weeks."""
    data = tmp_path_factory.mktemp("used") / "data"
    use(data, days=30)
    with house(data) as made:
        yield made


def card_of(used: House) -> str:
    with used.api() as api:
        rows = api.get("/progress.csv", params={"what": "reviews"}).text.splitlines()
    names = rows[0].split(",")
    return rows[1].split(",")[names.index("card_id")]


def test_by_keys_to_the_pictures_and_their_tables(page: Page, used: House) -> None:
    page.goto(used.url)
    page.keyboard.press("g")
    page.keyboard.press("p")
    page.wait_for_url("**/progress")  # until it is loaded, so that its keys are there
    expect(page.get_by_role("heading", level=1)).to_have_text("Progress")
    expect(page.locator(".calendar rect:not(.shade-0)")).not_to_have_count(0)
    days = page.locator("section", has=page.locator("#calendar"))
    summary = days.locator("summary")
    summary.focus()
    page.keyboard.press("Enter")
    expect(days.get_by_role("columnheader", name="Study day")).to_be_visible()
    studied = days.locator("tbody tr").count()
    assert page.locator(".calendar rect:not(.shade-0)").count() == studied
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("Progress")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Topics and levels").click()
    expect(page.get_by_role("columnheader", name="Mature").first).to_be_visible()


def test_an_answer_and_its_undo_change_the_day(page: Page, own_site: House) -> None:
    page.goto(f"{own_site.url}/progress")
    expect(page.locator("main")).to_contain_text("Nothing was answered yet")
    assert Axe().run(page).response["violations"] == []
    page.keyboard.press("Space")
    page.wait_for_url("**/study")  # until it is loaded, so that its keys are there
    page.keyboard.press("Space")
    expect(page.locator(".answer")).to_be_focused()
    page.keyboard.press("3")
    expect(page.locator(".reveal")).to_be_visible()  # of the next card: the answer was taken
    page.goto(f"{own_site.url}/progress")
    expect(page.locator(".figures")).to_contain_text("1 of 30")
    page.goto(f"{own_site.url}/study")
    with page.expect_response(lambda answer: answer.request.method == "POST" and "undo" in answer.url):
        page.keyboard.press("u")
    page.goto(f"{own_site.url}/progress")
    expect(page.locator("main")).to_contain_text("Nothing was answered yet")


def test_a_card_has_its_forgetting_curve_and_every_answer_below(page: Page, used: House) -> None:
    page.goto(f"{used.url}/cards/{card_of(used)}")
    curve = page.get_by_role("img", name="Forgetting curve.")
    expect(curve).to_be_visible()
    assert curve.locator("circle").count() >= 2
    expect(page.get_by_role("columnheader", name="Chance to recall")).to_be_visible()


def test_everybody_can_read_the_pictures_and_their_tables(page: Page, used: House) -> None:
    wrong: list[str] = []
    for path in (*PATHS, f"/cards/{card_of(used)}"):
        page.goto(used.url + path)
        for summary in page.locator("main summary").all():
            summary.click()
        wrong += out_of_reach(page, path, 1280, 360, 320)
    assert wrong == []


@pytest.mark.parametrize("width", [320, 360, 412, 768])
def test_every_tab_is_whole_and_can_be_tapped(browser: Browser, used: House, width: int) -> None:
    """WCAG 2.5.8 wants 24 px; a tab is as wide as its word at least, and 44 px high."""
    context = browser.new_context(viewport={"width": width, "height": 740}, has_touch=True)
    page = context.new_page()
    page.goto(f"{used.url}/progress")
    boxes = page.locator(".rooms a").evaluate_all(
        "all => all.map(a => [a.getBoundingClientRect(), a.scrollWidth - a.clientWidth])"
        ".map(([b, over]) => [b.left, b.right, b.height, over])"
    )
    assert len(boxes) == 7
    for left, right, height, over in boxes:
        assert 0 <= left < right <= width
        assert right - left >= 24
        assert height >= 44
        assert over <= 0
    page.locator(".rooms a").last.tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Progress")
    context.close()
