"""Blocks that are mostly words: shapes, tables, checks, code. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from app.demos.drawing.numbers import cell, runs, short
from kernels.result import Check, Code, Player, Shapes, Table


@dataclass(frozen=True)
class StepView:
    name: str
    sizes: tuple[str, ...]
    axes: str
    role: str
    op: str


@dataclass(frozen=True)
class HeadGroup:
    kv: int
    queries: str


@dataclass(frozen=True)
class ShapesView:
    steps: tuple[StepView, ...]
    heads: tuple[HeadGroup, ...]
    head_words: str


def shapes(data: Shapes) -> ShapesView:
    steps = tuple(
        StepView(
            step.name,
            tuple(f"{dim.n:,}" for dim in step.dims),
            ", ".join(dim.label for dim in step.dims if dim.label),
            step.role,
            step.op,
        )
        for step in data.steps
    )
    heads = data.head_map
    if not heads or heads == tuple(range(len(heads))):
        words = "Each query head has a key/value head of its own." if len(heads) > 1 else ""
        return ShapesView(steps, (), words)
    by_kv = groupby(sorted(range(len(heads)), key=lambda q: (heads[q], q)), key=lambda q: heads[q])
    groups = tuple(HeadGroup(kv, runs(tuple(qs))) for kv, qs in by_kv)
    return ShapesView(steps, groups, f"{len(heads)} query heads read {len(groups)} key/value heads.")


@dataclass(frozen=True)
class ColumnView:
    label: str
    unit: str
    numeric: bool


@dataclass(frozen=True)
class TableView:
    cols: tuple[ColumnView, ...]
    rows: tuple[tuple[str, ...], ...]


def table(data: Table) -> TableView:
    def numeric(key: str) -> bool:
        values = [row[key] for row in data.rows if row.get(key) is not None]
        return bool(values) and all(_is_number(v) for v in values)

    cols = tuple(ColumnView(c.label, "" if c.unit == c.label else c.unit, numeric(c.key)) for c in data.cols)
    return TableView(cols, tuple(tuple(cell(row.get(c.key)) for c in data.cols) for row in data.rows))


def _is_number(value: object) -> bool:
    return value in ("nan", "inf", "-inf") or (isinstance(value, int | float) and not isinstance(value, bool))


def player(data: Player) -> TableView:
    """All frames at once, a row each: what a stepper shows one by one can be read without it."""
    cols = tuple(ColumnView(label, "", True) for label in data.labels)
    rows = tuple((str(i), *(cell(f.get(label)) for label in data.labels)) for i, f in enumerate(data.frames))
    return TableView((ColumnView("step", "", True), *cols), rows)


def unknown(data: Mapping[str, object]) -> TableView:
    """Data of a type this version does not know: its names and values."""
    cols = (ColumnView("name", "", False), ColumnView("value", "", False))
    return TableView(cols, tuple((name, cell(value)[:400]) for name, value in data.items()))


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


def code(data: Code) -> CodeView:
    try:
        lexer = get_lexer_by_name(data.lang or "text")
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    return CodeView(data.lang, highlight(data.text, lexer, HtmlFormatter(nowrap=True)))
