"""A predicted shape, held against the run's: (2, 8, 16, 64) · 2 x 8 x 16 x 64. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from app.library.expect import Expectation
from app.study.marking.sheet import Field
from app.study.marking.verdicts import FieldMark, Piece

_BETWEEN = re.compile(r"[\s,;x×*·]+")
_AROUND = re.compile(r"^\s*(?:torch\.size)?\s*[(\[]*|[)\]]*\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ShapeGuess:
    """The field of a shape, and its sizes. Leading sizes of 1 are nobody's question."""

    field: Field
    sizes: tuple[int, ...]

    def judged(self, text: str) -> FieldMark:
        sizes = read(text)
        field = self.field
        if sizes is None:
            words = f"“{text.strip()[:40]}” is no shape; write its sizes in order, such as (2, 8, 16, 64)."
            return FieldMark(field.name, field.label, text, "unread", words)
        ours, theirs = _bare(sizes), _bare(self.sizes)
        if ours == theirs:
            return FieldMark(field.name, field.label, told(sizes), "right", "Right.")
        said, right = _difference(ours, theirs)
        words = (
            "The sizes are right, their order is not."
            if sorted(ours) == sorted(theirs)
            else _words(ours, theirs)
        )
        return FieldMark(field.name, field.label, told(sizes), "wrong", words, said, right)


def guess(
    claim: Expectation, claims: Sequence[Expectation], block: Mapping[str, object] | None
) -> ShapeGuess | None:
    """The guess at the tensor that `claim` speaks of; None where the run has no such."""
    step = claim.path[1]
    assert isinstance(step, int)
    name = f"{claim.block}.steps[{step}]"
    if block is None:
        known = [other for other in claims if other.block == claim.block and other.path[:2] == claim.path[:2]]
        sizes = {other.path[3]: other.want for other in known if len(other.path) == 5 and other.op == "="}
        whole = tuple(int(size) for _, size in sorted(sizes.items(), key=str) if isinstance(size, float))
        return ShapeGuess(_field(name, f"Shape at step {step + 1}"), whole) if whole else None
    data = block.get("data")
    steps = data.get("steps") if isinstance(data, Mapping) else None
    if not isinstance(steps, list) or step >= len(steps):
        return None
    found = steps[step]
    return ShapeGuess(
        _field(name, f"Shape of {found['name']}"), tuple(int(dim["n"]) for dim in found["dims"])
    )


def read(text: str) -> tuple[int, ...] | None:
    """The sizes that are written; None where it is no shape."""
    parts = [part for part in _BETWEEN.split(_AROUND.sub("", text)) if part]
    if not parts or not all(part.isascii() and part.isdigit() and len(part) < 16 for part in parts):
        return None
    return tuple(int(part) for part in parts)


def told(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes))}{',' * (len(sizes) == 1)})"


def _field(name: str, label: str) -> Field:
    return Field(name, "shape", label, "Its sizes in order, such as (2, 8, 16, 64).")


def _bare(sizes: Sequence[int]) -> tuple[int, ...]:
    """The sizes without the ones in front."""
    first = next((at for at, size in enumerate(sizes) if size != 1), len(sizes))
    return tuple(sizes[first:])


def _words(ours: Sequence[int], theirs: Sequence[int]) -> str:
    if len(ours) != len(theirs):
        count = f"{len(theirs)} size{'' if len(theirs) == 1 else 's'}"
        return f"It has {count}, not {len(ours)}."
    off = sum(a != b for a, b in zip(ours, theirs, strict=True))
    return f"{off} of {len(theirs)} sizes {'is' if off == 1 else 'are'} another."


def _difference(ours: Sequence[int], theirs: Sequence[int]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    said: list[Piece] = []
    right: list[Piece] = []
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        said += _pieces(ours, a, b, "same" if tag == "equal" else "extra")
        right += _pieces(theirs, c, d, "same" if tag == "equal" else "missing")
    return tuple(said), tuple(right)


def _pieces(sizes: Sequence[int], start: int, end: int, shape: str) -> list[Piece]:
    made: list[Piece] = []
    for at in range(start, end):
        made += [Piece(", ")] if at else []
        made.append(Piece(str(sizes[at]), shape))  # type: ignore[arg-type]
    return made
