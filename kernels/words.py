"""Small helpers for sentences: what a reader gave, what was meant, and how many of something."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}


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


def counted(n: int, one: str, many: str = "") -> str:
    """ "1 key", "1,024 keys". Both forms may be given, and bring their verb along: ("query sees", "queries see")."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def figure(x: float) -> str:
    """Three digits, and every digit before the point: "0.0312", "14.5", "2,743"."""
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"


def size(n: int) -> str:
    """Bytes in the largest binary unit of which there is at least one."""
    unit = next(unit for unit in reversed(UNITS) if n >= UNITS[unit] or unit == "bytes")
    return f"{n / UNITS[unit]:,.1f} {unit}" if unit != "bytes" else counted(n, "byte")
