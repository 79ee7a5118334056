"""One evening with Aloud in a real browser, by keyboard: study, undo, run, drill; a run at its deadline; a reload."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.house import House, house

pytestmark = pytest.mark.e2e

DEADLINE_S = 2
WARM_MS = 60_000
MINE = """---
deck: mine
title: My own
---
Q: How much does "cat" attend to "The"?
A: 0.168.
demo: attention
id: mine-cat
core: yes
"""
HEAVY = "attention?example=random&n_q=4096&n_kv=4096&h_q=8&h_kv=8&d_k=64"


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[House]:
    """The house with its worker, each run capped by a setting, and a deck of the learner's own."""
    (tmp_path / "data" / "decks").mkdir(parents=True)
    (tmp_path / "data" / "decks" / "mine.md").write_text(MINE, encoding="utf-8")
    with house(tmp_path / "data", worker=True, run_deadline_s=str(DEADLINE_S)) as made:
        yield made


def cell(page: Page, stage: str, row: int, column: int) -> str:
    """What the matrix shows for a stage, a query and a key, the stage being chosen first."""
    page.locator(".stages label", has_text=stage).click()
    shown = page.locator(f'table.cells[data-stage="{stage}"] tbody tr').nth(row).locator("td").nth(column)
    expect(shown).to_be_visible()
    return shown.inner_text()


def answer(page: Page, grade: str) -> None:
    page.keyboard.press("Space")
    expect(page.locator(".answer")).to_be_focused()
    page.keyboard.press(grade)
    expect(page.locator(".reveal")).to_be_visible()


def study_three_and_undo_one(page: Page) -> None:
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_url("**/study")  # until it is loaded, so that its keys are there
    expect(page.locator(".question")).to_be_visible()
    first = page.locator(".question").inner_text()
    before = page.locator(".counts").inner_text()
    answer(page, "3")
    answer(page, "3")
    third = page.locator(".question").inner_text()
    answer(page, "4")
    page.keyboard.press("u")
    expect(page.locator(".question")).to_have_text(third, use_inner_text=True)
    counts = page.locator(".counts").inner_text()
    assert counts != before
    page.reload()
    expect(page.locator(".question")).to_have_text(third, use_inner_text=True)
    assert page.locator(".counts").inner_text() == counts
    assert third != first


def run_attention_from_a_card(page: Page, url: str) -> None:
    """The 4x4 example: "cat" gives "The" 0.168 and must not see "sat"; live, on this machine's CPU."""
    page.goto(f"{url}/study?deck=mine")
    page.keyboard.press("Space")
    expect(page.locator(".grades")).to_be_visible()
    page.keyboard.press("r")
    expect(page.locator(".aside .badge")).to_contain_text("Live", timeout=WARM_MS)
    assert cell(page, "softmax", 1, 0) == "0.168"
    assert "masked" in cell(page, "masked", 1, 2)
    assert "−∞" in cell(page, "masked", 1, 2)
    seen = page.locator(".aside table.cells, .aside .mask-grid, .aside svg").first
    expect(seen).to_be_attached()


def drill_with_a_fast_clock(page: Page, url: str) -> None:
    page.clock.install()
    page.goto(f"{url}/drill/pitch-30")
    expect(page.locator("[data-live]")).to_be_visible()
    page.keyboard.press("Space")
    page.clock.run_for(3_100)
    expect(page.locator(".clock")).to_have_attribute("data-stage", "start")
    page.clock.run_for(33_000)
    expect(page.locator(".clock")).to_have_attribute("data-stage", "red")
    page.keyboard.press("Space")
    point = page.locator(".point input").first
    expect(point).to_be_visible()
    point.focus()
    page.keyboard.press("Space")
    page.keyboard.press("3")
    expect(page.locator("#page")).to_contain_text(re.compile(r"1 of \d"))


def a_run_ends_at_its_deadline_and_the_next_is_served(page: Page, url: str) -> None:
    page.goto(f"{url}/demos/{HEAVY}")
    page.keyboard.press("r")
    expect(page.locator("[data-run-slot] .notice.error")).to_contain_text("stopped after", timeout=WARM_MS)
    page.goto(f"{url}/demos/attention")
    page.keyboard.press("r")
    expect(page.locator("[data-run-slot] .badge")).to_contain_text("Live", timeout=WARM_MS)


def test_an_evening(page: Page, evening: House) -> None:
    page.goto(evening.url)
    study_three_and_undo_one(page)
    run_attention_from_a_card(page, evening.url)
    a_run_ends_at_its_deadline_and_the_next_is_served(page, evening.url)
    drill_with_a_fast_clock(page, evening.url)
    done = evening.start("check", "--replay")
    done.wait_for("Log")
    assert done.popen.wait(30) == 0
