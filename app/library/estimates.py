"""Estimates: cards whose numbers are drawn. `{=2 * n}` in their texts is filled with what it comes to. Pure.

In text a whole number has thousands separators and any other four significant digits; in code, and on the lines of demo
and claims, numbers stand raw, as a program reads them.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Literal

from app.library import expression
from app.library.expression import Expression, Number, Row, Value
from app.library.notes import Note, Template
from app.library.params import Draw, first, names, said, to_check
from app.library.spans import spans
from app.library.values import BadValue, Quantity, unit

Where = Literal["text", "math", "raw"]

EXACT = 10**15  # from here on a whole number is told by its first digits
LEAST = 1e-4

_PLACEHOLDER = re.compile(r"\{=(?P<expression>[^{}\n]*)(?P<end>\}?)")
_FOUR = Context(prec=4, rounding=ROUND_HALF_UP)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong with a placeholder: its field, which of several, the line within it, and what to do."""

    name: str
    index: int
    line: int
    problem: str
    fix: str


@dataclass(frozen=True, slots=True)
class Filled:
    """The texts of an estimate with the numbers of one draw, and its answer."""

    question: str
    answer: str
    say: str
    wrong: tuple[str, ...]
    demo: str
    expects: tuple[str, ...]
    value: Quantity


def answer(text: str) -> tuple[Expression, str]:
    """The expression of an `answer:` and its unit: "2 * n / 2**30 -> GiB". Raises BadValue."""
    told, arrow, after = (part.strip() for part in text.partition("->"))
    if arrow and not after:
        raise BadValue(
            "the answer has no unit after ->", "write one, such as -> GiB, or leave out the arrow."
        )
    try:
        read = expression.read(told)
    except BadValue as bad:
        fix = (
            bad.fix
            if arrow
            else f"{bad.fix.rstrip('.')}; a unit stands after ->, as in 2 * n / 2**30 -> GiB."
        )
        raise BadValue(f"the answer cannot be worked out: {bad.problem}", fix) from None
    return read, unit(after)


def has_placeholder(text: str) -> bool:
    return "{=" in text


def outside_code(text: str) -> bool:
    """Whether a placeholder stands where the text is not code."""
    where = _where(text)
    return any(where(found.start()) != "raw" for found in _PLACEHOLDER.finditer(text))


def filled(made: Template, draw: Draw) -> Filled:
    """The texts with the numbers of this draw. Raises BadValue."""
    known = _names(made, draw)
    number = known["answer"]
    assert not isinstance(number, str | Row)
    return Filled(
        question=fill(made.question, known),
        answer=fill(made.answer, known),
        say=fill(made.say, known),
        wrong=tuple(fill(line, known) for line in made.wrong),
        demo=fill(made.demo, known, raw=True),
        expects=tuple(fill(line, known, raw=True) for line in made.expects),
        value=Quantity(f"{shown(number, 'text')} {made.unit}".strip(), float(number), made.unit),
    )


def drawn(note: Note, draw: Draw | None = None) -> Note:
    """The note with the numbers of this draw, or of the canonical one. Raises BadValue."""
    if note.template is None:
        return note
    made = filled(note.template, first(note.params) if draw is None else draw)
    return replace(
        note,
        question=made.question,
        answer=made.answer,
        say=made.say,
        wrong=made.wrong,
        demo=made.demo or note.demo,
        expects=made.expects,
        answer_value=made.value,
    )


def unasked(note: Note) -> tuple[str, ...]:
    """The parameters of a sound estimate that its question does not give, though its answer may vary with them."""
    found = _PLACEHOLDER.finditer(note.template.question) if note.template else ()
    asked = {name for match in found for name in expression.read(match["expression"]).names}
    return tuple(param.name for param in note.params if param.name not in asked)


def mistakes(note: Note) -> tuple[Mistake, ...]:
    """Everything that keeps an estimate from being drawn, each once, with the draw where not every draw shows it."""
    made = note.template
    if made is None or not note.params:
        return ()
    found: dict[tuple[str, int, int], Mistake] = {}
    for nth, draw in enumerate(to_check(note.params)):
        for mistake in _of_draw(made, draw):
            after = f" (drawn with {said(draw)})" if nth else ""
            told = replace(mistake, problem=mistake.problem + after)
            found.setdefault((mistake.name, mistake.index, mistake.line), told)
    return tuple(found.values())


def fill(text: str, known: Mapping[str, Value], *, raw: bool = False) -> str:
    """The text with its placeholders filled. Raises BadValue."""
    if not has_placeholder(text):
        return text
    where = _where(text)
    pieces: list[str] = []
    done = 0
    for match in _PLACEHOLDER.finditer(text):
        pieces += text[done : match.start()], _filled(match, known, "raw" if raw else where(match.start()))
        done = match.end()
    return "".join((*pieces, text[done:]))


def shown(value: Value, where: Where) -> str:
    r"""A value as it stands in a text, in a formula or in code.

    >>> shown(131072, "text"), shown(131072, "math"), shown(0.52347, "text"), shown(40.0, "raw")
    ('131,072', '{131{,}072}', '0.5235', '40')
    """
    if isinstance(value, Row):
        return value.name
    if isinstance(value, str):
        return value
    if where == "raw":
        return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(value)
    sign = "" if value >= 0 else "-" if where == "math" else "−"
    size = abs(value)
    if size and not LEAST <= size < EXACT:
        return _scientific(sign, size, where)
    digits = f"{int(size + 0.5):,}" if size >= 999.95 or size == int(size) else _significant(size)
    return f"{{{sign}{digits.replace(',', '{,}')}}}" if where == "math" else sign + digits


def _significant(size: Number) -> str:
    """Four digits, a half rounded up as one learns it at school: 281.25 is 281.3."""
    rounded = f"{_FOUR.plus(Decimal(repr(size))):f}"
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded


def _scientific(sign: str, size: Number, where: Where) -> str:
    digits, _, power = f"{float(size):.3e}".partition("e")
    digits, exponent = digits.rstrip("0").rstrip("."), int(power)
    if where == "math":
        return rf"{{{sign}{digits}\cdot 10^{{{exponent}}}}}"
    return f"{sign}{digits} · 10{str(exponent).translate(_RAISED)}"


def _names(made: Template, draw: Draw) -> dict[str, Value]:
    known = names(draw)
    return known | {"answer": made.value.number(known)}


def _of_draw(made: Template, draw: Draw) -> Iterator[Mistake]:
    try:
        known = _names(made, draw)
    except BadValue as bad:
        yield Mistake("answer", 0, 0, bad.problem, bad.fix)
        return
    for name, index, text, raw in made.texts():
        for match in _PLACEHOLDER.finditer(text):
            try:
                _filled(match, known, "raw" if raw else "text")
            except BadValue as bad:
                yield Mistake(name, index, text.count("\n", 0, match.start()), bad.problem, bad.fix)


def _filled(match: re.Match[str], known: Mapping[str, Value], where: Where) -> str:
    if not match["end"]:
        raise BadValue(f'the placeholder "{match[0][:40]}" is not closed', "end it with }, in the same line.")
    if not match["expression"].strip():
        raise BadValue("the placeholder {=} is empty", "write {=2 * n}; for a sign in a formula, { = }.")
    return shown(expression.read(match["expression"]).value(known), where)


def _where(text: str) -> Callable[[int], Where]:
    """Whether a place of the text is in a formula, in code, or in neither."""
    found = spans(text)

    def where(at: int) -> Where:
        inside = next((span.kind for span in found if span.start <= at < span.end), "")
        return "math" if inside in ("math", "display") else "raw" if inside else "text"

    return where
