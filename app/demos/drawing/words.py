"""Blocks that are mostly words: shapes, tables, checks, code. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from app.demos.drawing import heads
from app.demos.drawing.numbers import cell, short
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
