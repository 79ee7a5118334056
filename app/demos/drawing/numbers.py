"""Numbers as a reader wants them: tabular, short, with their unit. Pure."""

import math
import re
from collections.abc import Sequence
from typing import Final

MINUS: Final = "−"
LARGEST: Final = 2**63  # whole numbers beyond it are in nothing but blocks of an unknown type
_WHOLE: Final = r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,15})"
_TIMES: Final = re.compile(rf"(?<![\w.,]){_WHOLE}(?: x {_WHOLE})+(?![.,]?\w)")
_BINARY: Final = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_DECIMAL: Final = ("B", "kB", "MB", "GB", "TB", "PB")


def _odd(x: float) -> str | None:
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "∞" if x > 0 else f"{MINUS}∞"
    return None


def _signed(text: str) -> str:
    return text.replace("-", MINUS, 1) if text.startswith("-") else text


def fixed(x: float, places: int = 3) -> str:
    """Three decimals, as in a matrix cell: 0.168, −∞. Large magnitudes turn to two digits: −1.0e9."""
    if odd := _odd(x):
        return odd
    if abs(x) >= 1e5:
        return _signed(f"{x:.1e}").replace("e+0", "e").replace("e+", "e")
    text = f"{x:.{places}f}"
    return _signed(text) if float(text) else text.removeprefix("-")


def short(x: float) -> str:
    """Four significant digits, whole numbers whole: 12,288 · 0.1684 · 2.1e-7."""
    if odd := _odd(x):
        return odd
    if (x == int(x) and abs(x) < 1e15) or 1e-3 <= abs(x) < 1e6:
        return _plain(x)
    return _with_exponent(x)


def _plain(x: float) -> str:
    if x == int(x):
        return _signed(f"{int(x):,}")
    digits = max(0, 3 - math.floor(math.log10(abs(x))))
    text = f"{x:,.{digits}f}"
    return _signed(text.rstrip("0").rstrip(".") if digits else text)


def _with_exponent(x: float) -> str:
    mantissa, _, exponent = f"{x:.2e}".partition("e")
    return _signed(f"{mantissa}e{int(exponent)}").replace("e-", f"e{MINUS}")


def column(numbers: Sequence[float]) -> list[str]:
    """Numbers that stand below each other, in one style: short ones, all plain, or else all with an exponent."""
    texts = [short(x) for x in numbers]
    sizes = [abs(x) for x in numbers if x and math.isfinite(x)]
    if not any("e" in text for text in texts) or len(sizes) < 2:
        return texts
    write = _plain if min(sizes) >= 1e-5 and max(sizes) < 1e12 else _with_exponent
    return [write(x) if x and math.isfinite(x) else text for x, text in zip(numbers, texts, strict=True)]


def cell(value: object) -> str:
    """A table's cell: yes or no, a dash for nothing, numbers short, other things as they are."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int() if abs(value) >= LARGEST:
            return str(value)  # it may be more than a float can hold
        case int() | float() | "nan" | "inf" | "-inf":
            return short(float(value))
        case _:
            return times(str(value))


def times(text: str) -> str:
    """Sizes as they are printed: "8192 x 64" becomes 8,192 × 64."""
    return _TIMES.sub(
        lambda found: " × ".join(f"{int(n.replace(',', '')):,}" for n in found[0].split(" x ")), text
    )


def cells(values: Sequence[object]) -> list[str]:
    """A column of a table: its numbers in one style, the rest as each cell would be."""
    numbers = {
        i: float(value)
        for i, value in enumerate(values)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST
    }
    written = dict(zip(numbers, column(list(numbers.values())), strict=True))
    return [written.get(i) or cell(value) for i, value in enumerate(values)]


def _scaled(n: float, step: int, units: tuple[str, ...]) -> str:
    power = 0
    while abs(n) >= step and power < len(units) - 1:
        n /= step
        power += 1
    return f"{n:,.0f} {units[0]}" if power == 0 else f"{short(n)} {units[power]}"


def byte_words(n: float) -> str:
    """Bytes in both countings, since they differ by 7 % at a billion: "40 GiB = 42.95 GB"."""
    if odd := _odd(n):
        return f"{odd} B"
    binary = _scaled(n, 1024, _BINARY)
    return binary if abs(n) < 1024 else f"{binary} = {_scaled(n, 1000, _DECIMAL)}"


def percent(part: float, whole: float) -> str:
    """A share in whole percent; "0 %" of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else "0 %"


def runs(numbers: tuple[int, ...]) -> str:
    """Rising numbers as runs: (0, 1, 2, 5) gives "0–2, 5"."""
    spans: list[list[int]] = []
    for n in numbers:
        if spans and n == spans[-1][1] + 1:
            spans[-1][1] = n
        else:
            spans.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in spans)
