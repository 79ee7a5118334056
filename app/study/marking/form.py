"""What a form sends, as what was said: `said.answer=40 GB`, `said.mask.cells=0.0&said.mask.cells=1.0`. Pure."""

from collections.abc import Iterable, Sequence

from app.study.marking import squares
from app.study.marking.sheet import Field, Said

PREFIX = "said."
LONGEST = 4000  # characters of one field


class TooLong(ValueError):
    """More was said than is kept; the message is one sentence."""


def said(sent: Iterable[tuple[str, str]], fields: Sequence[Field]) -> Said:
    """What of `sent` belongs to these fields; what is empty was not said. Raises TooLong."""
    by_name: dict[str, list[str]] = {}
    for name, value in sent:
        if name.startswith(PREFIX):
            by_name.setdefault(name.removeprefix(PREFIX), []).append(value)
    return clean({field.name: _text(field, by_name.get(field.name, [])) for field in fields})


def clean(said: Said) -> Said:
    """What was said, without empty fields and in text that can be stored. Raises TooLong."""
    for text in said.values():
        if len(text) > LONGEST:
            raise TooLong(
                f"An answer may have {LONGEST:,} characters, and this one has {len(text):,}; shorten it."
            )
    kept = {name: text.encode("utf-8", "replace").decode() for name, text in said.items()}
    return {name: text for name, text in kept.items() if text.strip()}


def _text(field: Field, values: Sequence[str]) -> str:
    if field.kind != "mask":
        return values[0] if values else ""
    rows, cols = len(field.rows), len(field.cols)
    pairs = (value.split(".") for value in values)
    ticked = {(int(i), int(j)) for i, j in (pair for pair in pairs if _is_cell(pair))}
    return squares.written({(i, j) for i, j in ticked if i < rows and j < cols}, rows, cols)


def _is_cell(pair: Sequence[str]) -> bool:
    return len(pair) == 2 and all(part.isascii() and part.isdigit() and len(part) < 4 for part in pair)
