"""Small helpers for sentences: what a reader gave, what was meant, and how many of something."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}
DECIMAL = {"bytes": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}


def quoted(value: object) -> str:
    """The value as the reader gave it, cut to a length that fits a sentence."""
    text = str(value if isinstance(value, str | float) else json.dumps(value, default=str)).strip()
    text = "".join(c if c.isprintable() else "?" for c in text)
    return f'"{text[:40]}…"' if len(text) > 40 else f'"{text}"'


def nearest(word: str, known: Iterable[str]) -> str:
    """The name that a near miss meant; "" where it is near to none."""
    return next(iter(get_close_matches(word.casefold(), list(known), n=1, cutoff=0.6)), "")


def suggestion(word: str, known: Iterable[str]) -> str:
    """ "did you mean flash?" for a near miss, else all the names there are."""
    names = list(known)
    near = nearest(word, names)
    return f"did you mean {near}?" if near else f"choose one of {', '.join(names)}."


def counted(n: int, one: str, many: str = "") -> str:
    """ "1 key", "1,024 keys". Both forms may be given, and bring their verb along: ("query sees", "queries see")."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def figure(x: float) -> str:
    """Three digits, and every digit before the point: "0.0312", "14.5", "2,743"."""
    return f"{x:,.0f}" if abs(x) >= 100 else f"{x:.3g}"


def size(n: int, units: Mapping[str, int] = UNITS, digits: int = 1) -> str:
    """Bytes in the largest of the units, the binary ones if not told, of which there is at least one."""
    unit = next(unit for unit in reversed(list(units)) if n >= units[unit] or unit == "bytes")
    return f"{n / units[unit]:,.{digits}f} {unit}" if unit != "bytes" else counted(n, "byte")


def both_sizes(n: int) -> str:
    """Bytes in binary and in decimal units: "40.00 GiB = 42.95 GB"."""
    told = size(n, digits=2), size(n, DECIMAL, 2)
    return " = ".join(dict.fromkeys(told))
