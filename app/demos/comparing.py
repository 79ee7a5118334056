"""Two results of one demo against each other: parameters, checks, figures, and their blocks in pairs. Pure.

Figures are paired by block, row and column, never by place: a row that only one of the two has is no difference of a
number, it is another question. What is told as a change goes from left to right.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.demos.drawing import BlockView, ResultView
from app.demos.drawing.numbers import byte_words, cell, short
from kernels.result import Block, Bytes, Check, Data, Result, Row, Table, Timing

MOST_FIGURES = 80  # lines of changed figures; more are counted


@dataclass(frozen=True)
class ParamLine:
    name: str
    left: str
    right: str

    @property
    def differs(self) -> bool:
        return self.left != self.right


@dataclass(frozen=True)
class FigureLine:
    block: str
    what: str
    left: str
    right: str
    difference: str
    ratio: str


@dataclass(frozen=True)
class Pair:
    """The blocks of one id, beside each other; None on the side that has none."""

    id: str
    title: str
    left: BlockView | None
    right: BlockView | None


@dataclass(frozen=True)
class Side:
    """A result as it was made, and as it is drawn."""

    result: Result
    view: ResultView


@dataclass(frozen=True)
class Comparison:
    """`same` counts the figures that are equal as they are written, `more` the changed ones beyond MOST_FIGURES."""

    params: tuple[ParamLine, ...]
    checks: tuple[Pair, ...]
    figures: tuple[FigureLine, ...]
    same: int
    more: int
    blocks: tuple[Pair, ...]


def compare(left: Side, right: Side) -> Comparison:
    blocks = _paired(left.result, right.result)
    lines = [line for ours, theirs in blocks if ours and theirs for line in _figures(ours, theirs)]
    changed = [line for line in lines if line]
    pairs = [(_is_check(*pair), _pair(*pair, left.view, right.view)) for pair in blocks]
    return Comparison(
        params=tuple(_params(left.result.params, right.result.params)),
        checks=tuple(pair for check, pair in pairs if check),
        figures=tuple(changed[:MOST_FIGURES]),
        same=len(lines) - len(changed),
        more=max(0, len(changed) - MOST_FIGURES),
        blocks=tuple(pair for check, pair in pairs if not check),
    )


def _paired(left: Result, right: Result) -> list[tuple[Block | None, Block | None]]:
    """Blocks of the same id together, in the left result's order, then those that only the right one has."""
    ours, theirs = ({block.id: block for block in result.blocks} for result in (left, right))
    return [(ours.get(name), theirs.get(name)) for name in {**ours, **theirs}]


def _params(left: Mapping[str, object], right: Mapping[str, object]) -> Iterator[ParamLine]:
    """What both were run with; a dash for a parameter that one of them did not have yet."""
    for name in {**left, **right}:
        yield ParamLine(name, _value(left.get(name)), _value(right.get(name)))


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "–" if value is None else str(value)


def _is_check(left: Block | None, right: Block | None) -> bool:
    return all(block is None or isinstance(block.data, Check) for block in (left, right))


def _pair(left: Block | None, right: Block | None, ours: ResultView, theirs: ResultView) -> Pair:
    one = left or right
    assert one is not None
    return Pair(one.id, one.title or one.id, _drawn(left, ours), _drawn(right, theirs))


def _drawn(block: Block | None, view: ResultView) -> BlockView | None:
    return next((drawn for drawn in view.blocks if block and drawn.id == block.id), None)


def _figures(left: Block, right: Block) -> Iterator[FigureLine | None]:
    """A line for each figure that both have and that differs, None for each that reads the same."""
    ours, theirs = _numbers(left.data), _numbers(right.data)
    write = byte_words if isinstance(left.data, Bytes) else short
    for what in (what for what in ours if what in theirs):
        a, b = ours[what], theirs[what]
        if write(a) == write(b):
            yield None
            continue
        finite = math.isfinite(a) and math.isfinite(b)
        difference = f"{'+' * (b > a)}{write(b - a)}" if finite else "–"
        times = b / a if finite and a and (a > 0) == (b > 0) else math.inf
        ratio = f"× {short(times)}" if 0 < times < math.inf else "–"
        yield FigureLine(left.title or left.id, what, write(a), write(b), difference, ratio)


def _numbers(data: Data) -> dict[str, float]:
    """The figures of a block by the words that say which they are."""
    match data:
        case Table():
            return _cells(data)
        case Bytes():
            return {bar.label: float(bar.n) for bar in data.rows}
        case Timing():
            return {f"{row.label}, median ({data.unit})": row.median for row in data.rows}
    return {}


def _cells(table: Table) -> dict[str, float]:
    """The numbers of a table. A row is called by its words, or by its first cell where it holds none."""
    found: dict[str, float] = {}
    seen: Counter[str] = Counter()
    for row in table.rows:
        words = [
            col.key for col in table.cols if _number(row, col.key) is None and row.get(col.key) is not None
        ]
        names = words or [col.key for col in table.cols[:1]]
        label = " · ".join(cell(row.get(key)) for key in names)
        seen[label] += 1
        nth = f" ({seen[label]})" if seen[label] > 1 else ""
        for col in table.cols:
            value = None if col.key in names else _number(row, col.key)
            if value is not None:
                unit = f" ({col.unit})" if col.unit and col.unit != col.label else ""
                found[f"{label}{nth}, {col.label}{unit}"] = value
    return found


def _number(row: Row, key: str) -> float | None:
    value = row.get(key)
    if value in ("nan", "inf", "-inf"):
        return float(str(value))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
