"""Primers in a browser: read at any width, light and dark, without scripts, by keys; figures that can be read."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from app.settings import ROOT
from tests.e2e.test_look import CONTRAST
from tests.house import House

pytestmark = pytest.mark.e2e

NAMES = [path.stem.split("-", 1)[1] for path in sorted((ROOT / "content" / "primers").glob("*.md"))]
PATHS = ["/primers", *(f"/primers/{name}" for name in NAMES)]

# Texts that reach out of their figure, and pairs of texts of which one covers the other.
CROWDED = """() => [...document.querySelectorAll('.drawing svg')].flatMap((svg) => {
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll('text')].map((e) => [e.textContent, e.getBoundingClientRect()]);
  const out = texts.filter(([, r]) => r.left < frame.left - 1 || r.right > frame.right + 1
    || r.top < frame.top - 1 || r.bottom > frame.bottom + 1).map(([text]) => [text, 'reaches out']);
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.35 * Math.min(a.height, b.height);
  const pairs = texts.flatMap(([text, r], i) => texts.slice(i + 1).filter(([, other]) => over(r, other))
    .map(([other]) => [text, other]));
  return [...out, ...pairs];
})"""

# Formulas of a line of their own that are wider than their place: a phone would show their first half as the whole.
CUT_OFF = """() => [...document.querySelectorAll('.prose math[display="block"]')]
  .filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"""

# Tables that are shown as long lists of labels and values, as on a phone.
LISTS = """() => [...document.querySelectorAll('.rows table')]
  .filter((e) => e.checkVisibility() && getComputedStyle(e.tHead).display == 'none').map((e) => e.textContent)"""

# The contrast of each kind of text on each kind of shape that it may stand on.
ON_SHAPES = (
    CONTRAST.partition("const found")[0]
    + """
  const figure = document.querySelector('.drawing svg');
  const made = (tag, name) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    e.setAttribute('class', name);
    figure.append(e);
    return light(getComputedStyle(e).fill);
  };
  const pairs = [['f-q', 'f-query'], ['f-k', 'f-key'], ['f-v', 'f-value'], ['f-m', 'f-hatch-under']];
  for (const text of ['f-text', 'f-small', 'f-q', 'f-k', 'f-v', 'f-m'])
    for (const shape of ['f-box', 'f-wash']) pairs.push([text, shape]);
  for (const shape of ['f-query', 'f-key', 'f-value']) pairs.push(['f-text', shape]);
  return Object.fromEntries(pairs.map(([text, shape]) => {
    const [a, b] = [made('text', text), made('rect', shape)].sort((x, y) => y - x);
    return [`${text} on ${shape}`, (a + 0.05) / (b + 0.05)];
  }));
}"""
)


@pytest.fixture(params=[("light", 360), ("dark", 1280)], ids=["phone", "desk"])
def reader(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A phone in light and a desk in dark colours; the two other pairs differ from these by one of both."""
    scheme, width = request.param
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_nothing_and_nothing_scrolls_sideways(site: House, reader: Page, path: str) -> None:
    reader.goto(site.url + path)
    reader.evaluate("document.fonts.ready")
    found = Axe().run(reader)
    assert found.response["violations"] == [], found.generate_report()
    assert reader.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0
    assert reader.locator("merror, .m-source").count() == 0
    assert reader.evaluate(CROWDED) == []
    assert reader.evaluate(CUT_OFF) == []
    assert reader.evaluate(LISTS) == [] or reader.evaluate("innerWidth") == 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_of_a_figure_can_be_read_on_what_it_stands_on(
    page: Page, site: House, scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(f"{site.url}/primers/mask")
    ratios = page.evaluate(ON_SHAPES)
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < 4.5} == {}


def test_a_figure_is_at_most_560_pixels_wide_and_its_hatching_is_there(page: Page, site: House) -> None:
    page.goto(f"{site.url}/primers/mask")
    drawing = page.locator(".drawing svg").first
    box = drawing.bounding_box()
    assert box is not None
    assert 540 <= box["width"] <= 560
    masked = drawing.locator(".f-masked").first
    pattern = masked.evaluate(
        'e => document.querySelector(getComputedStyle(e).fill.match(/#[^\\")]+/)[0]).tagName'
    )
    assert pattern == "pattern"


def test_without_scripts_all_of_it_is_there(browser: Browser, site: House) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site.url}/primers/mask")
    expect(page.locator(".drawing svg")).not_to_have_count(0)
    expect(page.locator(".panel-demo table:visible").first).to_be_visible()
    page.get_by_role("link", name="Run it").first.click()
    page.wait_for_url("**/demos/*")
    context.close()


def test_keys_lead_to_it_and_on(page: Page, site: House) -> None:
    page.goto(site.url)
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/primers")
    page.keyboard.press("?")
    expect(page.locator("#keys dl")).to_contain_text("Read")
    page.keyboard.press("Escape")
    page.locator(".item-main", has_text="The causal mask").click()
    page.wait_for_url("**/primers/mask")
    page.keyboard.press("s")
    page.wait_for_url("**/study?deck=attention%2Fmask")


def test_all_rooms_can_be_reached_on_the_smallest_phone(page: Page, site: House) -> None:
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(f"{site.url}/primers")
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    for room in page.get_by_role("navigation", name="Rooms").get_by_role("link").all():
        box = room.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320.5
        assert box["height"] >= 44
        assert room.evaluate("e => e.scrollWidth <= e.clientWidth + 1")


@pytest.mark.parametrize("name", NAMES)
def test_on_paper_nothing_is_cut_off(page: Page, site: House, name: str) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 without its margins
    page.goto(f"{site.url}/primers/{name}")
    assert page.evaluate("getComputedStyle(document.querySelector('.lead')).color") == "rgb(97, 93, 85)"
    page.evaluate("document.fonts.ready")
    wide = "[...document.querySelectorAll('.prose *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
    assert page.evaluate(f"{wide}.map(e => e.textContent)") == []
    assert page.evaluate(LISTS) == []
    assert page.locator(".turn").is_hidden()
    margin = "14mm"
    paper = page.pdf(format="A4", margin={"top": margin, "bottom": margin, "left": margin, "right": margin})
    assert len(re.findall(rb"/Type\s*/Page\b", paper)) <= 4


@pytest.mark.parametrize("path", PATHS)
def test_a_first_visit_is_light_fonts_included(browser: Browser, site: House, path: str) -> None:
    """All that comes over the wire for somebody who was never here: fonts that a style sheet names are no link's."""
    context = browser.new_context()
    page = context.new_page()
    wire = context.new_cdp_session(page)
    came: list[float] = []
    wire.on("Network.loadingFinished", lambda event: came.append(event["encodedDataLength"]))
    wire.send("Network.enable")
    page.goto(site.url + path)
    page.evaluate("document.fonts.ready")
    context.close()
    assert 0 < sum(came) < 200_000
