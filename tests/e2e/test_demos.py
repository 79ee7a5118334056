"""Running demos in a real browser: the page stays, the address becomes the link, and nothing typed is lost."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from kernels.recorded import write
from kernels.run import run
from tests.house import ROOT, House, house

pytestmark = pytest.mark.e2e

SLOT = "[data-run-slot]"
RECORDED = "kv-cache?model=llama-3-8b&tokens=8192"
LONG = "attention?example=random&n_q=1024&n_kv=1024&h_q=8&h_kv=8&d_k=64"
PATIENCE_MS = 60_000  # a busy machine's first run


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shipped decks, and records of two demos."""
    made = tmp_path_factory.mktemp("content")
    shutil.copytree(ROOT / "content" / "decks", made / "decks")
    for name, params in (("kv-cache", {"model": "llama-3-8b", "tokens": 8192}), ("attention", {})):
        write(made / "recorded", run(name, params))
    return made


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory, content: Path) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("working") / "data", worker=True, content=str(content)) as made:
        yield made


def test_a_run_stays_on_its_page_and_its_address_is_the_link(page: Page, working: House) -> None:
    page.goto(f"{working.url}/demos/attention")
    page.get_by_label("Causal mask").uncheck()
    page.keyboard.press("r")
    expect(page.locator(f"{SLOT} .badge")).to_contain_text("Live", timeout=PATIENCE_MS)
    expect(page.locator("#live")).to_have_text("Done.")
    assert page.url == f"{working.url}/demos/attention?causal=false"
    assert Axe().run(page).response["violations"] == []
    page.reload()
    expect(page.locator(f"{SLOT} .badge")).to_be_visible()
    expect(page.get_by_label("Causal mask")).not_to_be_checked()
    expect(page.locator(f"{SLOT} time")).to_be_visible()


def test_a_record_is_shown_until_the_live_result_takes_its_place(page: Page, working: House) -> None:
    page.goto(f"{working.url}/demos/{RECORDED}")
    expect(page.locator(f"{SLOT} .badge")).to_contain_text("Recorded")
    page.keyboard.press("r")
    expect(page.locator(f"{SLOT} .badge")).to_contain_text("Live", timeout=PATIENCE_MS)
    page.reload()
    page.get_by_role("link", name="Recorded on").click()
    expect(page.locator(f"{SLOT} .badge")).to_contain_text("Recorded")
    page.get_by_role("link", name="Compare the result above with").first.click()
    expect(page.locator(".beside").first).to_be_visible()
    assert Axe().run(page).response["violations"] == []


def test_a_card_draws_the_blocks_of_its_claims_and_fetches_the_others(page: Page, working: House) -> None:
    page.goto(f"{working.url}/study")
    page.keyboard.press("Space")
    blocks = page.locator(".aside [data-block]")
    expect(blocks).to_have_count(1)
    expect(blocks).to_have_attribute("data-block", "weights")
    page.locator("more-blocks summary").click()
    expect(page.locator(".aside [data-block=shapes]")).to_be_visible()
    page.keyboard.press("r")
    expect(page.locator(".aside .badge")).to_contain_text("Live", timeout=PATIENCE_MS)
    expect(blocks).to_have_count(1)
    assert Axe().run(page).response["violations"] == []


def test_the_catalogue_narrows_while_one_types_and_enter_gives_it_an_address(
    page: Page, working: House
) -> None:
    page.goto(f"{working.url}/demos")
    page.keyboard.press("/")
    page.keyboard.type("KV bytes")
    shown = page.locator("[data-words]:visible")
    expect(shown.first).to_contain_text("What the KV cache costs")
    narrowed = shown.all_inner_texts()
    page.keyboard.press("Enter")
    page.wait_for_url("**/demos?q=KV+bytes")
    assert page.locator("[data-words]").all_inner_texts() == narrowed
    page.get_by_label("Find a demo").fill("no such demo")
    expect(page.get_by_text("No demo holds all these words")).to_be_visible()


def test_a_new_seed_is_drawn_shown_and_part_of_the_link(page: Page, working: House) -> None:
    page.goto(f"{working.url}/demos/attention?example=random")
    page.get_by_role("button", name="New seed").click()
    expect(page.locator(f"{SLOT} .badge")).to_contain_text("Live", timeout=PATIENCE_MS)
    seed = page.get_by_label("Seed").input_value()
    assert seed != "0"
    assert f"seed={seed}" in page.url


def test_a_run_shows_how_far_it_is_and_can_be_cancelled(page: Page, working: House) -> None:
    page.goto(f"{working.url}/demos/{LONG}")
    page.keyboard.press("r")
    expect(page.locator("demo-run progress")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(f"{SLOT} .notice")).to_contain_text("Cancelled", timeout=PATIENCE_MS)
    page.locator(SLOT).get_by_role("button", name="Run it again").click()
    expect(page.locator(f"{SLOT} .badge")).to_contain_text("Live", timeout=PATIENCE_MS)


def test_a_wrong_parameter_is_told_at_its_field_which_keeps_what_was_typed(
    browser: Browser, working: House
) -> None:
    page = browser.new_page()  # Chromium logs the 422 as an error, so not the fixture that counts those
    page.goto(f"{working.url}/demos/attention")
    page.get_by_label("Queries").fill("many")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    page.get_by_role("button", name="Run").click()
    field = page.get_by_label("Queries")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_value("many")
    expect(page.locator("#n_q-error")).to_contain_text("n_q must be a whole number")
    expect(page.locator("[data-faults]")).to_be_focused()
    assert [url for url in asked if url.endswith("/runs")] == [f"{working.url}/api/v1/runs"]
    page.get_by_role("link", name="Change Queries").click()
    expect(field).to_be_focused()
    expect(field).to_have_value("many")
    field.fill("4")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(f"{SLOT} .badge")).to_contain_text("Live", timeout=PATIENCE_MS)
    expect(page.locator("[data-faults], .field .error, [aria-invalid]")).to_have_count(0)
    page.close()


def test_without_scripts_what_is_wrong_has_the_focus_and_leads_to_its_field(
    browser: Browser, working: House
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{working.url}/demos/attention")
    page.get_by_label("Queries").fill("many")
    page.get_by_role("button", name="Run").click()
    expect(page.locator("[data-faults]")).to_be_in_viewport()
    expect(page.locator("[data-faults]")).to_be_focused()
    page.get_by_role("link", name="Change Queries").click()
    expect(page.get_by_label("Queries")).to_be_focused()
    context.close()


def test_on_a_phone_a_run_brings_its_result_into_view(browser: Browser, working: House) -> None:
    page = browser.new_page(viewport={"width": 360, "height": 780})
    page.goto(f"{working.url}/demos/attention")
    page.get_by_role("button", name="Run").click()
    expect(page.locator(f"{SLOT} .badge")).to_be_in_viewport(timeout=PATIENCE_MS)
    page.close()


def test_back_shows_the_parameters_of_the_run_before(page: Page, working: House) -> None:
    page.goto(f"{working.url}/demos/mask-buffer")
    for layers in ("8", "16"):
        page.get_by_label("Layers").fill(layers)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**layers={layers}")
        expect(page.locator(f"{SLOT} .badge")).to_contain_text("Live", timeout=PATIENCE_MS)
    page.go_back()
    page.wait_for_url("**layers=8")
    expect(page.get_by_label("Layers")).to_have_value("8")
    expect(page.locator(f"{SLOT} .badge")).to_be_visible()
    expect(page.get_by_role("link", name="Permanent link")).to_have_attribute(
        "href", "/demos/mask-buffer?layers=8"
    )


def test_a_link_to_a_place_on_the_page_loads_nothing_anew(page: Page, working: House) -> None:
    """Such a link pops a state, too, which once loaded the page anew: what was typed was lost."""
    page.goto(f"{working.url}/demos")
    page.evaluate("window.same = true")
    page.locator(".topic-links a").last.click()
    page.wait_for_url("**/demos#*")
    expect(page.locator(".topic").last).to_be_in_viewport()
    assert page.evaluate("window.same")


@pytest.mark.parametrize("cut", ["**/fragment", "**/api/v1/runs"])
def test_a_run_whose_answer_got_lost_is_not_run_twice(browser: Browser, own_site: House, cut: str) -> None:
    page = browser.new_page()  # the cut request is logged as an error
    page.goto(f"{own_site.url}/demos/kv-cache")
    # The request arrives, its answer does not.
    page.route(cut, lambda route: (route.fetch(), route.abort()))
    page.get_by_role("button", name="Run", exact=False).click()
    page.wait_for_url("**/runs/*")
    with sqlite3.connect(own_site.data / "aloud.db") as conn:
        assert conn.execute("SELECT count(*) FROM job").fetchone() == (1,)
    conn.close()
    page.close()


def test_each_press_of_run_is_a_run_of_its_own(page: Page, own_site: House) -> None:
    page.goto(f"{own_site.url}/demos/kv-cache")
    shown = []
    for _ in range(2):
        page.keyboard.press("r")
        expect(page.locator(SLOT)).to_have_attribute("aria-busy", "false")
        shown.append(page.locator("demo-run").get_attribute("data-events"))
    assert shown[0] != shown[1]


def test_without_scripts_a_run_is_a_page_that_is_reloaded(browser: Browser, working: House) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{working.url}/demos/kv-cache")
    page.get_by_role("button", name="Run").click()
    assert "/runs/" in page.url
    for _ in range(100):
        if page.locator(".badge").count():
            break
        page.reload()
    expect(page.locator(".badge")).to_contain_text("calculated")
    context.close()


def test_who_goes_on_while_a_card_still_runs_is_not_called_back(page: Page, working: House) -> None:
    page.goto(f"{working.url}/study")
    page.keyboard.press("Space")
    expect(page.locator(".aside")).to_be_visible()
    page.keyboard.press("r")
    page.keyboard.press("3")
    expect(page.locator(".reveal")).to_be_visible()
    expect(page.locator(".aside")).to_have_count(0)
    expect(page.locator(".question")).to_be_focused()


def test_too_many_runs_are_refused_in_place(browser: Browser, own_site: House) -> None:
    page = browser.new_page()  # the 429 is logged as an error, too
    page.goto(f"{own_site.url}/demos/kv-cache")
    for _ in range(4):
        page.keyboard.press("r")
        expect(page.locator("demo-run")).to_contain_text("aloud worker")
        page.reload()
    page.keyboard.press("r")
    expect(page.locator(f"{SLOT} [role=alert]")).to_contain_text("You have 4 runs open")
    page.close()
