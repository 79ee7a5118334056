"""Estimates: what is drawn, what stands in the texts, and what is said of a card that cannot be drawn."""

from dataclasses import replace

import pytest

from app.library import estimates
from app.library.format import DeckErrors, Note, parse_deck
from app.library.params import MOST_CHECKED, draw, first, further, params, to_check
from app.library.values import BadValue, Quantity, Tolerance

HEAD = "---\ndeck: attention/x\ntitle: X\n---\n"
CACHE = r"""Q: A request of {=context} tokens on {=model.title}, cache in bf16: how large is its KV cache?
kind: estimate
params: model=llama-3-70b|llama-3-8b|llama-2-7b context=131072|32768|8192
answer: 2 * model.layers * model.h_kv * model.d_head * 2 * context / 2**30 -> GiB
tolerance: 5 %
A: $2\cdot{=model.layers}\cdot{=model.h_kv} = {=2*model.layers*model.h_kv}$, times {=context}; `tokens={=context}`.
wrong: “{=answer / 2} GiB.” That counts keys alone.
demo: kv-cache model={=model} tokens={=context}
expect: size.rows[1].gib = {=answer} +- {=answer / 1000}
id: cache
"""


ANSWER = "2 * model.layers * model.h_kv * model.d_head * 2 * context / 2**30 -> GiB"


def one(text: str = CACHE) -> Note:
    (note,) = parse_deck(HEAD + text, "x.md").notes
    return note


def complaint(text: str) -> str:
    with pytest.raises(DeckErrors) as caught:
        parse_deck(HEAD + text, "x.md")
    (error,) = caught.value.errors
    return str(error)


def test_a_note_has_the_numbers_of_its_canonical_draw() -> None:
    note = one()
    assert note.question.startswith("A request of 131,072 tokens on Llama-3-70B")
    assert note.answer == r"$2\cdot{80}\cdot{8} = {1{,}280}$, times 131,072; `tokens=131072`."
    assert note.wrong == ("“20 GiB.” That counts keys alone.",)
    assert note.answer_value == Quantity("40 GiB", 40.0, "GiB")
    assert note.tolerance == Tolerance(5.0, percent=True)
    assert note.demo == "kv-cache model=llama-3-70b tokens=131072"
    assert note.expects == ("size.rows[1].gib = 40 +- 0.04",)


def test_a_draw_fills_every_text() -> None:
    note = estimates.drawn(one(), {"model": "llama-3-8b", "context": 8192})
    assert note.question.startswith("A request of 8,192 tokens on Llama-3-8B")
    assert note.answer_value == Quantity("1 GiB", 1.0, "GiB")
    assert note.demo == "kv-cache model=llama-3-8b tokens=8192"
    texts = ("question", "answer", "wrong", "demo", "expects", "answer_value")
    assert replace(note, **{name: getattr(one(), name) for name in texts}) == one()


def test_a_key_draws_the_same_each_time_and_keys_draw_all_there_is() -> None:
    found = one().params
    assert draw(found, "k") == draw(found, "k")
    assert {tuple(draw(found, str(n)).values()) for n in range(200)} == {
        (model, context) for model in found[0].choices for context in found[1].choices
    }


def test_further_draws_differ() -> None:
    found = one().params
    two = list(further(found, 2))
    assert len(two) == 2
    assert two[0] != two[1]
    assert first(found) not in two
    assert len(list(further(params("a=1|2"), 2))) == 1


def tried(text: str) -> set[tuple[object, ...]]:
    return {tuple(draw.values()) for draw in to_check(params(text))}


def test_few_draws_are_all_tried() -> None:
    assert tried("a=1|2|3 b=4|5") == {(a, b) for a in (1, 2, 3) for b in (4, 5)}


def test_of_many_draws_each_end_and_each_choice_is_tried_and_a_mixture() -> None:
    found = tried("a=1..1000 b=x|y|z c=5..2000")
    assert {(1, "x", 5), (1000, "x", 5), (1, "y", 5), (1, "z", 5), (1, "x", 2000)} <= found
    assert len({a for a, _, _ in found}) > 20
    assert len(found) <= MOST_CHECKED


def test_a_range_is_drawn_from_its_low_end_to_its_high_one() -> None:
    (batch,) = params("batch=1..64")
    drawn = {draw([batch], str(n))["batch"] for n in range(2000)}
    assert (min(drawn), max(drawn), first([batch])["batch"]) == (1, 64, 1)


@pytest.mark.parametrize(
    ("value", "text", "math", "raw"),
    [
        (131072, "131,072", "{131{,}072}", "131072"),
        (40.0, "40", "{40}", "40"),
        (0.523472, "0.5235", "{0.5235}", "0.523472"),
        (12.5, "12.5", "{12.5}", "12.5"),
        (281.25, "281.3", "{281.3}", "281.25"),
        (999.96, "1,000", "{1{,}000}", "999.96"),
        (12345.6, "12,346", "{12{,}346}", "12345.6"),
        (-7, "−7", "{-7}", "-7"),
        (0, "0", "{0}", "0"),
        (0.000012, "1.2 · 10⁻⁵", r"{1.2\cdot 10^{-5}}", "1.2e-05"),
        (989 * 10**12, "989,000,000,000,000", "{989{,}000{,}000{,}000{,}000}", "989000000000000"),
        (8.59e18, "8.59 · 10¹⁸", r"{8.59\cdot 10^{18}}", "8.59e+18"),
        ("bf16", "bf16", "bf16", "bf16"),
    ],
)
def test_how_values_are_shown(value: float | str, text: str, math: str, raw: str) -> None:
    assert [estimates.shown(value, where) for where in ("text", "math", "raw")] == [text, math, raw]


@pytest.mark.parametrize(
    ("old", "new", "line", "problem", "fix"),
    [
        ("params: model", "params: modell", 8, 'the name "model"', "write modell"),
        ("llama-3-8b|", "llama-9|", 7, 'there is no model "llama-9"', "llama-2-7b"),
        ("131072|32768|8192", "131072", 7, "has 1 choice", "|"),
        ("131072|32768|8192", "131072|many", 7, '"many" of "context" is not a number', "1..64"),
        ("131072|32768|8192", "9..1", 7, "runs backwards", "smaller"),
        ("131072|32768|8192", "1.5..2", 7, "is no range of whole numbers", "1..64"),
        ("131072|32768|8192", "1|1", 7, "stands twice", "once"),
        ("context=", "answer=", 7, 'cannot be called "answer"', "another name"),
        ("131072|32768", "1e999|32768", 7, '"1e999" is too large', "1e300"),
        ("131072|32768", f"{'9' * 400}|32768", 7, "is too large", "1e300"),
        ("{=context} tokens on", "{=...} tokens on", 5, '"..." is no expression', "use numbers"),
        ("times {=context}", r"$a \mathrel{=} b$", 10, "the placeholder {=} is empty", "{ = }"),
        ("-> GiB", "-> GiB -> MB", 8, '"GiB -> MB" is no unit', "such as GiB"),
        ("-> GiB", "-> {=context}", 8, '"{=context}" is no unit', "such as GiB"),
        ("-> GiB", "-> **", 8, '"**" is no unit', "such as GiB"),
        ("-> GiB", "-> 5", 8, '"5" is no unit', "such as GiB"),
        (ANSWER, "2 B h n^2 d", 8, "cannot be worked out", "->"),
        (" -> GiB", " -> ", 8, "no unit after ->", "-> GiB"),
        ("{=context} tokens on", "{=contxt} tokens on", 5, 'the name "contxt"', "write context"),
        ("`tokens={=context}`", "`tokens={=context`", 10, "is not closed", "end it with }"),
        ("{=answer / 2}", "{=answer / 0}", 11, "divides by zero", "away"),
        ("size.rows[1].gib = {=answer}", "size.rows[1].gib = {=model.heads}", 13, 'no "heads"', "layers"),
        ("times {=context}", "times {=1 / (context - 8192)}", 10, "context=8192)", "away"),
        ("times {=context}", "times {=model.latent}", 10, "gives no latent", "leave llama-3-70b out"),
    ],
)  # fmt: skip
def test_a_mistake_names_line_and_fix(old: str, new: str, line: int, problem: str, fix: str) -> None:
    said = complaint(CACHE.replace(old, new))
    assert said.startswith(f"x.md:{line}: ")
    before, after = said.split(" Fix: ")
    assert problem in before
    assert fix in after


def test_a_choice_keeps_all_its_digits() -> None:
    assert first(params(f"n=1{'0' * 60}|2"))["n"] == 10**60


def test_an_estimate_needs_params() -> None:
    said = complaint("Q: How much?\nkind: estimate\nanswer: 2 * 3 -> B\nid: x\n")
    assert "has no params:" in said


def test_numbers_are_drawn_in_estimates_only() -> None:
    assert "numbers are drawn in estimates only" in complaint("Q: Of {=n}?\nA: a\nid: x\n")
    parse_deck(HEAD + "Q: Of `{=n}`?\nA: a\nid: x\n", "x.md")


def test_params_are_part_of_what_is_asked() -> None:
    assert one().content_hash != one(CACHE.replace("|8192", "|4096")).content_hash


def test_fill_leaves_other_text_alone() -> None:
    assert estimates.fill("a {b} {{c}}", {}) == "a {b} {{c}}"
    with pytest.raises(BadValue):
        estimates.fill("{=x}", {})


def test_a_spot_has_its_sentences() -> None:
    note = one(
        "Q: Which is wrong?\nkind: spot\nright: One.\nright: Two.\nwrong: Three.\nA: It is four.\nid: s\n"
    )
    assert (note.right, note.wrong) == (("One.", "Two."), ("Three.",))


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("right: One.\nwrong: Three.", "1 right: line"),
        ("right: One.\nright: Two.", "0 wrong: lines"),
        ("right: One.\nright: Two.\nwrong: Three.\nwrong: Four.", "2 wrong: lines"),
        ("right: 1\nright: 2\nright: 3\nright: 4\nright: 5\nwrong: Three.", "5 right: lines"),
    ],
)
def test_a_spot_needs_two_to_four_right_sentences_and_one_wrong(lines: str, problem: str) -> None:
    assert problem in complaint(f"Q: Which is wrong?\nkind: spot\n{lines}\nA: It is four.\nid: s\n")


def test_a_sentence_of_a_spot_stands_once() -> None:
    said = complaint("Q: Which?\nkind: spot\nright: One.\nright: Two.\nwrong: One.\nA: It is two.\nid: s\n")
    assert said.startswith("x.md:9: the sentence stands twice, first in line 7.")


def test_an_expression_is_no_number() -> None:
    assert "is not a number with a unit" in complaint("Q: q\nkind: number\nanswer: 2*n -> GiB\nid: x\n")


def test_right_belongs_to_a_spot() -> None:
    assert "does not belong to a question card" in complaint("Q: q\nA: a\nright: One.\nid: s\n")
