"""How the gallery's pages look: contrast, axe, width, targets, formulas, fonts that come late."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route

pytestmark = pytest.mark.e2e


CONTRAST = """() => {
  const dot = Object.assign(document.createElement('canvas'), {width: 1, height: 1});
  const pen = dot.getContext('2d', {willReadFrequently: true});
  const light = (colour) => {
    pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((c) => c / 255)
      .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const found = {};
  for (const tint of ['', 'tint-q', 'tint-k', 'tint-v']) for (let i = 0; i <= 10; i++) {
    const box = document.createElement('div');
    box.className = `matrix ${tint}`;
    box.innerHTML = `<span class="lv${i}">0</span>`;
    document.querySelector('.block').append(box);
    const {color, backgroundColor} = getComputedStyle(box.firstChild);
    const [a, b] = [light(color), light(backgroundColor)].sort((x, y) => y - x);
    found[`${tint} ${i}`] = (a + 0.05) / (b + 0.05);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_shade_of_every_matrix_keeps_its_number_readable(page: Page, gallery: str, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{gallery}/blocks")
    ratios = page.evaluate(CONTRAST)
    assert len(ratios) == 44
    assert {k: round(v, 2) for k, v in ratios.items() if v < 4.5} == {}


@pytest.mark.parametrize("name", ["blocks", "study", "parts"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(
    page: Page, gallery: str, name: str, scheme: Any, width: int
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{gallery}/{name}")
    found = Axe().run(page)
    assert found.response["violations"] == [], found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("name", ["blocks", "study", "parts"])
def test_a_page_still_fits_at_320_pixels(page: Page, gallery: str, name: str) -> None:
    """1280 px at 400 % zoom, WCAG 1.4.10."""
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{gallery}/{name}")
    assert page.evaluate("document.documentElement.scrollWidth") == 320


TARGETS = """() => [...document.querySelectorAll('a, button, input:not([type=hidden]), select, summary')]
  .filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.closest('.skip, p, .prose'))
  .map((e) => [e.outerHTML.slice(0, 80), (e.closest('label') ?? e).getBoundingClientRect().height])
  .filter(([, height]) => height < 43.9)"""


@pytest.mark.parametrize("name", ["blocks", "study", "parts"])
def test_targets_are_44_pixels_high(page: Page, gallery: str, name: str) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{gallery}/{name}")
    assert page.evaluate(TARGETS) == []


def test_grades_stay_in_sight_on_a_phone_above_the_rooms(page: Page, gallery: str) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(f"{gallery}/study")
    good = page.get_by_role("button", name="Good").bounding_box()
    rooms = page.get_by_role("navigation", name="Rooms").bounding_box()
    assert good is not None
    assert rooms is not None
    assert good["y"] + good["height"] <= rooms["y"] <= 640
    assert rooms["y"] + rooms["height"] == pytest.approx(640, abs=1)


def test_brackets_stretch_and_a_root_leaves_no_gap(page: Page, gallery: str) -> None:
    page.goto(f"{gallery}/study")
    page.evaluate("document.fonts.ready")
    heights = page.evaluate(
        "[...document.querySelectorAll('math[display] mo')].map(e => e.getBoundingClientRect().height)"
    )
    line = page.evaluate("document.querySelector('math[display] mi').getBoundingClientRect().height")
    assert min(heights) > 1.8 * line
    root, inside = page.evaluate(
        "['msqrt', 'msub'].map(t => document.querySelector('.question ' + t).getBoundingClientRect())"
    )
    assert root["right"] - inside["right"] < 2


def test_late_fonts_move_nothing(page: Page, gallery: str) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/*.woff2", hold)
    page.add_init_script(
        "window.shift = 0; new PerformanceObserver(list => { for (const e of list.getEntries()) shift += e.value })"
        ".observe({type: 'layout-shift', buffered: true})"
    )
    page.goto(f"{gallery}/parts", wait_until="domcontentloaded")
    page.wait_for_function("document.body.getBoundingClientRect().height > 0")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert held
    for route in held:
        route.continue_()
    page.evaluate("document.fonts.ready")
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("shift") < 0.02
