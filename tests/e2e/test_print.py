"""All cards on one page: every formula renders and fits, on a phone, on a desk and on paper."""

import pytest
from playwright.sync_api import Page

from tests.e2e.reach import out_of_reach
from tests.house import House

pytestmark = pytest.mark.e2e

# What reaches out of its card. Within a formula of its own line nothing is looked at: on a screen it can be moved.
OUT = """() => [...document.querySelectorAll('.print-card')].flatMap((card) => {
  const box = card.getBoundingClientRect();
  return [...card.querySelectorAll('*')]
    .filter((e) => !e.closest('pre > *') && !e.parentElement.closest('math[display="block"]'))
    .filter((e) => e.getBoundingClientRect().width)
    .filter((e) => e.getBoundingClientRect().right > box.right + 1 || e.getBoundingClientRect().left < box.left - 1)
    .map((e) => [card.getAttribute('aria-label'), e.tagName, e.textContent.slice(0, 60)]);
})"""
SCROLLS = """() => [...document.querySelectorAll('.print-card :is(math[display="block"], pre, table)')]
  .filter((e) => e.scrollWidth > e.clientWidth + 1)
  .map((e) => [e.closest('.print-card').getAttribute('aria-label'), e.tagName])"""

# Cards with a formula that takes a line of its own, or most of one.
WIDE = """() => [...new Set([...document.querySelectorAll('.print-card math')]
  .filter((e) => e.getBoundingClientRect().width > 260)
  .map((e) => e.closest('.print-card').getAttribute('aria-label')))]"""
CUT_OFF = """() => [...document.querySelectorAll('main math[display="block"]')]
  .filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"""


@pytest.mark.parametrize(
    ("width", "media"), [(360, "screen"), (1280, "screen"), (703, "print")], ids=["phone", "desk", "paper"]
)
def test_every_card_fits_with_all_its_formulas(page: Page, site: House, width: int, media: str) -> None:
    page.emulate_media(media="print" if media == "print" else "screen")
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site.url}/cards/print")
    fonts = page.evaluate(
        "document.fonts.ready.then(f => [...f].filter(x => x.status == 'loaded').map(x => x.family))"
    )
    assert {name.strip('"') for name in fonts} >= {"Source Serif", "STIX Two Math", "JetBrains Mono"}
    assert page.locator(".print-card").count() > 200
    assert page.locator("math").count() > 200
    assert page.locator("merror, .m-source").count() == 0
    assert page.evaluate(OUT) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    if width > 360:
        assert page.evaluate(SCROLLS) == []


def test_what_is_wide_in_print_fits_where_it_is_studied_too(page: Page, site: House) -> None:
    """A card's own page has larger letters; the cards with the widest formulas are looked at there."""
    page.set_viewport_size({"width": 360, "height": 900})
    page.goto(f"{site.url}/cards/print")
    page.evaluate("document.fonts.ready")
    wide = page.evaluate(WIDE)
    assert 5 < len(wide) < 60
    out = {}
    for name in wide:
        page.goto(f"{site.url}/cards/{name}")
        page.evaluate("document.fonts.ready")
        if (width := page.evaluate("document.documentElement.scrollWidth")) > 360 or page.evaluate(CUT_OFF):
            out[name] = width
    assert out == {}


def test_everybody_can_read_it(page: Page, site: House) -> None:
    page.goto(f"{site.url}/cards/print?deck=attention/mask")
    assert out_of_reach(page) == []


def test_the_list_leads_to_it_and_back_with_its_filters(page: Page, site: House) -> None:
    page.goto(f"{site.url}/cards?deck=attention/mask&level=IC5")
    page.get_by_role("link", name="Print them, both sides").click()
    assert page.get_by_label("Deck", exact=True).input_value() == "attention/mask"
    page.get_by_label("Which", exact=True).select_option("yes")
    page.get_by_role("button", name="Show").click()
    assert "core=yes" in page.url
    page.get_by_role("link", name="Back to the list").click()
    assert "level=IC5" in page.url


def test_a_card_is_not_torn_by_the_end_of_a_page(page: Page, site: House) -> None:
    page.emulate_media(media="print")
    page.goto(f"{site.url}/cards/print?deck=attention/mask")
    breaks = page.locator(".print-card").first.evaluate("e => getComputedStyle(e).breakInside")
    assert breaks == "avoid"
    assert page.get_by_role("button", name="Show").is_hidden()
