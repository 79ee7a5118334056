"""A predicted value, held against the run's: a number, or one of a column's words. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isnan

from app.library.expect import Expectation, Scalar, evaluate
from app.study.marking import quantities, units
from app.study.marking.numbers import Unreadable
from app.study.marking.sheet import Field
from app.study.marking.verdicts import FieldMark

LARGEST = 10**6  # from here on nobody predicts a whole number to the digit
NEAR, CLOSE = Fraction(1, 100), Fraction(1, 10)
MOST_CHOICES = 8
YES_NO = ("yes", "no")

_INFINITE = ("inf", "infinity", "∞")
_STATES = ("skipped", "full", "diagonal")


@dataclass(frozen=True, slots=True)
class ValueGuess:
    """The field of a value, what the run has there, and the unit it is in."""

    field: Field
    got: Scalar
    tolerance: float = 0.0
    unit: str = ""

    def judged(self, text: str) -> FieldMark:
        if self.field.kind == "choice":
            return self._chosen(text)
        assert isinstance(self.got, float)
        odd = _odd(text)
        if odd is not None or not isfinite(self.got):
            same = odd is not None and (odd == self.got or (isnan(odd) and isnan(self.got)))
            return self._made(
                text, "right" if same else "wrong", "Right." if same else f"It is {self._shown()}."
            )
        return self._counted(text, Fraction(self.got))

    def _chosen(self, text: str) -> FieldMark:
        told = text.strip().lower()
        right = ("yes" if self.got else "no") if isinstance(self.got, bool) else str(self.got)
        if told not in (choice.lower() for choice in self.field.choices):
            words = f"“{text.strip()[:40]}” is none of the choices; take {' or '.join(self.field.choices)}."
            return self._made(text, "unread", words)
        if told == right.lower():
            return self._made(text, "right", "Right.")
        return self._made(text, "wrong", f"It is {right}.")

    def _counted(self, text: str, got: Fraction) -> FieldMark:
        expected = units.read(self.unit)
        try:
            read = quantities.readings(text, expected)
        except Unreadable as unread:
            return self._made(text, "unread", str(unread))
        wanted = got * expected.factor
        told = min(read, key=lambda one: abs(one.value - wanted))
        off = abs(told.value - wanted)
        exact = got.denominator == 1 and not self.tolerance
        given = Fraction(self.tolerance) * expected.factor
        near = Fraction(0) if exact else NEAR * abs(wanted)
        if not off:
            return self._made(text, "right", "Right.")
        if off <= max(given, near, told.rounding):
            return self._made(text, "right", f"Right: it is {self._shown()}.")
        close = bool(wanted) and off <= CLOSE * abs(wanted)
        return self._made(
            text, "close" if close else "wrong", f"{'Close: it' if close else 'It'} is {self._shown()}."
        )

    def _shown(self) -> str:
        assert isinstance(self.got, float)
        if not isfinite(self.got):
            return "NaN" if isnan(self.got) else "−∞" if self.got < 0 else "∞"
        return quantities.shown(Fraction(repr(self.got)), self.unit)

    def _made(self, text: str, verdict: str, words: str) -> FieldMark:
        return FieldMark(self.field.name, self.field.label, text, verdict, words)  # type: ignore[arg-type]


def guess(claim: Expectation, block: Mapping[str, object] | None) -> ValueGuess | None:
    """The guess at the value that `claim` names; None where it is nothing that one predicts."""
    if claim.op != "=" or claim.path[-1] in ("got", "expected", "holds", "tol"):
        return None
    got = claim.want if block is None else evaluate(claim, (block,)).got
    place = _Place(claim, block)
    if (
        got is None
        or (isinstance(got, float) and isfinite(got) and abs(got) >= LARGEST)
        or place.names_its_row
    ):
        return None
    name = claim.block + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in claim.path)
    if isinstance(got, float):
        return ValueGuess(Field(name, "quantity", place.label, folded=True), got, claim.tolerance, place.unit)
    choices = YES_NO if isinstance(got, bool) else place.choices
    if not 2 <= len(choices) <= MOST_CHOICES:
        return None
    return ValueGuess(Field(name, "choice", place.label, choices=choices, folded=True), got)


def _odd(text: str) -> float | None:
    """NaN or an infinity, as people write them; None for anything else."""
    told = text.strip().lower().replace("−", "-").replace(" ", "")
    if told == "nan":
        return float("nan")
    if told.lstrip("+-") not in _INFINITE:
        return None
    return float("-inf") if told.startswith("-") else float("inf")


class _Place:
    """Where a claim points, in a reader's words: "Query 5: from key" for rows.rows[5].first."""

    def __init__(self, claim: Expectation, block: Mapping[str, object] | None) -> None:
        self.claim = claim
        self.path = claim.path
        self.block_type = block.get("type") if block else None
        data = block.get("data") if block else None
        self.data: Mapping[str, object] = data if isinstance(data, Mapping) else {}

    @property
    def label(self) -> str:
        return self._told() or self._plain()

    @property
    def unit(self) -> str:
        if self.block_type == "bytes":
            return "B"
        return str(self._column.get("unit", "")) if self._column else ""

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that stand in the same column; the states of a tile."""
        match self.path:
            case ("tiles", "state", int(), int()):
                return _STATES
            case ("rows", int(), str(key)):
                found = (row.get(key) for row in self._rows)
                return tuple(dict.fromkeys(word for word in found if isinstance(word, str)))
        return ()

    @property
    def names_its_row(self) -> bool:
        """Whether the claim is only there to say which row the others speak of."""
        cols = self._list("cols")
        return bool(cols) and self.path[0] == "rows" and self.path[-1] == cols[0].get("key")

    def _told(self) -> str:  # noqa: PLR0911  (one line a type of block)
        match self.path:
            case ("rows", int(row), str()) if self._column:
                return f"{self._row_name(row)}: {self._column['label']}"
            case ("rows", int(row), "n") if row < len(self._rows):
                return str(self._rows[row].get("label", ""))
            case ("stages", int(stage), "values", int(row), int(col)) if stage < len(self._list("stages")):
                return f"{self._list('stages')[stage].get('name')}, {self._axis('row', row)}, {self._axis('col', col)}"
            case ("row_sum", int(row)):
                return f"Sum of {self._axis('row', row)}"
            case ("ys", int(line), "y", int(at)) if line < len(self._list("ys")):
                return f"{self._list('ys')[line].get('label')}, at {self._x(at)}"
            case ("frames", int(frame), str(key)):
                return f"Step {frame + 1}: {key}"
            case ("tiles", "state", int(row), int(col)):
                return f"Tile in row {row + 1}, column {col + 1}"
            case (str(key),):
                return key.replace("_", " ").capitalize()
        return ""

    def _plain(self) -> str:
        """The path itself in words, where no run names it; a reader counts from 1."""
        steps = (f"{step + 1}" if isinstance(step, int) else step.replace("_", " ") for step in self.path)
        return f"{self.claim.block.replace('-', ' ')}: {' '.join(steps)}".capitalize()

    @property
    def _column(self) -> Mapping[str, object] | None:
        return next((col for col in self._list("cols") if col.get("key") == self.path[-1]), None)

    @property
    def _rows(self) -> Sequence[Mapping[str, object]]:
        return self._list("rows")

    def _row_name(self, at: int) -> str:
        """As many of the first columns as tell this row from the others."""
        cols = [col for col in self._list("cols") if col.get("key") != self.path[-1]]
        if at >= len(self._rows) or not cols:
            return f"Row {at + 1}"
        names: list[str] = []
        others = [row for n, row in enumerate(self._rows) if n != at]
        for col in cols:
            value = self._rows[at].get(str(col["key"]))
            names.append(_named(col, value))
            others = [row for row in others if row.get(str(col["key"])) == value]
            if not others:
                break
        return ", ".join(names)

    def _axis(self, axis: str, at: int) -> str:
        labels = self.data.get(f"{axis}_labels")
        name = "row" if axis == "row" else "column"
        if not isinstance(labels, list) or at >= len(labels):
            return f"{name} {at + 1}"
        return str(labels[at]) if " " in str(labels[at]) else f"{name} {labels[at]}"

    def _x(self, at: int) -> str:
        xs = self.data.get("x")
        value = xs[at] if isinstance(xs, list) and at < len(xs) else at + 1
        return (
            f"{self.data.get('x_label') or ''!s} {value:,}".strip() if isinstance(value, int) else str(value)
        )

    def _list(self, name: str) -> Sequence[Mapping[str, object]]:
        found = self.data.get(name)
        return found if isinstance(found, list) else ()


def _named(col: Mapping[str, object], value: object) -> str:
    """A row by a cell of it: words alone, a number with the name of its column."""
    if isinstance(value, str):
        return value
    told = (
        str(value).lower()
        if isinstance(value, bool)
        else f"{value:,}"
        if isinstance(value, int | float)
        else "–"
    )
    return f"{col['label']} {told}"
