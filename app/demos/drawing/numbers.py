"""Numbers as a reader wants them: tabular, short, with their unit. Pure."""

import math
from typing import Final

MINUS: Final = "−"
LARGEST: Final = 2**63  # whole numbers beyond it are in nothing but blocks of an unknown type
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
    """Three decimals, as in a matrix cell: 0.168, −∞. Large magnitudes turn to 4 digits: −1.000e9."""
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
    if x == int(x) and abs(x) < 1e15:
        return _signed(f"{int(x):,}")
    if abs(x) >= 1e6 or abs(x) < 1e-3:
        mantissa, _, exponent = f"{x:.2e}".partition("e")
        return _signed(f"{mantissa}e{int(exponent)}").replace("e-", f"e{MINUS}")
    digits = max(0, 3 - math.floor(math.log10(abs(x))))
    return _signed(f"{x:,.{digits}f}".rstrip("0").rstrip("."))


def cell(value: object) -> str:
    """A table's cell: yes or no, a dash for nothing, numbers short, other things as they are."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case int() if abs(value) >= LARGEST:
            return str(value)  # it may be more than a float can hold
        case int() | float():
            return short(float(value))
        case "nan" | "inf" | "-inf":
            return short(float(value))
        case _:
            return str(value)


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
