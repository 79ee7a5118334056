"""Two results of one demo against each other: parameters, checks, figures, and their blocks in pairs. Pure.

Figures are paired by block, row and column. A row is known by its name, the first of its words that no other row has,
and only among rows of one name by its place: other words of it, a verdict say, may differ. A row that only one of the
two has is no difference of a number, it is another question, and is told as such. What is told as a change goes from
left to right.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.demos.drawing import BlockView, ResultView
from app.demos.drawing.numbers import byte_words, cell, short
from kernels.result import Block, Bytes, Check, Column, Data, Result, Row, Table, Timing

MOST_FIGURES = 80  # lines of changed figures; more are counted
ODD = ("nan", "inf", "-inf")  # numbers that JSON has no other way to write

Rows = Mapping[str, Mapping[str, float]]
"""The figures of a block, by the name of their row and by the words that say which they are."""


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
class Alone:
    """The rows of a block that only one of the two has."""

    block: str
    left: tuple[str, ...]
    right: tuple[str, ...]


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
    """`same` counts the figures that are equal as they are written, `differ` those that are not.

    Of these `figures` holds at most MOST_FIGURES.
    """

    params: tuple[ParamLine, ...]
    checks: tuple[Pair, ...]
    figures: tuple[FigureLine, ...]
    same: int
    differ: int
    alone: tuple[Alone, ...]
    blocks: tuple[Pair, ...]


def compare(left: Side, right: Side) -> Comparison:
    blocks = _paired(left.result, right.result)
    both = [(ours, *_rows(ours.data, theirs.data)) for ours, theirs in blocks if ours and theirs]
    lines = [line for figures in both for line in _figures(*figures)]
    changed = [line for line in lines if line]
    alone = (_alone(*figures) for figures in both)
    pairs = [(_is_check(*pair), _pair(*pair, left.view, right.view)) for pair in blocks]
    return Comparison(
        params=tuple(_params(left.result.params, right.result.params)),
        checks=tuple(pair for check, pair in pairs if check),
        figures=tuple(changed[:MOST_FIGURES]),
        same=len(lines) - len(changed),
        differ=len(changed),
        alone=tuple(one for one in alone if one.left or one.right),
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


def _figures(block: Block, left: Rows, right: Rows) -> Iterator[FigureLine | None]:
    """A line for each figure that both have and that differs, None for each that reads the same."""
    write = byte_words if isinstance(block.data, Bytes) else short
    for name, ours in left.items():
        theirs = right.get(name, {})
        for what in (what for what in ours if what in theirs):
            a, b = ours[what], theirs[what]
            yield None if write(a) == write(b) else _line(block, f"{name}{what}", a, b, write)


def _line(block: Block, what: str, a: float, b: float, write: Callable[[float], str]) -> FigureLine:
    finite = math.isfinite(a) and math.isfinite(b)
    difference = f"{'+' * (b > a)}{write(b - a)}" if finite else "–"
    times = b / a if finite and a and (a > 0) == (b > 0) else math.inf
    ratio = f"× {short(times)}" if 0 < times < math.inf else "–"
    return FigureLine(block.title or block.id, what, write(a), write(b), difference, ratio)


def _alone(block: Block, left: Rows, right: Rows) -> Alone:
    return Alone(
        block.title or block.id,
        tuple(name for name in left if name not in right),
        tuple(name for name in right if name not in left),
    )


def _rows(left: Data, right: Data) -> tuple[Rows, Rows]:
    """The figures of a block of both results; none where they are of two types."""
    match left, right:
        case Table(), Table():
            return _of_table(left, names := _names(left, right)), _of_table(right, names)
        case Bytes(), Bytes():
            return _of_bytes(left), _of_bytes(right)
        case Timing(), Timing() if left.unit == right.unit:
            return _of_timing(left), _of_timing(right)
    return {}, {}


def _of_bytes(data: Bytes) -> Rows:
    return {bar.label: {"": float(bar.n)} for bar in data.rows}


def _of_timing(data: Timing) -> Rows:
    return {row.label: {f", median ({data.unit})": row.median} for row in data.rows}


def _names(left: Table, right: Table) -> tuple[str, ...]:
    """The columns that name a row in both tables: as few of the first that hold words as tell all rows apart.

    The first alone where all of them do not; the first of all where none holds words.
    """
    worded = [
        col.key for col in left.cols if any(_worded(row.get(col.key)) for row in left.rows + right.rows)
    ]
    for n in range(1, len(worded) + 1):
        if all(_distinct(table.rows, worded[:n]) for table in (left, right)):
            return tuple(worded[:n])
    return tuple((worded or [col.key for col in left.cols])[:1])


def _distinct(rows: Sequence[Row], keys: Sequence[str]) -> bool:
    return len({tuple(row.get(key) for key in keys) for row in rows}) == len(rows)


def _of_table(table: Table, names: tuple[str, ...]) -> Rows:
    found: dict[str, dict[str, float]] = {}
    seen: Counter[str] = Counter()
    for row in table.rows:
        label = " · ".join(cell(row.get(key)) for key in names)
        seen[label] += 1
        nth = f" ({seen[label]})" if seen[label] > 1 else ""
        found[label + nth] = dict(_cells(row, [col for col in table.cols if col.key not in names]))
    return found


def _cells(row: Row, cols: Sequence[Column]) -> Iterator[tuple[str, float]]:
    for col in cols:
        unit = f" ({col.unit})" if col.unit and col.unit != col.label else ""
        if (value := _number(row.get(col.key))) is not None:
            yield f", {col.label}{unit}", value


def _worded(value: object) -> bool:
    return isinstance(value, str) and value not in ODD


def _number(value: object) -> float | None:
    if value in ODD:
        return float(str(value))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
