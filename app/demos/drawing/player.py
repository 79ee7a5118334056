"""A replay, frame by frame. All frames stand in a table, which is where the script that plays them reads from. Pure."""

from dataclasses import dataclass

from app.demos.drawing import mask
from app.demos.drawing.numbers import cells
from app.demos.drawing.room import FIRST, room
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
    room: str  # see drawing.room
    long: bool  # too long for paper


def draw(data: Player) -> PlayerView:
    columns = [cells([frame.get(label) for frame in data.frames]) for label in data.labels]
    frames = tuple(
        Frame(
            str(i + 1),
            tuple(column[i] for column in columns),
            data.words[i] if i < len(data.words) else "",
            _tile(data, i),
        )
        for i in range(len(data.frames))
    )
    plan = mask.tile_plan(data.tiles) if data.tiles else None
    return PlayerView(
        data.labels,
        frames,
        any(frame.words for frame in frames),
        plan,
        mask.tile_words(data.tiles) if data.tiles and plan else "",
        room(
            ("step", *data.labels, "what happens"),
            [(frame.number, *frame.values, frame.words) for frame in frames],
            (True, *(True for _ in data.labels), False),
        ),
        len(frames) > FIRST,
    )


def _tile(data: Player, i: int) -> str:
    """The frame's tile, if the plan has it."""
    if data.tiles is None or i >= len(data.at) or len(data.at[i]) != 2:
        return ""
    row, col = data.at[i]
    inside = 0 <= row < len(data.tiles.state) and 0 <= col < len(data.tiles.state[row])
    return f"{row},{col}" if inside else ""
