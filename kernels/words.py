"""Small helpers for sentences that a reader gets when an input is not understood."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def quoted(value: object) -> str:
    """The value as the reader gave it, cut to a length that fits a sentence."""
    text = str(value).strip()
    text = "".join(c if c.isprintable() else "?" for c in text)
    return f'"{text[:40]}…"' if len(text) > 40 else f'"{text}"'


def suggestion(word: str, known: Iterable[str]) -> str:
    """ "did you mean flash?" for a near miss, else all the names there are."""
    names = list(known)
    near = get_close_matches(word.casefold(), names, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else f"choose one of {', '.join(names)}."
