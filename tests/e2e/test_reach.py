"""Every page, light and dark, on a phone and on a desk: axe finds nothing, and nothing scrolls sideways."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.house import House

pytestmark = pytest.mark.e2e

PATHS = (
    "/",
    "/study",
    "/drill",
    "/drill/pitch-90",
    "/demos",
    "/demos/attention",
    "/demos/flash?n_q=113&n_kv=203&d=80",
    "/demos/decode-alignment",
    "/demos/kv-cache",
    "/cards",
    "/cards?q=nothing-fits-this",
    "/cards/sqrt-dk",
    "/cards/causal-mask.1",
    "/cards/pitch-30",
    "/nowhere",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    browser: Browser, site: House, scheme: str, width: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    wrong = {}
    for path in PATHS:
        page.goto(site.url + path)
        found = [v["id"] for v in Axe().run(page).response["violations"]]
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if found or wide > 0:
            wrong[path] = (found, wide)
    context.close()
    assert wrong == {}


def test_twice_the_text_does_not_scroll_sideways(browser: Browser, site: House) -> None:
    """200 % zoom on a desk of 1280 px is a page of 640 px."""
    context = browser.new_context(viewport={"width": 640, "height": 400}, device_scale_factor=2)
    page = context.new_page()
    wide = {}
    for path in PATHS:
        page.goto(site.url + path)
        wide[path] = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
    context.close()
    assert {path: by for path, by in wide.items() if by > 0} == {}


def test_the_zone_of_the_browser_becomes_the_learners(browser: Browser, own_site: House) -> None:
    context = browser.new_context(timezone_id="Asia/Tokyo")
    page = context.new_page()
    with page.expect_response(lambda answer: answer.url.endswith("/zone")) as told:
        page.goto(own_site.url)
    assert told.value.status == 204
    context.close()
