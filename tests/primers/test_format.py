"""A primer's text: its parts in order, and a sentence with file, line and fix for each mistake."""

import re

import pytest

from app.library.errors import DeckErrors
from app.primers.format import DemoBlocks, Heading, Picture, Prose, parse_primer
from tests.primers.conftest import PRIMER

PATH = "primers/04-mask.md"


def wrong(text: str, path: str = PATH) -> list[str]:
    with pytest.raises(DeckErrors) as found:
        parse_primer(text, path)
    return [str(error) for error in found.value.errors]


def test_parts_come_in_the_order_of_the_text() -> None:
    primer = parse_primer(PRIMER, PATH)
    assert [part.kind for part in primer.parts] == [
        "heading", "prose", "figure", "heading", "demo", "heading", "prose",
    ]  # fmt: skip
    assert [part.level for part in primer.parts if isinstance(part, Heading)] == [2, 2, 3]
    assert (primer.name, primer.title, primer.deck) == ("mask", "The causal mask", "test/mask")
    assert primer.ladder == ("what", "how", "why")
    assert "<math>" in primer.lead
    assert primer.minutes == 1


def test_a_figure_has_words_and_a_caption_with_formulas() -> None:
    (picture,) = parse_primer(PRIMER, PATH).figures
    assert (picture.name, picture.alt, picture.line) == ("mask", "A query and a key that it may not see.", 13)
    assert "<math>" in picture.caption


def test_a_demo_names_its_line_and_its_blocks() -> None:
    assert parse_primer(PRIMER, PATH).demos == (DemoBlocks("attention", ("causality", "weights"), 17),)


def test_prose_is_safe_html_and_code_is_highlighted() -> None:
    made = parse_primer(PRIMER.replace("Each token", "<script>x</script> Each token"), PATH)
    html = "".join(part.html for part in made.parts if isinstance(part, Prose))
    assert "&lt;script&gt;" in html
    assert '<pre class="code"' in html


def test_paragraphs_around_a_figure_stay_whole_and_in_order() -> None:
    body = "One.\n\n- a\n- b\n\n![x](figure:a)\n\nTwo,\nlong.\n\n## H\nThree."
    parts = parse_primer(PRIMER.partition("## The")[0] + body, PATH).parts
    assert [re.sub("<[^>]*>|\n", "", part.html) if isinstance(part, Prose) else part.kind for part in parts] == [
        "One.ab", "figure", "Two,long.", "heading", "Three.",
    ]  # fmt: skip


def test_words_are_those_that_are_read() -> None:
    text = PRIMER.partition("## The")[0] + 'One two.\n\n## Three\n\n![no](figure:x "four five")\n'
    assert parse_primer(text, PATH).words == 5


def test_two_headings_alike_have_anchors_of_their_own() -> None:
    text = PRIMER.partition("## The")[0] + "## Keys\n\na\n\n## Keys\n\nb\n"
    anchors = [part.anchor for part in parse_primer(text, PATH).parts if isinstance(part, Heading)]
    assert anchors == ["at-keys", "at-keys-2"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("---\nprimer", "primer", ":1: the front matter is missing"),
        ("title: The causal mask\n", "", ":1: the front matter has no title. Fix: add a line title: The"),
        ("title: The causal mask", "title:", ":3: the front matter has no title"),
        ("lead: One", "lede: One", ':5: "lede: One comparison'),
        ("deck: test/mask", "deck: test/mask\ndeck: x", ":5: deck: stands twice"),
        ("deck: test/mask", "deck: Test mask", ':4: the deck name "Test mask"'),
        ("ladder: what", "ladder: What", ':6: the id "What" has capital letters. Fix: write what.'),
        ("primer: mask", "primer: masks", ':2: the primer "masks" stands in a file called 04-mask.md'),
        ("3.2.3\n---\n", "3.2.3\n", ":1: the front matter is not closed"),
        ("## The idea", "# The idea", ':9: the heading "The idea" is of level 1. Fix: begin it with ##'),
        ("## The idea", "#### The idea", ":9: the heading"),
        ("$\\masked{-\\infty}$", "$\\foo$", ":11: the formula $\\foo$ does not render"),
        ("$j > i$", "$\\foo$", ":13: the formula"),
        ("$j \\le i$", "$j \\lee i$", ":5: the formula"),
        ("hides the rest", "[hides](cards/x)", ':11: the link to "cards/x" would not work in a primer'),
        ("![A query and a key that it may not see.]", "![]", ":13: the figure cannot be read"),
        ('"The key', "The key", ":13: the figure cannot be read"),
        ("![A query", "See ![A query", ":13: the figure cannot be read"),
        ("show: causality, weights", "", ":17: a demo needs two lines"),
        ("show: causality, weights", "show:", ":17: a demo needs two lines"),
        ("show: causality, weights", "show: causality\nn_q=4", ":17: a demo needs two lines"),
    ],
)
def test_each_mistake_is_one_sentence(old: str, new: str, told: str) -> None:
    assert old in PRIMER
    (first, *_) = [error for error in wrong(PRIMER.replace(old, new, 1)) if told in error] or [""]
    assert first.startswith(PATH)
    assert " Fix: " in first


def test_two_figures_need_a_blank_line_between_them() -> None:
    text = PRIMER.replace('$j > i$.")', '$j > i$.")\n![b](figure:b)')
    assert ":13: the figure cannot be read" in wrong(text)[0]


def test_every_mistake_is_told_at_once() -> None:
    assert (
        len(wrong(PRIMER.replace("title: ", "titel: ").replace("## The", "# The").replace("show", "see")))
        == 4
    )


def test_an_empty_file_and_one_without_text_are_told() -> None:
    assert "the front matter is missing" in wrong("")[0]
    assert "the primer has no text" in wrong(PRIMER.partition("## The")[0])[0]


def test_other_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    assert parse_primer("\ufeff" + PRIMER.replace("\n", "\r\n"), PATH) == parse_primer(PRIMER, PATH)


def test_a_picture_is_no_paragraph_of_prose() -> None:
    assert [part for part in parse_primer(PRIMER, PATH).parts if isinstance(part, Picture)]
