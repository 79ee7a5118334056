"""What has to be kept of a note so that an answer to it can be marked, beside what it shows. Pure.

>>> markable(note)
{'accepted': ['fp16', 'float16', 'half']}
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.library.notes import Note
from app.library.spans import spans
from app.library.values import Quantity, Tolerance, accepted


def markable(note: Note) -> dict[str, object]:
    """The words that are accepted, the quantity and its tolerance, or the code, by kind; a spot's letter is drawn."""
    kept: dict[str, object] = {}
    answer = note.answer_value
    if note.kind == "code":
        kept["code"] = next((span.body for span in spans(note.answer) if span.kind == "fence"), "")
    elif answer is not None and (note.kind == "typed" or answer.value is None):
        kept["accepted"] = list(accepted(answer.text))
    elif answer is not None and note.template is None:
        kept["quantity"] = asdict(answer)
    if note.tolerance is not None:
        kept["tolerance"] = asdict(note.tolerance)
    return {name: value for name, value in kept.items() if value}


def quantity(kept: Mapping[str, Any]) -> Quantity | None:
    return Quantity(**kept["quantity"]) if "quantity" in kept else None


def tolerance(kept: Mapping[str, Any]) -> Tolerance | None:
    return Tolerance(**kept["tolerance"]) if "tolerance" in kept else None
