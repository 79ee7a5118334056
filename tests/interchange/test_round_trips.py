"""Whatever stands in a cell or in HTML: CSV gives back what it was given, and no text breaks a deck."""

import csv
import io
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.interchange import anki_notes, deck_text, delimited, guids, html_text, merging, table_rows
from app.interchange.anki_templates import filled, typed_field
from app.interchange.incoming import Incoming
from app.interchange.outgoing import Outgoing
from app.library.format import parse_deck
from app.library.render import formula_errors, plain, render

CELL = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | st.sampled_from(
    [
        '"',
        '""',
        "a\nb",
        "a\r\nb",
        "\t",
        ";",
        ",",
        "|",
        "🙂\u200d",
        "\ufeff",
        "#html:true",
        "é",
        "{{c1::x}}",
        "$x_{a}$",
    ]
)
LINES = [
    "Q: x",
    "A: y",
    "id: z",
    "```",
    "~~~",
    "- a",
    "---",
    "{{c1::",
    "}}",
    "{=n}",
    "$",
    "point p: x",
    "Id: x",
    "\\",
]
TEXT = CELL | st.lists(st.sampled_from(LINES), max_size=6).map("\n".join)
TAGS = re.findall(
    r"\S+",
    r"<b> </b> <div> </div> <br> <pre> </pre> <code> </code> <ul><li> </ul> <table><tr><td> </table> <script>"
    r" </script> <img/src=x> [sound:a.mp3] <a/href=https://e.org> </a> <sub> </sub> \( \) \[ \] [$] [/$] {{c1:: {{c2::"
    r" }} :: | \ % <blockquote> </blockquote> <h1> </h1> &lt; a * _ ` $ # 1. id: x_{i} 🙂",
)
HTML = st.lists(st.sampled_from([*TAGS, " ", "\n", "Q: ", "- "]), max_size=20).map("".join)
NAMES = ("guid", "id", "deck", "kind", "asks", "front", "back", "answer", "source", "demo", "level")


def note(**given: Any) -> Outgoing:
    empty = dict.fromkeys(NAMES, "")
    return Outgoing(**(empty | {"shape": "plain", "core": False, "tags": ()} | given))


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=5))
def test_csv_gives_back_every_cell_that_went_in(cells: list[tuple[str, str, str]]) -> None:
    text = delimited.written(
        [note(guid=f"g{front}", front=front, back=back, source=source) for front, back, source in cells]
    )
    rows = delimited.read("\ufeff" + text).rows
    assert [(r.cells["guid"][1:], r.cells["back"], r.cells["source"]) for r in rows] == cells


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=5), st.sampled_from(",;\t|"))
def test_any_divider_is_told_by_the_names_in_the_first_row(
    cells: list[tuple[str, str]], divider: str
) -> None:
    made = io.StringIO(newline="")
    out = csv.writer(made, delimiter=divider)
    out.writerows(
        [("GUID", "Question", "back"), *((f"g{at}", front, back) for at, (front, back) in enumerate(cells))]
    )
    rows = delimited.read(made.getvalue()).rows
    assert [(r.cells["front"], r.cells["back"]) for r in rows] == cells


@given(st.lists(CELL | st.just("注意" * 60), min_size=1, max_size=12))
def test_any_way_to_a_deck_becomes_a_name_a_title_and_a_file(way: list[str]) -> None:
    name, title = merging.deck_of(Incoming("g", "guid-i4", tuple(way), "question", "q", "a"))
    deck = parse_deck(deck_text.head(name, title) + "Q: q\nA: a\nid: i\n", "x")
    assert (deck.name, bool(deck.title)) == (name, True)
    assert len(merging.file_name(name).encode()) < 200
    assert "/" not in merging.file_name(name)


@given(CELL.filter(str.strip))
def test_a_guid_makes_one_id_that_a_deck_takes(guid: str) -> None:
    name = guids.note_id(guid)
    assert (
        parse_deck(f"---\ndeck: d\ntitle: t\n---\nQ: q\nA: a\nid: {name}-12\n", "x").notes[0].id
        == f"{name}-12"
    )
    if len(guid.encode()) <= 40 and "\x00" not in guid:
        assert guids.guid(name) == guid


@settings(max_examples=300)
@given(TEXT, TEXT, st.sampled_from(["question", "cloze", "typed", "reverse", "code", "number"]))
def test_no_text_breaks_a_deck(front: str, back: str, kind: str) -> None:
    """It becomes one card that says what came, or none, with a reason."""
    card = Incoming(
        "g", "guid-i4", ("d",), kind, front, back, answer=back.split("\n", maxsplit=1)[0], tags=("a b", "É")
    )
    text, why = deck_text.written(card)
    assert bool(text) != bool(why)
    if text:
        made = parse_deck(f"---\ndeck: d\ntitle: t\n---\n{text}\n\nQ: next\nA: a\nid: next\n", "x").notes
        assert [n.id for n in made] == ["guid-i4", "next"]
        assert deck_text.told(text) == deck_text.told(text + "\nlevel: IC4")


@settings(max_examples=500)
@given(HTML, st.booleans())
def test_any_html_becomes_a_card_or_is_named(html: str, gaps: bool) -> None:
    taken = html_text.markdown(html, gaps=gaps)
    assert "<script" not in render(taken.text)
    if taken.text and not gaps:
        assert not formula_errors(taken.text)
        text, why = deck_text.written(Incoming("g", "guid-i4", ("d",), "question", taken.text, taken.text))
        assert text, why


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Co", "Zs", "Zl", "Zp"]), min_size=1, max_size=40)
)
def test_text_in_html_reads_as_the_same_words(words: str) -> None:
    """Through HTML and Markdown, whatever signs it holds."""
    from html import escape

    if any(mark in words for mark in ("[sound:", "[latex]", "[$")):
        return
    assert plain(html_text.markdown(f"<p>{escape(words)}</p>").text) == " ".join(words.split())


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<br>b<br><br>c", "a\\\nb\n\nc"),
        ("<div>a</div><div>b</div>", "a\n\nb"),
        ("<b>a </b><i>b</i>", "**a** *b*"),
        ("<b>a<br>b</b>", "**a**\\\n**b**"),
        ("<b><div>a</div></b>", "a"),
        ("<ol><li>a<ul><li>b</ul><li>c</ol>", "1. a\n   - b\n2. c"),
        ("<code>a`b</code>", "``a`b``"),
        ("<pre>a\n```\n</pre>", "````\na\n```\n````"),
        ("<h2>T</h2>x", "## T\n\nx"),
        ("<blockquote>a<p>b</blockquote>", "> a\n>\n> b"),
        ("<table><tr><th>a<td>b|c<tr><td>d</table>", "| a | b\\|c |\n| --- | --- |\n| d |  |"),
        (r"[$]x[/$] [$$]y[/$$] [latex]$z$[/latex]", "$x$ $$y$$ $z$"),
        ('<anki-mathjax block="true">x</anki-mathjax><anki-mathjax>y</anki-mathjax>', "$$x$$$y$"),
        (r"\(\unknown\)", r"`\unknown`"),
        ("<a href='javascript:x()'>a</a> <a href='https://e.org/(b)'>b</a>", "a [b](https://e.org/%28b%29)"),
        ("H<sub>2</sub>O, 2<sup>n</sup>", "H\\_2O, 2^n"),
        ("# a<br>- b<br>1) c<br>=", "\\# a\\\n\\- b\\\n1\\) c\\\n\\="),
        ("$5 and &amp;lt; {=n} {{c1::x}}", "\\$5 and \\&lt; {\\=n} {\\{c1::x}}"),
        ("&nbsp;", ""),
    ],
)
def test_html_as_markdown(html: str, text: str) -> None:
    assert html_text.markdown(html).text == text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (r"{{c1::\(x_{a_{b} }\)::h}}", r"{{c1::$x_{a_{b} }$::h}}"),
        (r"\(a={{c2::b}}+{{c1::d}}\)", "{{c1::$a=b+d$}}"),
        ("<code>f({{c1::x}})</code>", "`f(`{{c1::`x`}}`)`"),
        ("<pre>a = {{c1::1}}\nb</pre>", "`a = `{{c1::`1`}}\\\n`b`"),
        ("{{c1::a {{c2::b}} c}}", "{{c1::a b c}}"),
        ("{{C1::a<br>b}}", "{{c1::a b}}"),
        ("<b>{{c1::a}}</b>", "**{{c1::a}}**"),
    ],
)
def test_gaps_in_html(html: str, text: str) -> None:
    assert html_text.markdown(html, gaps=True).text == text


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize(
    "opening",
    [
        r"\(",
        "[latex]",
        "<a ",
        '<a x="',
        "<!--",
        "<",
        "{{c1::",
        "{{c1::a::",
        "<ul><li>",
        "<table><tr><td>",
        "<b>",
    ],
)
def test_thousands_of_things_that_are_never_closed_are_read_at_once(opening: str, gaps: bool) -> None:
    """A parser that reads to the end for each of them takes minutes; this takes a tenth of a second."""
    began = time.process_time()
    html_text.markdown(opening * (anki_notes.LONGEST // len(opening)), gaps=gaps)
    assert time.process_time() - began < 10


def test_templates_are_filled_as_anki_does() -> None:
    fields = {"F": "x", "E": "  ", "B": "y"}
    assert (
        filled("{{#F}}a{{#E}}b{{/E}}{{^E}}c{{/E}}{{/F}}{{^F}}d{{/F}}{{text:B}}", fields, answer=False)
        == "acy"
    )
    assert filled("{{FrontSide}}<hr id=answer>{{hint:B}}<!-- {{F}} -->", fields, answer=True) == "y"
    assert filled("{{hint:B}}{{type:B}}{{tts en_US:F}}{{Nothing}}", fields, answer=False) == ""
    assert filled("{{#F}}open", fields, answer=False) == "open"
    assert filled("{{/F}}x", fields, answer=False) == "x"
    assert typed_field("{{F}} {{type:B}}") == "B"
    assert typed_field("{{type:cloze:B}}") is None


def test_anki_s_own_table_says_itself_what_its_columns_are() -> None:
    text = (
        "#separator:tab\n#html:true\n#guid column:1\n#notetype column:2\n#deck column:3\n#tags column:6\n"
        'a;b\tBasic\tML::Attention\t"Why \\(x\\)?<br>y"\t<b>Because</b>\tmask soft\n'
        "c\tCloze\tML\tThe {{c1::gap}}\tExtra\t\n"
    )
    made = table_rows.batch(delimited.read(text), "table").cards
    assert [(c.guid, c.kind, c.deck, c.front, c.back, c.tags) for c in made] == [
        ("a;b", "question", ("ML", "Attention"), "Why $x$?\\\ny", "**Because**", ("mask", "soft")),
        ("c", "cloze", ("ML",), "The {{c1::gap}}", "Extra", ()),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("guid;front\n", None),
        ("front,back\n1,2\n", "no column guid"),
        ("#separator:tab\n#columns:front\tback\na\tb\n", "no column guid"),
        ("#separator:nothing\nguid\n", "#separator:nothing is not known"),
        ('guid,front\n1,"a\n', "line 2 on"),
        (f"guid,front\n1,{'x' * 140_000}\n", "line 2 on"),
    ],
)
def test_a_table_that_cannot_be_read_says_why(text: str, sentence: str | None) -> None:
    if sentence is None:
        assert delimited.read(text).rows == ()
        return
    with pytest.raises(delimited.BadTable, match=sentence):
        delimited.read(text)


def test_rows_without_a_guid_or_a_front_are_named_and_the_rest_taken() -> None:
    made = table_rows.batch(delimited.read("guid,front,back\n,a,b\n1,,b\n2,c,d\n"), "table")
    assert [card.guid for card in made.cards] == ["2"]
    assert made.left.skipped == [("a", "line 2 has no guid"), ("line 3", "its front is empty")]
