"""The case and a mock interview in a real browser, by keyboard, against a clock that the test moves."""

from datetime import UTC, datetime, timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from app.drill.stages import Stage, stages_at
from tests.e2e.live import gets_ready
from tests.house import House

pytestmark = pytest.mark.e2e

EVENING = datetime(2026, 11, 29, 19, 0, tzinfo=UTC)
CASE = [60, 150, 180, 150, 60]


def stood(page: Page) -> list[tuple[str, str]]:
    """Each stage as the page shows it: when it is, and what is left of it."""
    items = page.locator("[data-stages] > li")
    rows: list[tuple[str, str]] = items.evaluate_all(
        "items => items.map((li) => [li.dataset.state, li.querySelector('[data-stage-left]').textContent])"
    )
    return [(when, text.removesuffix(" left") if when == "now" else "") for when, text in rows]


def accessible(page: Page) -> None:
    """axe finds nothing on a phone and on a desk, light and dark, and nothing scrolls sideways."""
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found = Axe().run(page)
            assert found.response["violations"] == [], found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_stages_of_a_case_go_on_with_the_clock(page: Page, own_site: House) -> None:
    page.add_init_script("localStorage.setItem('aloud-take', 'quiet')")
    page.clock.install(time=EVENING)
    page.goto(f"{own_site.url}/drill/case-70b-128k")
    page.clock.pause_at(EVENING + timedelta(minutes=1))
    expect(page.locator("[data-live]")).to_be_visible()
    assert stood(page)[0] == ("next", "")
    page.keyboard.press("Space")
    gets_ready(page)
    page.keyboard.press("Space")
    expect(page.locator("[data-clock-time]")).to_have_text("0:00")
    stages = [Stage(str(at), seconds) for at, seconds in enumerate(CASE)]
    elapsed = 0
    for run_s in (1, 59, 30, 120, 200, 170, 40):
        page.clock.run_for(run_s * 1000)
        elapsed += run_s * 1000
        expect(page.locator("[data-clock-time]")).to_have_text(
            f"{elapsed // 60_000}:{elapsed // 1000 % 60:02}"
        )
        shown = [(stage.when, stage.left) for stage in stages_at(elapsed, stages)]
        assert stood(page) == shown
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_focused()
    headings = page.locator(".point-stage").all_inner_texts()
    assert [text.lower() for text in headings] == [
        "requirements",
        "estimate",
        "design",
        "deep dive",
        "failure",
    ]


def test_an_interview_from_the_form_to_todays_queue_by_keyboard(page: Page, own_site: House) -> None:
    page.goto(f"{own_site.url}/drill")
    page.get_by_role("link", name="Mock interview").click()
    page.get_by_label("Length").select_option("10")
    page.get_by_label("How you answer").select_option("typed")
    accessible(page)
    page.get_by_role("button", name="Start the interview").click()
    expect(page.locator("[data-live]")).to_be_visible()
    accessible(page)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Answer now")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.get_by_label("Your answer")).to_be_focused()
    with page.expect_response("**/draft"):
        page.keyboard.type("softmax of q k transposed")  # Space in a text box presses nothing
    page.reload()
    expect(page.get_by_label("Your answer")).to_be_focused()
    expect(page.get_by_label("Your answer")).to_have_value("softmax of q k transposed")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Tick what you said")).to_be_focused()
    expect(page.locator("main")).to_contain_text("softmax of q k transposed")
    accessible(page)
    page.keyboard.press("2")
    expect(page.locator("main")).to_contain_text("Question 2")  # whose time to think runs already
    expect(page.get_by_role("button", name="Answer now")).to_be_focused()
    page.reload()
    expect(page.get_by_role("button", name="Answer now")).to_be_focused()
    page.keyboard.press("s")
    expect(page.locator("main")).to_contain_text("Question 3")
    page.get_by_role("button", name="End the interview").first.click()
    expect(page.get_by_role("heading", name="Report of your interview")).to_be_focused()
    expect(page.locator("main")).to_contain_text("3 questions: 1 Hard, 2 skipped")
    accessible(page)
    page.keyboard.press("Space")
    expect(page.locator("main")).to_contain_text("3 cards are in today's queue now")
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", name="Question by question")).to_be_visible()
    expect(page.locator(".top")).to_be_hidden()
