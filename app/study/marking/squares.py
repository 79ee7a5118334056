"""A predicted mask: cells that are ticked, held against the run's. Written as rows of 0 and 1: 1000/1100. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.library.expect import Expectation
from app.study.marking.sheet import Field
from app.study.marking.verdicts import FieldMark, Square

MOST_SIDE = 16  # cells that can be ticked in a row or column

_ROWS = re.compile(r"[01]+(?:/[01]+)*")


@dataclass(frozen=True, slots=True)
class MaskGuess:
    """The field of a mask, and its cells: whether the query sees the key; None where nobody says."""

    field: Field
    cells: tuple[tuple[bool | None, ...], ...]

    def judged(self, text: str) -> FieldMark:
        field = self.field
        rows = read(text)
        if rows is None or [len(row) for row in rows] != [len(row) for row in self.cells]:
            size = f"{len(self.cells)} x {len(self.cells[0])}"
            words = f"This is no mask of {size}; write rows of 0 and 1, such as 100/110."
            return FieldMark(field.name, field.label, text[:200], "unread", words)
        squares = tuple(
            tuple(Square(said, right) for said, right in zip(ours, theirs, strict=True))
            for ours, theirs in zip(rows, self.cells, strict=True)
        )
        known = [square for row in squares for square in row if square.right is not None]
        off = sum(square.said != square.right for square in known)
        if not off:
            return FieldMark(
                field.name, field.label, text, "right", f"All {len(known)} cells are right.", squares=squares
            )
        words = f"{off} of {len(known)} cells {'differs' if off == 1 else 'differ'}."
        return FieldMark(field.name, field.label, text, "wrong", words, squares=squares)


def guess(
    claim: Expectation, claims: Sequence[Expectation], block: Mapping[str, object] | None
) -> MaskGuess | None:
    """The guess at the mask that `claim` speaks of; None where its cells cannot be ticked one by one."""
    cells = _claimed(claim.block, claims) if block is None else _shown(block)
    if not cells or not cells[0] or max(len(cells), len(cells[0])) > MOST_SIDE:
        return None
    field = Field(
        name=f"{claim.block}.cells",
        kind="mask",
        label=claim.block.replace("-", " ").capitalize(),
        help="Tick what each query sees.",
        rows=tuple(f"query {at}" for at in range(len(cells))),
        cols=tuple(f"key {at}" for at in range(len(cells[0]))),
    )
    return MaskGuess(field, cells)


def read(text: str) -> tuple[tuple[bool, ...], ...] | None:
    """The rows that are written; None where it is no mask."""
    told = "".join(text.split())
    if not _ROWS.fullmatch(told):
        return None
    return tuple(tuple(sign == "1" for sign in row) for row in told.split("/"))


def written(ticked: set[tuple[int, int]], rows: int, cols: int) -> str:
    """Ticked cells as text; "" where none is, which says nothing."""
    if not ticked:
        return ""
    return "/".join("".join("1" if (i, j) in ticked else "0" for j in range(cols)) for i in range(rows))


def _shown(block: Mapping[str, object]) -> tuple[tuple[bool | None, ...], ...]:
    data = block.get("data")
    cells = data.get("cells") if isinstance(data, Mapping) else None
    return tuple(tuple(bool(cell) for cell in row) for row in cells) if isinstance(cells, list) else ()


def _claimed(block: str, claims: Sequence[Expectation]) -> tuple[tuple[bool | None, ...], ...]:
    """The cells that claims name, in the smallest grid that holds them."""
    known: dict[tuple[int, int], bool] = {}
    for claim in claims:
        match claim.path:
            case ("cells", int(i), int(j)) if claim.block == block and claim.op == "=" and i < 99 and j < 99:
                known[i, j] = claim.want == 1
    rows, cols = (max((at[axis] for at in known), default=-1) + 1 for axis in (0, 1))
    return tuple(tuple(known.get((i, j)) for j in range(cols)) for i in range(rows))
