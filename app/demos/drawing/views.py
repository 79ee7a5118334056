"""The frame around every block (title, what to look for, words for those who do not see it) and the badge."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from app.demos.drawing import bars, chart, mask, matrix, player, prose, roofline, words
from app.demos.drawing.undrawable import Undrawable
from kernels.result import (
    BadResult,
    Block,
    Bytes,
    Check,
    Code,
    Data,
    Mask,
    Matrix,
    Note,
    Player,
    Result,
    Roofline,
    Series,
    Shapes,
    Table,
    Timing,
    Unknown,
)

Body: TypeAlias = (
    words.ShapesView
    | words.TableView
    | words.CheckView
    | words.CodeView
    | matrix.MatrixView
    | mask.MaskView
    | player.PlayerView
    | chart.Chart
    | tuple[bars.ByteBar, ...]
    | bars.TimingView
    | Note
)


@dataclass(frozen=True)
class BlockView:
    """`template` names the file in partials/blocks that draws `body`."""

    id: str
    template: str
    title: str
    look_for: str
    role: str
    alt: str
    body: Body


@dataclass(frozen=True)
class Badge:
    """Where figures come from: live or recorded (with its date), on which device, in which mode."""

    origin: str
    when: str
    device: str
    mode: str


@dataclass(frozen=True)
class ResultView:
    """params: all that it was run with, as one would type it; paper has no form that shows them."""

    badge: Badge | None
    blocks: tuple[BlockView, ...]
    params: str = ""


MODES = {
    "compiled": "compiled kernel",
    "eager": "eager PyTorch",
    "interpreter": "Triton interpreter, not a speed",
    "calculated": "calculated, nothing was run",
}


def result(data: Mapping[str, object]) -> ResultView:
    """A result's JSON, ready to draw. Never raises: what cannot be read or drawn gives a note that says so."""
    try:
        read = Result.from_json(data)
    except BadResult as error:
        return ResultView(None, (_frame(Block("unreadable", Note(str(error)), "Not readable"), {}),))
    scales = matrix.scales(block.data for block in read.blocks if isinstance(block.data, Matrix))
    params = ", ".join(f"{name} = {_typed(value)}" for name, value in read.params.items())
    return ResultView(_badge(read), tuple(_block(block, scales) for block in read.blocks), params)


def _typed(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def check(read: Result) -> None:
    """Raises Undrawable, with a sentence, unless every block can be drawn."""
    for block in read.blocks:
        _frame(block, {})


def _badge(read: Result) -> Badge:
    try:
        day = datetime.fromisoformat(read.at)
        when = f"{day.day} {day:%b %Y}"
    except ValueError:
        when = read.at
    return Badge(read.origin, when, read.device.name or read.device.kind, MODES.get(read.mode, read.mode))


def _block(given: Block, scales: matrix.Scales) -> BlockView:
    try:
        return _frame(given, scales)
    except Undrawable as error:
        return _frame(replace(given, data=Note(str(error)), alt=""), scales)


def _frame(given: Block, scales: matrix.Scales) -> BlockView:
    given = prose.block(given)
    try:
        template, body = _body(given.data, given.title, scales)
    except Undrawable as error:
        raise Undrawable(f"The block {given.id!r} {error}, so it cannot be drawn.") from None
    return BlockView(given.id, template, given.title, given.look_for, given.role, given.alt, body)


def _body(data: Data, title: str, scales: matrix.Scales) -> tuple[str, Body]:  # noqa: PLR0911, PLR0912  (one line a type)
    match data:
        case Shapes():
            return "shapes", words.shapes(data)
        case Matrix():
            return "matrix", matrix.draw(data, scales)
        case Mask():
            return "mask", mask.draw(data, title)
        case Series():
            return "series", chart.series(data)
        case Roofline():
            return "roofline", roofline.roofline(data)
        case Table():
            return "table", words.table(data)
        case Player():
            return "player", player.draw(data)
        case Bytes():
            return "bytes", bars.amounts(data)
        case Timing():
            return "timing", bars.timing(data)
        case Check():
            return "check", words.check(data)
        case Code():
            return "code", words.code(data)
        case Note():
            return "note", data
        case Unknown():
            return "table", words.unknown(data.data)
