"""Blocks that are mostly words: shapes, tables, checks, code. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from app.demos.drawing import heads
from app.demos.drawing.numbers import cell, cells, short
from app.demos.drawing.room import FIRST, room
from kernels.result import Check, Code, Shapes, Table


@dataclass(frozen=True)
class DimView:
    size: str
    label: str


@dataclass(frozen=True)
class StepView:
    name: str
    dims: tuple[DimView, ...]
    role: str
    op: str


@dataclass(frozen=True)
class ShapesView:
    steps: tuple[StepView, ...]
    map: heads.HeadMap | None
    groups: tuple[heads.HeadGroup, ...]
    head_words: str


def shapes(data: Shapes) -> ShapesView:
    steps = tuple(
        StepView(
            step.name,
            tuple(DimView(f"{dim.n:,}", dim.label.replace("->", "→")) for dim in step.dims),
            step.role,
            step.op,
        )
        for step in data.steps
    )
    shared = data.head_map
    if not shared or shared == tuple(range(len(shared))):
        words = "Each query head has a key/value head of its own." if len(shared) > 1 else ""
        return ShapesView(steps, heads.draw(shared), (), words)
    groups = heads.groups(shared)
    s = "" if len(groups) == 1 else "s"
    words = f"{len(shared)} query head{'' if len(shared) == 1 else 's'} read {len(groups)} key/value head{s}."
    return ShapesView(steps, heads.draw(shared), groups, words)


@dataclass(frozen=True)
class ColumnView:
    label: str
    unit: str
    numeric: bool


@dataclass(frozen=True)
class RowView:
    """before tells what was left out between the row above and this one, "" where they are neighbours."""

    texts: tuple[str, ...]
    before: str = ""


@dataclass(frozen=True)
class TableView:
    """rest are the rows beyond FIRST. named: the first column says what each row is. room: see drawing.room."""

    cols: tuple[ColumnView, ...]
    rows: tuple[RowView, ...]
    rest: tuple[RowView, ...]
    named: bool
    room: str


def table(data: Table) -> TableView:
    def numeric(key: str) -> bool:
        values = [row[key] for row in data.rows if row.get(key) is not None]
        return bool(values) and all(_is_number(v) for v in values)

    cols = tuple(ColumnView(c.label, "" if c.unit == c.label else c.unit, numeric(c.key)) for c in data.cols)
    written = [cells([row.get(c.key) for row in data.rows]) for c in data.cols]
    return _table(cols, list(zip(*written, strict=True)))


def _table(cols: tuple[ColumnView, ...], texts: Sequence[tuple[str, ...]]) -> TableView:
    gaps = _gaps([row[0] for row in texts if row])
    rows = tuple(RowView(row, gaps.get(i, "")) for i, row in enumerate(texts))
    heads = [f"{col.label} ({col.unit})" if col.unit else col.label for col in cols]
    needed = room(heads, texts, [col.numeric for col in cols])
    return TableView(cols, rows[:FIRST], rows[FIRST:], bool(cols) and not cols[0].numeric, needed)


def _gaps(names: Sequence[str]) -> dict[int, str]:
    """Where numbered rows, which mostly follow each other, leave some out; by the index of the row below."""
    found = [re.fullmatch(r"(\D*)(\d+)", name.replace(",", "")) for name in names]
    numbers = [int(match[2]) for match in found if match]
    if len(numbers) < len(names) or len({match[1] for match in found if match}) > 1:
        return {}
    steps = [b - a for a, b in pairwise(numbers)]
    if any(step < 1 for step in steps) or steps.count(1) < 2 * len(steps) / 3:
        return {}
    return {i + 1: f"{step - 1:,} not shown" for i, step in enumerate(steps) if step > 1}


def _is_number(value: object) -> bool:
    return value in ("nan", "inf", "-inf") or (isinstance(value, int | float) and not isinstance(value, bool))


def unknown(data: Mapping[str, object]) -> TableView:
    """Data of a type this version does not know: its names and values."""
    cols = (ColumnView("name", "", False), ColumnView("value", "", False))
    return _table(cols, [(name, cell(value)[:400]) for name, value in data.items()])


@dataclass(frozen=True)
class CheckView:
    claim: str
    expected: str
    got: str
    tolerance: str
    holds: bool


_OPS = {"<=": "≤", ">=": "≥"}


def check(data: Check) -> CheckView:
    tolerance = f"± {short(data.tol)}" if data.tol else ""
    return CheckView(
        data.claim,
        f"{_OPS.get(data.op, data.op)} {short(data.expected)}",
        short(data.got),
        tolerance,
        data.holds,
    )


@dataclass(frozen=True)
class CodeView:
    lang: str
    html: str  # escaped and marked up by Pygments, classes only
    copy: str  # what the button says


def code(data: Code) -> CodeView:
    try:
        lexer = get_lexer_by_name(data.lang or "text")
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    words = "Copy"
    if data.lang == "python":
        words = (
            "Copy as PyTorch"
            if re.search(r"^\s*(import|from) torch\b", data.text, re.M)
            else "Copy as Python"
        )
    return CodeView(data.lang, highlight(data.text, lexer, HtmlFormatter(nowrap=True)), words)
