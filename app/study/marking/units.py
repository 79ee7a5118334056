"""Units that answers have: bytes and bits, time, FLOPs, rates of them, shares, and whatever is counted. Pure.

A unit is a dimension and a factor, so "320 KiB" and "327,680 B" are the same, and "40 GB" is not "40 GiB".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

DATA, TIME, FLOP, NONE, COUNT = "data", "time", "flop", "", "count"
RATE = f"{FLOP}/{TIME}"

_POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_WORDS = {"kilo": 1, "mega": 2, "giga": 3, "tera": 4, "peta": 5, "exa": 6}
_BINARY_WORDS = {"kibi": 1, "mebi": 2, "gibi": 3, "tebi": 4, "pebi": 5, "exbi": 6}
_TIMES: Mapping[str, Fraction] = {
    name: factor
    for names, factor in (
        ("s sec secs second seconds", Fraction(1)),
        ("ms msec millisecond milliseconds", Fraction(1, 10**3)),
        ("us µs μs usec microsecond microseconds", Fraction(1, 10**6)),
        ("ns nanosecond nanoseconds", Fraction(1, 10**9)),
        ("min mins minute minutes", Fraction(60)),
        ("h hr hrs hour hours", Fraction(3600)),
    )
    for name in names.split()
}
_MANY: Mapping[str, int] = {
    "thousand": 3, "million": 6, "millions": 6, "mn": 6, "mio": 6, "billion": 9, "billions": 9, "bn": 9, "trillion": 12,
    "trillions": 12,
}  # fmt: skip
_SHORT_MANY: Mapping[str, int] = {"k": 3, "K": 3, "M": 6, "G": 9, "B": 9, "T": 12, "P": 15}
_BYTES = re.compile(r"(?P<prefix>[kKMGTPE]?)(?P<binary>i?)(?P<unit>B|b|bits?|[bB]ytes?)")
_LONG_BYTES = re.compile(
    rf"(?P<prefix>{'|'.join((*_WORDS, *_BINARY_WORDS))})(?P<unit>bits?|bytes?)", re.IGNORECASE
)
_FLOPS = re.compile(r"(?P<prefix>[kKMGTPE]?)(?P<unit>flops?)", re.IGNORECASE)
_PER = re.compile(r"\s*/\s*|\s+(?:per|an?)\s+")
_TIMES_SIGNS = ("x", "×", "times", "fold", "-fold")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as it was written. `noun` is what a count counts, in the singular."""

    text: str
    dimension: str
    factor: Fraction
    noun: str = ""

    @property
    def base(self) -> "Unit":
        """The unit of the same dimension that a bare number means."""
        text = {DATA: "B", TIME: "s", FLOP: "FLOP", RATE: "FLOP/s", f"{FLOP}/{DATA}": "FLOP/B"}.get(
            self.dimension, ""
        )
        return Unit(text, self.dimension, Fraction(1), self.noun)

    @property
    def counterpart(self) -> "Unit | None":
        """GB for GiB and GiB for GB: the unit that this one is taken for; None where there is no such."""
        found = re.search(r"(?P<prefix>[kKMGTPE])(?P<binary>i?)B", self.text)
        if found is None:
            return None
        prefix = found["prefix"].upper()
        other = f"{prefix if prefix != 'K' else 'k'}B" if found["binary"] else f"{prefix}iB"
        return read(self.text[: found.start()] + other + self.text[found.end() :])

    @property
    def is_kind(self) -> str:
        """What the unit measures, within a sentence."""
        return {
            DATA: "a number of bytes",
            TIME: "a time",
            FLOP: "a number of FLOPs",
            RATE: "FLOPs per second",
            f"{FLOP}/{DATA}": "FLOPs per byte",
            f"{DATA}/{TIME}": "bytes per second",
            NONE: "a share" if self.factor != 1 else "a plain number",
        }.get(self.dimension, f"a number of {self.text}" if self.dimension == COUNT else f"{self.text}")


def read(text: str, expected: Unit | None = None) -> Unit:
    """The unit that is written so; what is not known counts something. `expected` settles what has two readings.

    >>> read("KiB").factor, read("FLOP per byte").dimension, read("million weights").factor
    (Fraction(1024, 1), 'flop/data', Fraction(1000000, 1))
    """
    text = " ".join(text.strip().rstrip(".").split())
    parts = _PER.split(text, maxsplit=1)
    if len(parts) == 2 and all(parts):
        above, below = (_simple(part, None) for part in parts)
        dimension = f"{above.dimension or COUNT}/{below.dimension or COUNT}"
        return Unit(text, dimension, above.factor / below.factor, f"{above.noun}/{below.noun}".strip("/"))
    found = _simple(text, expected)
    if expected and expected.dimension == RATE and found.dimension == FLOP and text.lower().endswith("flops"):
        return Unit(text, RATE, found.factor)  # TFLOPS
    return found


def _simple(text: str, expected: Unit | None) -> Unit:
    if not text or text in _TIMES_SIGNS:
        return Unit(text, NONE, Fraction(1))
    if text in ("%", "percent", "per cent"):
        return Unit(text, NONE, Fraction(1, 100))
    if text == "B" and expected is not None and DATA not in expected.dimension:
        return Unit(text, COUNT, Fraction(10**9), expected.noun)
    return _data(text) or _flops(text) or _time(text) or _count(text, expected)


def _data(text: str) -> Unit | None:
    if long := _LONG_BYTES.fullmatch(text):
        prefix = long["prefix"].lower()
        scale = 1000 ** _WORDS[prefix] if prefix in _WORDS else 1024 ** _BINARY_WORDS[prefix]
        return _bytes(text, scale, bits=long["unit"].lower().startswith("bit"))
    spelled = text[:-1].upper().replace("I", "i") + "B" if _lazy(text) else text
    found = _BYTES.fullmatch(spelled)
    if found is None or (found["binary"] and not found["prefix"]):
        return None
    scale = (1024 if found["binary"] else 1000) ** _POWERS[found["prefix"]]
    return _bytes(spelled, scale, bits=found["unit"] == "b" or found["unit"].startswith("bit"))


def _lazy(text: str) -> bool:
    """gb and kib, as people type them who mean bytes; a bit has a lower-case b after a prefix that is not."""
    return re.fullmatch(r"[kmgtpe]i?b", text) is not None or re.fullmatch(r"[KMGTPE]ib", text) is not None


def _bytes(text: str, scale: int, *, bits: bool) -> Unit:
    return Unit(text, DATA, Fraction(scale, 8 if bits else 1))


def _flops(text: str) -> Unit | None:
    found = _FLOPS.fullmatch(text)
    if found is None:
        return None
    prefix = found["prefix"].upper() if found["prefix"] != "k" else "k"
    return Unit(text, FLOP, Fraction(1000 ** _POWERS[prefix]))


def _time(text: str) -> Unit | None:
    factor = _TIMES.get(text) or _TIMES.get(text.lower())
    return None if factor is None else Unit(text, TIME, factor)


def _count(text: str, expected: Unit | None) -> Unit:
    first, _, rest = text.partition(" ")
    power = _MANY.get(first.lower(), _SHORT_MANY.get(first))
    if power is None:
        return Unit(text, COUNT, Fraction(1), singular(text))
    if rest:
        inner = _simple(rest, expected)
        return Unit(text, inner.dimension or COUNT, inner.factor * 10**power, inner.noun)
    if expected is not None and expected.dimension not in (NONE, COUNT):  # "320k" where bytes are asked for
        return Unit(f"{text} {expected.base.text}", expected.dimension, Fraction(10**power))
    return Unit(text, NONE, Fraction(10**power))


def singular(noun: str) -> str:
    """A noun without its plural s, in small letters."""
    noun = noun.lower().strip()
    return noun[:-1] if len(noun) > 2 and noun.endswith("s") and not noun.endswith("ss") else noun
