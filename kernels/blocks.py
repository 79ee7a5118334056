"""The typed blocks of a result: what a demo shows, as data. Imports no torch.

Every number can be addressed as `block-id.path`, for example `weights.stages[3].values[1][0]`, so ids
are stable and no data is text to be parsed. Read them as `kernels.result`, which offers these names, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Cell: TypeAlias = bool | int | float | str | None
Row: TypeAlias = Mapping[str, Cell]
Grid: TypeAlias = tuple[tuple[float, ...], ...]
Role: TypeAlias = Literal["", "q", "k", "v", "score", "mask"]


@dataclass(frozen=True)
class Dim:
    """One axis of a tensor: its size, and how it came about ("2->8" where 2 heads serve 8)."""

    n: int
    label: str


@dataclass(frozen=True)
class Step:
    """A tensor on the way from q, k, v to the output. `op` says what made it from those before."""

    name: str
    dims: tuple[Dim, ...]
    role: Role
    op: str


@dataclass(frozen=True)
class Shapes:
    """A ribbon of tensor shapes. head_map[i] is the key/value head that query head i reads."""

    steps: tuple[Step, ...]
    head_map: tuple[int, ...]


@dataclass(frozen=True)
class Stage:
    name: str
    values: Grid


@dataclass(frozen=True)
class HeadView:
    """The same stages of another head, so that a reader can switch between heads."""

    head: int
    stages: tuple[Stage, ...]
    row_max: tuple[float, ...]
    row_sum: tuple[float, ...]


@dataclass(frozen=True)
class Matrix:
    """Linked matrices of one shape, in the order in which they are computed.

    shape is that of the whole matrix, (rows, columns). pool is (rows, columns) of it that became one drawn cell: their
    mean or the largest of them, as pooling says. window is (first row, end row, first column, end column) of the part
    drawn; None means all of it.
    mask holds 1 where the query sees the key (a share in between when pooled).
    row_max is the maximum of a drawn row's scores before the softmax, row_sum the sum of its final weights.
    others are further heads, drawn in the same way; all stages of all heads together hold at most 2^16 numbers.
    heads counts all there are, drawn or not; 0 where nobody said.
    """

    row_labels: tuple[str, ...]
    col_labels: tuple[str, ...]
    shape: tuple[int, ...]
    window: tuple[int, ...] | None
    pool: tuple[int, ...] | None
    head: int | None
    stages: tuple[Stage, ...]
    mask: Grid | None
    row_max: tuple[float, ...]
    row_sum: tuple[float, ...]
    others: tuple[HeadView, ...] = ()
    pooling: Literal["mean", "max"] = "mean"
    heads: int = 0


@dataclass(frozen=True)
class Tiles:
    """The tile grid of a fused kernel, bm x bn cells each. state[i][j] is skipped, full or diagonal."""

    bm: int
    bn: int
    state: tuple[tuple[Literal["skipped", "full", "diagonal"], ...], ...]


@dataclass(frozen=True)
class Mask:
    """Which query sees which key. cells is None where the mask is too large to send cell by cell.

    align: the corner of a causal mask, none where nothing is hidden, cells where the cells alone tell (a sliding
    window, packed documents, padding).
    """

    n_q: int
    n_kv: int
    align: Literal["none", "top-left", "bottom-right", "cells"]
    cells: tuple[tuple[int, ...], ...] | None
    tiles: Tiles | None


@dataclass(frozen=True)
class Line:
    """One curve; lo and hi are its spread, None where there is none."""

    label: str
    y: tuple[float, ...]
    lo: tuple[float, ...] | None
    hi: tuple[float, ...] | None


@dataclass(frozen=True)
class Series:
    """Curves over x; unit is that of y, log draws both axes logarithmic, x_label names what x counts."""

    x: tuple[float, ...]
    ys: tuple[Line, ...]
    unit: str
    log: bool
    x_label: str = ""


@dataclass(frozen=True)
class Column:
    key: str
    label: str
    unit: str = ""


@dataclass(frozen=True)
class Table:
    """Rows are keyed by Column.key."""

    cols: tuple[Column, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Bar:
    label: str
    n: int


@dataclass(frozen=True)
class Bytes:
    """Amounts in bytes, to be drawn as bars."""

    rows: tuple[Bar, ...]


@dataclass(frozen=True)
class RooflinePoint:
    """intensity in FLOP per byte of HBM traffic, speed in FLOP/s."""

    label: str
    intensity: float
    speed: float


@dataclass(frozen=True)
class Roofline:
    """ridge: the intensity in FLOP/byte from which a kernel is bound by arithmetic.

    peak in FLOP/s and bandwidth in bytes/s draw the roof of `device`; 0 where they are not known.
    """

    ridge: float
    points: tuple[RooflinePoint, ...]
    peak: float = 0.0
    bandwidth: float = 0.0
    device: str = ""


@dataclass(frozen=True)
class Player:
    """Frames of a step-by-step replay, keyed by label.

    words tells in a sentence what happens in each frame. tiles is the plan of a kernel that is walked over, and
    at[i] the (row, column) of the tile that frame i works on.
    """

    frames: tuple[Row, ...]
    labels: tuple[str, ...]
    words: tuple[str, ...] = ()
    tiles: Tiles | None = None
    at: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class TimingRow:
    """n timed calls; median, p10 and p90 (percentiles) in the block's unit; flops is FLOP per call."""

    label: str
    n: int
    median: float
    p10: float
    p90: float
    flops: float | None
    config: str


@dataclass(frozen=True)
class Timing:
    unit: str
    rows: tuple[TimingRow, ...]


@dataclass(frozen=True)
class Check:
    """A claim that the demo asserts about its own output: `got op expected`, within tol.

    A check that does not hold is a finding (a learner may choose a broken variant), not an error.
    """

    claim: str
    op: Literal["=", "<", "<=", ">", ">="]
    expected: float
    got: float
    tol: float
    holds: bool


@dataclass(frozen=True)
class Code:
    lang: str
    text: str


@dataclass(frozen=True)
class Note:
    text: str


@dataclass(frozen=True)
class Unknown:
    """Data of a block type that this version does not know; it is kept as it came and drawn as a table."""

    type: str
    data: Mapping[str, object]


Data: TypeAlias = (
    Shapes
    | Matrix
    | Mask
    | Series
    | Table
    | Bytes
    | Roofline
    | Player
    | Timing
    | Check
    | Code
    | Note
    | Unknown
)

TYPES: Mapping[str, type[Data]] = {
    kind.__name__.lower(): kind
    for kind in (Shapes, Matrix, Mask, Series, Table, Bytes, Roofline, Player, Timing, Check, Code, Note)
}


@dataclass(frozen=True)
class Block:
    """One drawable piece of a result. alt says in words what the drawing shows."""

    id: str
    data: Data
    title: str = ""
    look_for: str = ""
    role: Role = ""
    alt: str = ""

    @property
    def type(self) -> str:
        return self.data.type if isinstance(self.data, Unknown) else type(self.data).__name__.lower()
