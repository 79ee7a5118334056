"""Whether everybody can use a page as it stands: on a desk and on a phone, light and dark."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

DESK, PHONE = 1280, 360
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
AXE = """axe.run(document, {})
  .then(({{ violations }}) => violations.map(({{ id, nodes }}) => `${{id}}: ${{nodes[0].html}}`))"""


def out_of_reach(page: Page, where: str = "", *widths: int) -> list[str]:
    """What axe finds on the page, and whether it scrolls sideways; nothing is opened anew.

    A scheme changes nothing but colours, so in the dark only their contrast is new.
    """
    before = page.viewport_size
    page.evaluate(Axe().axe_script)
    wrong: list[str] = []
    for width in widths or (DESK, PHONE):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="light")
        found = page.evaluate(AXE.format("{ resultTypes: ['violations'] }"))
        if (wide := page.evaluate(SIDEWAYS)) > 0:
            found.append(f"scrolls sideways by {wide} px")
        page.emulate_media(color_scheme="dark")
        found += page.evaluate(AXE.format("{ runOnly: ['color-contrast'] }"))
        wrong += [f"{where or page.url}, {width} px: {fault}" for fault in found]
    page.emulate_media(color_scheme="light")
    if before:
        page.set_viewport_size(before)
    return wrong
