"""A replay, frame by frame. All frames stand in a table, which is where the script that plays them reads from. Pure."""

from dataclasses import dataclass

from app.demos.drawing import mask
from app.demos.drawing.numbers import cell
from kernels.result import Player


@dataclass(frozen=True)
class Frame:
    """values are in the order of the labels; tile is "row,column" on the plan, "" where there is none."""

    number: str
    values: tuple[str, ...]
    words: str
    tile: str


@dataclass(frozen=True)
class PlayerView:
    labels: tuple[str, ...]
    frames: tuple[Frame, ...]
    has_words: bool
    plan: mask.Plan | None
    plan_words: str


def draw(data: Player) -> PlayerView:
    frames = tuple(
        Frame(
            str(i + 1),
            tuple(cell(frame.get(label)) for label in data.labels),
            data.words[i] if i < len(data.words) else "",
            _tile(data, i),
        )
        for i, frame in enumerate(data.frames)
    )
    has_tiles = data.tiles is not None and bool(data.tiles.state) and any(data.tiles.state)
    return PlayerView(
        data.labels,
        frames,
        any(frame.words for frame in frames),
        mask.plan(mask.kinds(data.tiles)) if data.tiles and has_tiles else None,
        mask.tile_words(data.tiles) if data.tiles and has_tiles else "",
    )


def _tile(data: Player, i: int) -> str:
    """The frame's tile, if the plan has it."""
    if data.tiles is None or i >= len(data.at) or len(data.at[i]) != 2:
        return ""
    row, col = data.at[i]
    inside = 0 <= row < len(data.tiles.state) and 0 <= col < len(data.tiles.state[row])
    return f"{row},{col}" if inside else ""
