"""A figure may hold shapes, text and what they need, and nothing else; its ids are its own on any page."""

import pytest

from app.library.errors import DeckErrors
from app.primers.figures import Figure, read_figure
from tests.primers.conftest import SVG

PATH = "figures/mask.svg"


def figure(text: str, name: str = "mask") -> Figure:
    return read_figure(text, name, PATH)


def wrong(text: str, name: str = "mask") -> str:
    with pytest.raises(DeckErrors) as found:
        figure(text, name)
    return str(found.value)


def test_it_is_what_the_page_draws_within_its_own_frame() -> None:
    made = figure(SVG)
    assert made.title == "A causal mask"
    assert made.view_box == "0 0 360 90"
    assert "<svg" not in made.inner
    assert "q &lt; k" in made.inner


def test_every_id_and_all_that_points_at_it_bears_the_figures_name() -> None:
    inner = figure(SVG).inner
    assert 'id="fig-mask--mask-tip"' in inner
    assert 'marker-end="url(#fig-mask--mask-tip)"' in inner
    assert f'id="{figure(SVG).about}"' in inner
    assert "fig-other--mask-tip" in figure(SVG, "other").inner


def test_what_is_masked_is_hatched() -> None:
    inner = figure(SVG).inner
    assert inner.count('id="fig-mask--hatch"') == 1
    assert 'class="f-masked" x="120" y="20" width="60" height="30" fill="url(#fig-mask--hatch)"' in inner
    assert "hatch" not in figure(SVG.replace("f-masked", "f-box")).inner


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("<defs>", "<script>x</script><defs>", "<script> may not stand in a figure"),
        ("<defs>", "<style>x{}</style><defs>", "<style> may not stand"),
        ("<defs>", "<foreignObject/><defs>", "<foreignObject> may not stand"),
        ("<defs>", "<image href='x.png'/><defs>", "<image> may not stand"),
        ("<defs>", "<a href='x'>b</a><defs>", "<a> may not stand"),
        ("<defs>", "<svg/><defs>", "<svg> may not stand"),
        ('x="20" y="20"', 'style="fill:red" x="20" y="20"', "the attribute style may not stand in a figure"),
        ('x="20" y="20"', 'fill="#fff" x="20" y="20"', "the attribute fill may not stand"),
        ('x="20" y="20"', 'onclick="x" x="20" y="20"', "the attribute onclick may not stand"),
        ('x="20" y="20"', 'class="big" x="20" y="20"', "duplicate attribute"),
        ('class="f-arrow"', 'class="f-arrow big"', "the class big is not known"),
        ("<defs>", "<use href='https://a.test/#x'/><defs>", "leads out of the figure"),
        ("<defs>", "<use href='#nowhere'/><defs>", 'no thing here has the id "nowhere"'),
        ("<defs>", "<use xlink:href='#mask-tip'/><defs>", "the attribute xlink:href may not"),
        ("url(#mask-tip)", "url(http://a.test/#mask-tip)", "leads out of the figure"),
        ("url(#mask-tip)", "mask-tip", "leads out of the figure"),
        ("url(#mask-tip)", "url(#tip)", 'no thing here has the id "tip"'),
        ('id="mask-desc"', 'id="mask-title"', 'the id "mask-title" stands twice'),
        ('id="mask-desc"', 'id="a b"', 'the id "a b" is no plain name'),
        ('viewBox="0 0 360 90"', 'viewBox="0 0 640 90"', 'the viewBox is "0 0 640 90"'),
        ('viewBox="0 0 360 90"', "", "write viewBox="),
        ('viewBox="0 0 360 90"', 'viewBox="0 0 360 -90"', "write viewBox="),
        ('viewBox="0 0 360 90"', 'viewBox="0 0 360 --"', "write viewBox="),
        ('viewBox="0 0 360 90"', 'viewBox="0 0 360 90000"', "write viewBox="),
        ("A causal mask</title>", "</title>", "the figure has no <title>"),
        (
            '<desc id="mask-desc">A query beside a key that it may not see.</desc>',
            "",
            "the figure has no <desc>",
        ),
        ("<defs>", "stray<defs>", 'the text "stray" stands outside of <text>'),
        ("</svg>", "", "the SVG does not parse: no element found"),
        ("<svg", "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg", "a figure has no DOCTYPE"),
        ("q &lt; k", "&nbsp;", "the SVG does not parse: undefined entity"),
        ("<svg", '<svg onload="x"', "the attribute onload may not"),
    ],
)
def test_nothing_else_may_stand_in_it(old: str, new: str, told: str) -> None:
    assert old in SVG
    said = wrong(SVG.replace(old, new, 1))
    assert told in said
    assert said.startswith(f"{PATH}:")
    assert " Fix: " in said


def test_it_is_small_enough_to_be_part_of_a_page() -> None:
    assert "characters. Fix: draw it with at most 100,000." in wrong(
        SVG.replace("<defs>", "<g></g>" * 20_000 + "<defs>")
    )


def test_the_line_is_named() -> None:
    assert wrong(SVG.replace('class="f-arrow"', 'class="x"')).startswith(f"{PATH}:8: ")


def test_its_name_is_a_plain_one() -> None:
    assert "is not a plain one" in wrong(SVG, "a--b")
    assert "is not a plain one" in wrong(SVG, "Mask")


def test_the_namespace_of_svg_may_be_named() -> None:
    assert figure(SVG.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"')).inner == figure(SVG).inner
    assert "xmlns is not that of SVG" in wrong(SVG.replace("<svg", '<svg xmlns="http://a.test"'))
