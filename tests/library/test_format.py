"""The card format: what a deck file says, and what it is told where it cannot be read."""

import unicodedata
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library.format import DeckErrors, Note, cards_of, decode, parse_deck
from app.library.notes import Stage

HEAD = "---\ndeck: attention/core\ntitle: Attention, from the formula\n---\n"
CASE = HEAD + "S: s\ntime: 120\n"
DECK = (
    HEAD
    + r"""Q: Why divide by $\sqrt{d_k}$?
A: Independent unit-variance entries give a dot product of variance $d_k$.

Without it the softmax saturates.
id: sqrt-dk
level: IC4
core: yes
tags: scaling, Softmax 🔥
demo: scaling d_k=64 n_kv=16
expect: entropy-raw.got < 0.7
expect: entropy-scaled.got > 2
source: Vaswani 2017, section 3.2.1, footnote 4
next: causal-mask
was: root-dk

C: The mask sets {{c1::future}} scores to {{c2::$-\infty$}} before the softmax.
id: causal-mask

S: Give the 90-second pitch for self-attention.
time: 90
point p1: Divides by root d_k, and says why
  hear: root d k | square root of the head dimension
  doubt: divide by d k | root of d model
point p2: Names the mask
id: pitch

Q: How much KV cache does a token take?
kind: number
answer: 320 KiB
tolerance: 1 %
id: kv-token
"""
)


def note(body: str) -> Note:
    """The only note of a deck."""
    (only,) = parse_deck(HEAD + dedent(body).lstrip("\n"), "content/x.md").notes
    return only


def complaints(text: str) -> list[str]:
    with pytest.raises(DeckErrors) as caught:
        parse_deck(text, "x.md")
    return [str(error) for error in caught.value.errors]


def test_reads_every_field() -> None:
    deck = parse_deck(DECK, "content/attention.md")
    question, gap, pitch, number = deck.notes
    assert (deck.name, deck.title, deck.path) == (
        "attention/core",
        "Attention, from the formula",
        "content/attention.md",
    )
    assert question.answer.endswith("$d_k$.\n\nWithout it the softmax saturates.")
    assert (question.kind, question.level, question.core, question.line) == ("question", "IC4", True, 5)
    assert question.tags == ("scaling", "softmax", "🔥")
    assert question.demo == "scaling d_k=64 n_kv=16"
    assert question.expects == ("entropy-raw.got < 0.7", "entropy-scaled.got > 2")
    assert question.line_of("expect", 1) == 15
    assert (question.next, question.was) == (("causal-mask",), ("root-dk",))
    assert (gap.kind, gap.level, gap.core, gap.demo) == ("cloze", None, False, None)
    assert (pitch.kind, pitch.time_s) == ("spoken", 90)
    assert pitch.points[0].hear == ("root d k", "square root of the head dimension")
    assert pitch.points[0].doubt == ("divide by d k", "root of d model")
    assert (pitch.points[1].id, pitch.points[1].text, pitch.points[1].hear) == ("p2", "Names the mask", ())
    assert number.answer_value is not None
    assert (number.answer_value.value, number.answer_value.unit) == (320, "KiB")
    assert number.tolerance is not None
    assert (number.tolerance.value, number.tolerance.percent) == (1, True)


def test_a_case_has_stages_that_share_its_time_and_its_points() -> None:
    text = CASE + "stage estimate: 0.5\npoint kv: a\n hear: b\nstage deep dive: 1.5\npoint p: c\nid: x\n"
    (case,) = parse_deck(text, "x.md").notes
    assert case.stages == (Stage("estimate", 30), Stage("deep dive", 90))
    assert [(point.id, point.stage) for point in case.points] == [("kv", "estimate"), ("p", "deep dive")]
    (face,) = cards_of(case)
    assert face.back_md == "**Estimate**\n\n- a\n\n**Deep dive**\n\n- c"
    (other,) = parse_deck(
        text.replace("stage estimate: 0.5\n", "").replace("1.5", "2").replace("point kv: a\n hear: b\n", ""),
        "x.md",
    ).notes
    assert other.content_hash != case.content_hash


def test_a_stage_line_is_a_field_only_with_a_colon_and_at_the_start() -> None:
    (note,) = parse_deck(HEAD + "Q: q\nA: a\n stage two: the middle\nstage by stage\nid: x\n", "x.md").notes
    assert note.answer == "a\n stage two: the middle\nstage by stage"


def test_a_deck_demo_serves_the_cards_that_name_none() -> None:
    head = HEAD.replace("title:", "demo: attention n_q=4\ntitle:")
    deck = parse_deck(head + "Q: a\nA: b\nid: x\n\nQ: a\nA: b\nid: y\ndemo: flash\n", "x.md")
    assert [n.demo for n in deck.notes] == ["attention n_q=4", "flash"]


def test_cards_of_each_kind() -> None:
    faces = [face for n in parse_deck(DECK, "x.md").notes for face in cards_of(n)]
    assert [(face.id, face.ord) for face in faces] == [
        ("sqrt-dk", 0),
        ("causal-mask.1", 1),
        ("causal-mask.2", 2),
        ("pitch", 0),
        ("kv-token", 0),
    ]
    assert faces[1].front_md == r"The mask sets {{?}} scores to $-\infty$ before the softmax."
    assert faces[1].back_md == r"The mask sets {{=future}} scores to $-\infty$ before the softmax."
    assert faces[2].front_md == "The mask sets future scores to {{?}} before the softmax."
    assert faces[3].back_md.startswith("- Divides by root d_k")
    assert faces[4].back_md == "**320 KiB**"


def test_a_reverse_note_is_two_cards() -> None:
    there, back = cards_of(note("Q: a\nA: b\nkind: reverse\nid: ab"))
    assert (there.id, there.front_md, there.back_md) == ("ab", "a", "b")
    assert (back.id, back.front_md, back.back_md, back.ord) == ("ab.r", "b", "a", 1)


@pytest.mark.parametrize(
    "body",
    [
        "kind: typed\nanswer: scaled_dot_product_attention",
        "kind: estimate\nanswer: 2 * n_kv * d_k\nparams: n_kv=1024..8192 d_k=64|128\ntolerance: 20 %",
        "kind: predict\nA: It leaks.",
        "kind: spot\nA: The mask is bottom-right.\nright: One.\nright: Two.\nwrong: The mask is top-left.",
        "kind: code\nA: ```python\nx = 1\n```",
    ],
)
def test_reserved_kinds_are_kept_and_shown_plainly(body: str) -> None:
    (face,) = cards_of(note(f"Q: q\n{body}\nid: x"))
    assert face.front_md == "q"
    assert face.back_md


def test_an_include_line_survives() -> None:
    assert note("Q: q\nA: ```cpp\n#include <bits>\n```\nid: x").answer == "```cpp\n#include <bits>\n```"


def test_fields_inside_a_fence_are_text() -> None:
    found = note("Q: q\nA: see\n\n- a list\n\n      ~~~yaml\nid: not-this\nQ: nor this\n      ~~~\nid: x")
    assert found.id == "x"
    assert "id: not-this\nQ: nor this" in found.answer


def test_only_listed_names_at_the_start_of_a_line_begin_a_field() -> None:
    found = note("Q: q\nA: one\nNote: two\n source: three\nstd::max\nC:\\temp\n Level: high\nid::x\nid: x")
    assert found.answer == "one\nNote: two\n source: three\nstd::max\nC:\\temp\n Level: high\nid::x"
    assert found.source == ""


def test_text_may_begin_below_its_name() -> None:
    assert note("Q:\n\n  \nwhy?\n\nA:\n  - indented\nid: x").question == "why?"


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_and_the_byte_order_mark_change_nothing(end: str) -> None:
    other = parse_deck("\ufeff" + DECK.replace("\n", end), "x.md")
    assert other == parse_deck(DECK, "x.md")


def test_the_hash_ignores_what_no_reader_sees() -> None:
    plain = note("Q: caf\u00e9?\nA: yes\n\nmore\nid: x")
    other = note("Q: cafe\u0301?  \nA: yes\t\n\nmore   \n\n\nlevel: IC5\ntags: a\nid: y")
    assert other.content_hash == plain.content_hash
    assert note("Q: caf\u00e9?\nA: no\nid: x").content_hash != plain.content_hash


def test_ids_and_tags_are_composed() -> None:
    found = note(unicodedata.normalize("NFD", "Q: q\nA: a\nid: tête\ntags: Tête tête 🧠"))
    assert found.id == unicodedata.normalize("NFC", "tête")
    assert found.tags == (unicodedata.normalize("NFC", "tête"), "🧠")


Q = "Q: q\nA: a\n"
MALFORMED = [
    ("", 1, "the file is empty", "begin the file with ---"),
    ("\n \n", 1, "the file is empty", "begin the file with ---"),
    ("Q: q\nA: a\nid: x\n", 1, "the front matter is missing", "begin the file with ---"),
    ("---\ndeck: a\ntitle: b\nQ: q\nA: a\nid: x\n", 1, "the front matter is not closed", "a line ---"),
    ("---\ntitle: b\n---\n", 1, "the front matter has no deck", "deck: attention/core"),
    ("---\ndeck: a\n---\n", 1, "the front matter has no title", "title: "),
    ("---\ndeck: a\ntitle: b\ntitle: c\n---\n", 4, "title: stands twice", "keep one"),
    ("---\ndeck: a\ntitle:\n---\n", 3, "title: is empty", "write its value"),
    (
        "---\ndeck: a\ntitle: b\nautor: c\n---\n",
        4,
        '"autor: c" is no field of a deck',
        "deck:, title: or demo:",
    ),
    ("---\ndeck: A b\ntitle: b\n---\n", 2, 'the deck name "A b" is not', "attention/core"),
    (HEAD + "hello\n", 5, 'stray text before the first card "hello"', "begin with Q:"),
    (HEAD + "id: x\n", 5, "stray text before the first card", "begin with Q:"),
    (HEAD + Q, 5, "the card has no id", "id: causal-mask"),
    (HEAD + Q + "id:\n", 7, "id: is empty", "write its value"),
    (HEAD + Q + "id: A.b\n", 7, 'the id "A.b" has capital letters', "a.b"),
    (HEAD + Q + "id: a.b\n", 7, 'the id "a.b" is not a plain name', "letters and digits"),
    (HEAD + Q + f"id: {'a' * 81}\n", 7, "the id has 81 characters", "under 81"),
    (HEAD + Q + "id: x\n\n" + Q + "id: x\n", 11, 'the id "x" is used twice, first in line 7', "of its own"),
    (HEAD + Q + "id: x\nid: y\n", 8, "id: stands twice, first in line 7", "keep one"),
    (HEAD + Q + "id: x\nlevle: IC4\n", 8, "stray text after id:", 'did you mean "level: "'),
    (HEAD + Q + "id: x\nLevel: IC4\n", 8, "stray text after id:", 'did you mean "level: "'),
    (HEAD + Q + "id: x\nlevel:IC4\n", 8, "stray text after id:", 'did you mean "level: "'),
    (HEAD + Q + "Level: IC4\nid: x\n", 7, '"Level: IC4" looks like a field', 'did you mean "level: "'),
    (HEAD + Q + "level:IC4\nid: x\n", 7, '"level:IC4" looks like a field', "or put a space before it"),
    (HEAD + Q + "tag : a\nid: x\n", 7, '"tag : a" looks like a field', 'did you mean "tags: "'),
    (HEAD + Q + "id: x\nlevel: IC9\n", 8, 'the level "IC9" is not known', "eli5, IC4, IC5 or IC6"),
    (HEAD + Q + "id: x\ncore: maybe\n", 8, '"maybe" is neither yes nor no', "yes or no"),
    (HEAD + Q + "id: x\nkind: riddle\n", 8, 'the kind "riddle" is not known', "number, code"),
    (HEAD + Q + "id: x\ntime: 90\n", 8, "time: does not belong to a question card", "kind spoken"),
    (HEAD + Q + "id: x\nanswer: 3\n", 8, "answer: does not belong to a question card", "kind number or"),
    (HEAD + "C: {{c1::a}}\nkind: number\nid: x\n", 6, "kind: does not belong to a cloze card", "delete it"),
    (HEAD + "Q: q\nid: x\n", 5, "the question card has no A:", "begins with A:"),
    (HEAD + "Q:\nA: a\nid: x\n", 5, "Q: is empty", "write its value"),
    (HEAD + Q + "kind: number\nid: x\n", 5, "the number card has no answer:", "320 KiB"),
    (HEAD + Q + "kind: number\nanswer: many\nid: x\n", 8, 'the answer "many" is not a number', "320 KiB"),
    (HEAD + Q + "kind: number\nanswer: 1,5\nid: x\n", 8, 'the answer "1,5" is not a number', "2.5"),
    (HEAD + Q + "kind: number\nanswer: 1e999\nid: x\n", 8, "is too large", "smaller"),
    (HEAD + Q + "kind: number\nanswer: 3 KiB\ntolerance: 1 MB\nid: x\n", 9, "another unit", "in KiB"),
    (HEAD + Q + "kind: number\nanswer: 3\ntolerance: some\nid: x\n", 9, "is not a number", "1 %"),
    (HEAD + Q + "kind: number\nanswer: 3\ntolerance: -1\nid: x\n", 9, "is out of range", "0 or more"),
    (HEAD + Q + "kind: estimate\nanswer: n\nparams: n=9..1\nid: x\n", 9, "runs backwards", "smaller"),
    (HEAD + Q + "kind: estimate\nanswer: n\nparams: n=many\nid: x\n", 9, "has 1 choice", "such as 1..64"),
    (HEAD + "Q: q\nA: x = 1\nkind: code\nid: x\n", 6, "the answer holds no code", "```python"),
    (HEAD + "Q: q\nA: a\n```python\nid: x\n", 7, "the code fence is not closed", "a line ```"),
    (HEAD + "S: s\ntime: 90\nid: x\n", 5, "the spoken card has no point", "point p1:"),
    (HEAD + "S: s\npoint p1: a\nid: x\n", 5, "the spoken card has no time:", "time: 90"),
    (HEAD + "S: s\ntime: soon\npoint p1: a\nid: x\n", 6, 'the time "soon"', "5 to 1800"),
    (HEAD + "S: s\ntime: 90\npoint: a\nid: x\n", 7, "the point has no name", "point p1:"),
    (HEAD + "S: s\ntime: 90\npoint p: a\npoint p: b\nid: x\n", 8, "stands twice, first in line 7", "its own"),
    (HEAD + "S: s\ntime: 90\nhear: a\npoint p: a\nid: x\n", 7, "above the first point", "below its point"),
    (HEAD + "S: s\ntime: 90\npoint p: a\n  hear: |\nid: x\n", 8, "there is no wording", "divided by |"),
    (HEAD + "Q: q\nA: a\nid: x\nstage design: 3\n", 8, "stage: does not belong to a question", "spoken"),
    (CASE + "stage a: long\npoint p: a\nid: x\n", 7, 'the length "long" is not', "stage design: 3"),
    (CASE + "stage a: 0\npoint p: a\nid: x\n", 7, 'the length "0" is not', "0.1 to 30"),
    (CASE + "stage: 2\npoint p: a\nid: x\n", 7, "the stage has no name", "stage design:"),
    (CASE + "stage a: 2\nid: x\n", 5, "the spoken card has no point", "point p1:"),
    (CASE + "point o: a\nstage a: 2\npoint p: a\nid: x\n", 7, "above the first stage", "below its stage"),
    (CASE + "stage a: 1\nstage b: 1\npoint p: a\nid: x\n", 7, 'the stage "a" has no point', "below it"),
    (CASE + "stage a: 1\npoint p: a\nid: x\n", 7, "the stages take 60 seconds together", "time: 60"),
    (HEAD + "C: nothing\nid: x\n", 5, "the cloze card hides nothing", "{{c1::text}}"),
    (HEAD + "C: a\nb {{c1::c\nid: x\n", 6, "the cloze c1 is not closed", "}}"),
    (HEAD + "C: {{c1::}}\nid: x\n", 5, "the cloze c1 hides nothing", "after the two colons"),
    (HEAD + "C: {{c1:a}}\nid: x\n", 5, 'is not followed by "::"', "{{c1::text}}"),
    (HEAD + "C: {{C1::a}}\nid: x\n", 5, "has a capital C", "{{c1::text}}"),
    (HEAD + "C: {{c0::a}}\nid: x\n", 5, "the cloze number 0 is out of range", "1 to 99"),
    (HEAD + "C: {{c1::a {{c2::b}} }}\nid: x\n", 5, "begins inside c1", "close c1"),
    (HEAD + "C: {{c1::a::b::c}}\nid: x\n", 5, 'more than one "::"', "in code"),
    (HEAD + "C: $a_{{c1::b}}$\nid: x\n", 5, "begins inside a formula", "whole"),
    (HEAD + "Q: {{c1::a}}\nA: b\nid: x\n", 5, "a cloze stands in a question card", "C: instead of Q:"),
    (HEAD + "Q: a\x00b\nA: b\nid: x\n", 5, "control character U+0000", "delete it"),
]


@pytest.mark.parametrize(
    ("text", "line", "problem", "fix"), MALFORMED, ids=[row[2][:40] for row in MALFORMED]
)
def test_a_mistake_names_its_line_and_its_fix(text: str, line: int, problem: str, fix: str) -> None:
    (said,) = complaints(text)
    assert said.startswith(f"x.md:{line}: ")
    before, after = said.split(" Fix: ")
    assert problem in before
    assert fix in after
    assert after.endswith((".", "?"))


def test_all_mistakes_are_told_at_once_in_the_order_of_lines() -> None:
    text = HEAD + "Q: q\nA: a\nlevel: IC9\n\nC: none\nid: y\n\nS: s\nid: z\n"
    assert [said.split(":")[1] for said in complaints(text)] == ["5", "7", "9", "12", "12"]


def test_a_cloze_keeps_formulas_and_code_whole() -> None:
    found = note("C: {{c1::$\\frac{a}{b_{{i}}}$ and `x}}::y`::`a::b` first}} [x](y) [x]\nid: x")
    (face,) = cards_of(found)
    assert face.front_md == "{{?`a::b` first}} [x](y) [x]"
    assert face.back_md == "{{=$\\frac{a}{b_{{i}}}$ and `x}}::y`}} [x](y) [x]"


def test_braces_of_the_text_stay_with_it() -> None:
    (face,) = cards_of(note("C: the set {{{c1::{a, b}}}} {x}\nid: x"))
    assert (face.front_md, face.back_md) == ("the set {{{?}}} {x}", "the set {{{={a, b}}}} {x}")


def test_one_number_twice_is_one_card() -> None:
    (face,) = cards_of(note("C: {{c3::a}} b {{c3::c}}\nA: because\nid: x"))
    assert (face.id, face.front_md, face.back_md) == ("x.3", "{{?}} b {{?}}", "{{=a}} b {{=c}}\n\nbecause")


def test_bytes_that_are_no_utf8_name_their_line() -> None:
    assert decode("é\n".encode(), "x.md") == "é\n"
    for data, said in (
        (b"a\nb\xff", "x.md:2: the byte 0xFF is not UTF-8. Fix: save the file as UTF-8."),
        ("a".encode("utf-16"), "x.md:1: the file is UTF-16. Fix: save it as UTF-8."),
    ):
        with pytest.raises(DeckErrors, match=said.replace(".", r"\.")):
            decode(data, "x.md")


LINES = st.sampled_from(
    ["---", "deck: a", "title: b", "Q: q", "A: $a*b$", "C: {{c1::x}}", "C: {{c1::", "S: s", "time: 9", "id: x",
     "id: y", "point p: a", "  hear: a|b", "kind: number", "answer: 3 %", "tolerance: 1 %", "```", "~~~py", "$$",
     "text }} {{", "", "level: IC4", "expect: a.b = 1", "params: a=1..2", "{{c2::a::b}} `"]
) | st.text(max_size=20)  # fmt: skip


@given(
    st.lists(LINES, max_size=30).map("\n".join)
    | st.lists(LINES, max_size=30).map(lambda x: HEAD + "\n".join(x))
)
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    last = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    try:
        notes, refused = parse_deck(text, "x.md").notes, None
    except DeckErrors as errors:
        notes, refused = (), errors
    faces = [face for n in notes for face in cards_of(n)]
    assert len({face.id for face in faces}) == len(faces)
    assert all(face.front_md and face.back_md for face in faces)
    assert refused is None or refused.errors
    assert all(1 <= error.line <= last for error in (refused.errors if refused else ()))


WORDS = st.text(
    st.characters(codec="utf-8", exclude_characters="{}:$`~\\", exclude_categories=["C", "Z"]), min_size=1
)


@given(before=WORDS, hidden=WORDS, after=WORDS)
def test_a_cloze_round_trip(before: str, hidden: str, after: str) -> None:
    (face,) = cards_of(note(f"C: {before} {{{{c1::{hidden}}}}} {after}\nid: x"))
    assert face.front_md == f"{before} {{{{?}}}} {after}"
    assert face.back_md.replace("{{=", "").replace("}}", "") == f"{before} {hidden} {after}"
