"""What a demo returns: a Result of typed blocks, and its JSON form (schema 1). Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from kernels.blocks import (
    TYPES,
    Bar,
    Block,
    Bytes,
    Cell,
    Check,
    Code,
    Column,
    Data,
    Dim,
    Grid,
    HeadView,
    Line,
    Mask,
    Matrix,
    Note,
    Player,
    Role,
    Roofline,
    RooflinePoint,
    Row,
    Series,
    Shapes,
    Stage,
    Step,
    Table,
    Tiles,
    Timing,
    TimingRow,
    Unknown,
)
from kernels.codec import Json, Mismatch, decode, encode
from kernels.words import quoted

__all__ = [
    "MOST_BYTES", "OUT_OF_MEMORY", "SCHEMA", "TOO_LARGE", "TYPES", "BadResult", "Bar", "Block", "Bytes", "Cell",
    "Check", "Code", "Column", "Data", "Device", "Dim", "Grid", "HeadView", "Line", "Mask", "Matrix", "Mode", "Note",
    "Origin", "Player", "Refused", "Result", "Role", "Roofline", "RooflinePoint", "Row", "Series", "Shapes", "Stage",
    "Step", "Table", "Tiles", "Timing", "TimingRow", "Unknown",
]  # fmt: skip

SCHEMA = 1
OUT_OF_MEMORY = "out-of-memory"
"""The id of the note that is all there is of a run whose memory ran out."""

MOST_BYTES = 1_000_000
MOST_LEVELS = 32
TOO_LARGE = "The result is larger than 1 MB, the most that is kept; choose smaller lengths."

Mode: TypeAlias = Literal["compiled", "eager", "interpreter", "calculated"]
Origin: TypeAlias = Literal["live", "recorded"]


class BadResult(ValueError):
    """The data is no result of schema 1; the message is one sentence that says where it departs."""


class Refused(Exception):
    """A demo cannot run these parameters on this machine; the message is one sentence for the learner."""


@dataclass(frozen=True)
class Device:
    """Where it ran. kind is cpu or cuda; what is absent is an empty text."""

    kind: Literal["cpu", "cuda"]
    name: str
    driver: str
    torch: str
    triton: str


@dataclass(frozen=True)
class Result:
    """One run. at is UTC in ISO form; code hashes the demo's sources; wall_ms is all but start-up."""

    demo: str
    params: Mapping[str, bool | int | float | str]
    seed: int
    origin: Origin
    mode: Mode
    device: Device
    code: str
    at: str
    wall_ms: int
    blocks: tuple[Block, ...]
    schema: int = SCHEMA

    def block(self, block_id: str) -> Block:
        """The block of that id; raises KeyError."""
        for block in self.blocks:
            if block.id == block_id:
                return block
        raise KeyError(block_id)

    @property
    def whole(self) -> bool:
        """Whether these are the demo's blocks: false where memory ran out, and a note stands in their place."""
        return [block.id for block in self.blocks] != [OUT_OF_MEMORY]

    def to_json(self) -> dict[str, Json]:
        """The JSON form (schema 1): plain data, with non-finite numbers as "nan", "inf", "-inf"."""
        head: dict[str, Json] = {"schema": self.schema}
        for field in fields(self):
            if field.name not in ("schema", "blocks"):
                head[field.name] = encode(getattr(self, field.name))
        return {**head, "blocks": [_block_json(block) for block in self.blocks]}

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> Result:
        """Reads the JSON form; raises BadResult with one sentence. Unknown block types are kept."""
        if data.get("schema") != SCHEMA:
            which = f"is of schema {quoted(data['schema'])}" if "schema" in data else "says no schema"
            raise BadResult(f"The result {which}; this reads {SCHEMA}.")
        blocks = data.get("blocks")
        if not isinstance(blocks, list | tuple):
            raise BadResult("The result lacks its list of blocks.")
        try:
            parsed = tuple(_block(item, f"blocks[{i}]") for i, item in enumerate(blocks))
            head = decode(_Head, {**data, "blocks": []}, "result")
        except Mismatch as error:
            raise BadResult(f"The result does not fit schema {SCHEMA}: {error}.") from error
        ids = [block.id for block in parsed]
        if doubled := sorted({i for i in ids if ids.count(i) > 1}):
            raise BadResult(f"The result has two blocks with the id {doubled[0]!r}.")
        known = {f.name: getattr(head, f.name) for f in fields(head)}
        # As sent: "-inf" is a number in a block, and the name of a choice among the parameters.
        return cls(**{**known, "params": data["params"]}, blocks=parsed)


@dataclass(frozen=True)
class _Head:
    demo: str
    params: Mapping[str, bool | int | float | str]
    seed: int
    origin: Origin
    mode: Mode
    device: Device
    code: str
    at: str
    wall_ms: int


@dataclass(frozen=True)
class _BlockHead:
    id: str
    type: str
    title: str
    look_for: str
    role: Role
    alt: str


def _block_json(block: Block) -> dict[str, Json]:
    data = block.data.data if isinstance(block.data, Unknown) else block.data
    head = _BlockHead(block.id, block.type, block.title, block.look_for, block.role, block.alt)
    return {**{f.name: encode(getattr(head, f.name)) for f in fields(head)}, "data": encode(data)}


def _block(item: object, place: str) -> Block:
    head = decode(_BlockHead, item, place)
    if not head.id:
        raise Mismatch(f"{place}.id is empty")
    raw = item.get("data") if isinstance(item, Mapping) else None
    if not isinstance(raw, Mapping):
        raise Mismatch(f"{place}.data must be an object")
    if not _shallow(raw, MOST_LEVELS):
        raise Mismatch(f"{place}.data is nested more than {MOST_LEVELS} levels deep")
    kind = TYPES.get(head.type)
    data: Data = Unknown(head.type, dict(raw)) if kind is None else decode(kind, raw, f"{place}.data")
    return Block(head.id, data, head.title, head.look_for, head.role, head.alt)


def _shallow(value: object, levels: int) -> bool:
    """Whether `value` is nested at most `levels` deep, as every block that can be drawn is."""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return levels >= 0 and all(_shallow(item, levels - 1) for item in inner)
