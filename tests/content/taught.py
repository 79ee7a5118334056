"""The code that a card teaches, taken from the card's own text and executed: what a test then tries is what is taught."""

import math
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from app.library.format import decode, parse_deck
from app.library.spans import spans

DECKS = Path(__file__).resolve().parents[2] / "content" / "decks"


def taught(note_id: str, **given: object) -> dict[str, Any]:
    """The names that the code of a card's answer defines; `given` are names that it takes for granted."""
    names: dict[str, Any] = {"math": math, "torch": torch, "nn": nn, "F": F, **given}
    for span in spans(_answers()[note_id]):
        if span.kind == "fence":
            exec(span.body, names)
    return names


@cache
def _answers() -> dict[str, str]:
    decks = (parse_deck(decode(path.read_bytes()), path.name) for path in sorted(DECKS.glob("*.md")))
    return {note.id: note.answer for deck in decks for note in deck.notes}
