"""Numbers as people write them: 1,024 · 1 024 · 3.2e5 · 2^30 · 2 x 80 x 128 · about 43. Pure and exact.

A comma that could stand for thousands or for decimals is not guessed at: `Unreadable` asks in one sentence.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

MOST_DIGITS = 400  # of a number once it is worked out
MOST_FACTORS = 12

_ABOUT = re.compile(
    r"(?:(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|some)\s+|[~≈=]\s*)+", re.IGNORECASE
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_POWER = re.compile(r"(?<=\d)([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_GAPS = re.compile(r"(?<=\d)['’_](?=\d{3})")
_PLAIN = (
    r"[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d+)?|[1-9]\d{0,2}(?: \d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+"
)
_FACTOR = re.compile(
    rf"(?P<sign>[+-]?)(?P<plain>{_PLAIN})(?:[eE](?P<exponent>[+-]?\d{{1,6}})(?!\w))?"
    r"(?:\s*(?:\^|\*\*)\s*(?P<bracket>\()?(?P<power>[+-]?\d{1,6})(?(bracket)\)))?"
)
_SIGN = re.compile(r"\s*(?P<sign>[x×*·/])\s*(?=[+-]?\.?\d)")
_COMMA = re.compile(r",\d|\.\d*,|,$")


class Unreadable(ValueError):
    """What was said is no number; the message is one sentence that says what to write."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number, the place of its last written digit (0: it is exact), how many digits count, and what follows it."""

    value: Fraction
    place: Fraction
    significant: int
    rest: str


def read(text: str) -> Number:
    """Reads the number that `text` begins with. Raises Unreadable.

    >>> read("about 1,024 tokens").value, read("2^30 B").rest, read("0.83").place
    (Fraction(1024, 1), 'B', Fraction(1, 100))
    """
    told = _spelled(text)
    factor = _FACTOR.match(told)
    if factor is None:
        raise Unreadable(
            f"“{_short(text)}” does not begin with a number; write one, such as 320 KiB or 3.2e5."
        )
    value, place, significant = _value(factor, text)
    at, count = factor.end(), 1
    while sign := _SIGN.match(told, at):
        factor = _FACTOR.match(told, sign.end())
        if factor is None:
            break
        other, _, _ = _value(factor, text)
        if sign["sign"] == "/" and not other:
            raise Unreadable(f"“{_short(text)}” divides by zero; write the number it comes to.")
        scaled = other if sign["sign"] != "/" else 1 / other
        written = count == 1 and _is_scale(factor)
        value, place = value * scaled, place * abs(scaled) if written else Fraction(0)
        at, count = factor.end(), count + 1
        if count > MOST_FACTORS:
            raise Unreadable(
                f"“{_short(text)}” has more than {MOST_FACTORS} factors; write what they come to."
            )
    _check_size(value, text)
    rest = told[at:]
    if _COMMA.match(rest) or (rest[:1] == "," and rest[1:2].isdigit()):
        raise Unreadable(
            f"The comma in “{_short(text)}” can be read in two ways; write decimals with a point, as in 3.5, "
            "and thousands as in 3,500."
        )
    return Number(value, place, significant, rest.strip())


def _spelled(text: str) -> str:
    """The text with one spelling for signs that look alike."""
    told = _POWER.sub(lambda found: f"^{found[1].translate(_RAISED)}", text.strip())
    told = told.replace("−", "-").replace("–", "-")
    told = re.sub(r"[\u00a0\u2000-\u200a\u202f\t]+", " ", told)
    about = _ABOUT.match(told)
    return _GAPS.sub("", told[about.end() :] if about else told)


def _value(factor: re.Match[str], text: str) -> tuple[Fraction, Fraction, int]:
    plain = factor["plain"].replace(",", "").replace(" ", "")
    if len(plain) > MOST_DIGITS:
        raise _too_large(text)
    value = Fraction(plain.rstrip(".") if plain.endswith(".") else plain)
    place = Fraction(1, 10 ** len(plain.partition(".")[2]))
    if factor["exponent"]:
        scale = _raised(Fraction(10), int(factor["exponent"]), text)
        value, place = value * scale, place * scale
    if factor["power"]:
        value, place = _raised(value, int(factor["power"]), text), Fraction(0)
    significant = len(plain.replace(".", "").lstrip("0")) or 1
    return (-value if factor["sign"] == "-" else value), place, significant


def _is_scale(factor: re.Match[str]) -> bool:
    """Whether a factor is the 10^5 of "3.2 x 10^5", which leaves the digits written as they are."""
    return factor["plain"] == "10" and factor["power"] is not None


def _raised(base: Fraction, power: int, text: str) -> Fraction:
    size = max(len(str(base.numerator)), len(str(base.denominator)))
    if abs(power) * size > 2 * MOST_DIGITS:
        raise _too_large(text)
    if not base and power < 0:
        raise Unreadable(f"“{_short(text)}” divides by zero; write the number it comes to.")
    return base**power


def _check_size(value: Fraction, text: str) -> None:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > 4 * MOST_DIGITS:
        raise _too_large(text)


def _too_large(text: str) -> Unreadable:
    return Unreadable(
        f"“{_short(text)}” is too large or too small to compare; write it with a unit, such as 320 GiB."
    )


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else text[:39] + "…"
