"""A number with a unit, held against the card's: the same, within its tolerance, or off by so much. Pure."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from app.library.values import Quantity, Tolerance
from app.study.marking import numbers, units
from app.study.marking.numbers import Number, Unreadable
from app.study.marking.units import COUNT, NONE, Unit
from app.study.marking.verdicts import FieldMark, Verdict

FACTOR = Fraction(19, 10)  # from here on an error is told as a factor
FAR = 100  # and from here on as nothing else


@dataclass(frozen=True, slots=True)
class Told:
    """A quantity in base units; `place` is that of its last written digit. `taken` says how a missing unit was read."""

    value: Fraction
    place: Fraction
    unit: Unit
    taken: str = ""
    significant: int = 0

    @property
    def rounding(self) -> Fraction:
        """How far the value may be off and still round to what was written; one digit alone rounds nothing."""
        return self.place / 2 if self.significant >= 2 else Fraction(0)


def judged(name: str, label: str, text: str, answer: Quantity, tolerance: Tolerance | None) -> FieldMark:
    """The mark of a quantity. `answer` has a number; without a tolerance its written digits say how exact it is."""
    wanted = _wanted(answer)
    try:
        told = _best(readings(text, wanted.unit), wanted, tolerance)
    except Unreadable as unread:
        return FieldMark(name, label, text, "unread", str(unread))
    verdict, words = _compared(told, wanted, tolerance)
    remarks = [words, told.taken, _mixed_up(told, wanted, tolerance)]
    return FieldMark(name, label, text, verdict, " ".join(remark for remark in remarks if remark))


def readings(text: str, expected: Unit) -> tuple[Told, ...]:
    """What `text` can mean where `expected` is the answer's unit, the likeliest first. Raises Unreadable."""
    number = numbers.read(text)
    if not number.rest:
        return _without_unit(number, expected)
    unit = units.read(number.rest, expected)
    taken = ""
    if unit.dimension == COUNT and expected.dimension in (COUNT, NONE):
        if unit.noun and expected.noun and unit.noun != expected.noun:
            taken = f"“{unit.text}” was read as {expected.text}."
        elif expected.dimension == NONE and unit.noun:
            taken = f"The card asks for no unit; “{unit.text}” was left out."
    elif (
        unit.dimension == NONE
        and expected.dimension == COUNT
        and unit.text not in ("%", "percent", "per cent")
    ):
        pass
    elif unit.dimension != expected.dimension:
        raise Unreadable(
            f"“{' '.join(text.split())[:60]}” is {unit.is_kind}, and the card asks for {expected.is_kind}; "
            f"write it in {expected.text or 'no unit'}."
        )
    return (Told(number.value * unit.factor, number.place * unit.factor, unit, taken, number.significant),)


def _without_unit(number: Number, expected: Unit) -> tuple[Told, ...]:
    """A bare number is in the answer's unit, or in the plain one: 0.5 for 50 %, 327680 for 320 KiB."""
    taken = f"Read as {expected.text}." if expected.text and expected.dimension not in (NONE, COUNT) else ""
    found = [
        Told(
            number.value * expected.factor,
            number.place * expected.factor,
            expected,
            taken,
            number.significant,
        )
    ]
    if expected.factor != 1:
        base = expected.base
        taken = f"Read as {base.text}." if base.text else ""
        found.append(Told(number.value, number.place, base, taken, number.significant))
    return tuple(found)


def _wanted(answer: Quantity) -> Told:
    assert answer.value is not None
    unit = units.read(answer.unit) if answer.unit else Unit("", NONE, Fraction(1))
    exact = Fraction(repr(answer.value))
    try:
        place = numbers.read(answer.text).place
    except Unreadable:
        place = Fraction(0)
    return Told(exact * unit.factor, place * unit.factor, unit)


def _best(found: tuple[Told, ...], wanted: Told, tolerance: Tolerance | None) -> Told:
    """The reading that is right, if one is; else the likeliest."""
    return next((told for told in found if _within(told.value, wanted, tolerance)), found[0])


def _room(wanted: Told, tolerance: Tolerance | None) -> Fraction:
    """How far off is still right, in base units."""
    if tolerance is None:
        return wanted.place / 2
    given = Fraction(repr(tolerance.value))
    return abs(wanted.value) * given / 100 if tolerance.percent else given * wanted.unit.factor


def _within(value: Fraction, wanted: Told, tolerance: Tolerance | None) -> bool:
    return abs(value - wanted.value) <= max(_room(wanted, tolerance), wanted.place / 2)


def _compared(told: Told, wanted: Told, tolerance: Tolerance | None) -> tuple[Verdict, str]:
    if told.value == wanted.value:
        return "right", "Right."
    off = told.value - wanted.value
    if abs(off) <= wanted.place / 2:
        return "right", "Right, as the answer is rounded."
    if _within(told.value, wanted, tolerance):
        return "right", f"Right, within the tolerance: {_off(told, wanted)}."
    return "wrong", f"Off by {_off(told, wanted)}."


def _off(told: Told, wanted: Told) -> str:
    """How far: "2.5 %, 1 GiB too little", or "8 times too much"."""
    off = told.value - wanted.value
    side = "too much" if off > 0 else "too little"
    amount = _amount(abs(off) / wanted.unit.factor, wanted.unit)
    if not wanted.value:
        return f"{amount} {side}"
    ratio = told.value / wanted.value
    if ratio <= 0:
        return f"{amount} {side}, and its sign is another"
    factor = max(ratio, 1 / ratio)
    if factor >= FACTOR:
        told_as = f"a factor of {short(factor)}"
        return f"{told_as}, {side}" if factor >= FAR else f"{told_as}: {amount} {side}"
    return f"{float(abs(off) / abs(wanted.value) * 100):.2g} %, {amount} {side}"


def _amount(value: Fraction, unit: Unit) -> str:
    return f"1 {unit.noun}" if value == 1 and unit.text.rstrip("s") == unit.noun else shown(value, unit.text)


def _mixed_up(told: Told, wanted: Told, tolerance: Tolerance | None) -> str:
    """Where GB was written and GiB meant, or the other way round: what the number is in the other."""
    other = told.unit.counterpart
    if other is None or told.taken or told.value == wanted.value or wanted.unit.counterpart is None:
        return ""
    amount = told.value / told.unit.factor
    same_system = ("i" in told.unit.text) == ("i" in wanted.unit.text)
    if same_system or not _within(amount * other.factor, wanted, tolerance):
        return ""
    other_amount = shown(told.value / other.factor, other.text)
    written = shown(amount, told.unit.text)
    binary, decimal = (told.unit.text, other.text) if "i" in told.unit.text else (other.text, told.unit.text)
    return f"{written} is {other_amount}: {decimal} counts in thousands, {binary} in steps of 1,024."


def shown(value: Fraction, unit: str) -> str:
    """A value with its unit, as a reader wants it: at most four digits, thousands apart."""
    return f"{short(value)} {unit}".strip()


def short(value: Fraction) -> str:
    """At most four significant digits; whole numbers in full up to a million millions."""
    if value.denominator == 1 and abs(value) < 10**12:
        return f"{int(value):,}"
    if abs(value) >= 10**12:
        return f"{Decimal(value.numerator) / value.denominator:.3e}"  # a float ends at 1.8e308
    number = float(value)
    return f"{number:,.0f}" if abs(number) >= 999.5 else f"{number:.4g}"
