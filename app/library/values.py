"""The small values that a card's fields hold. Each reader raises BadValue with what to write instead."""

import re
from dataclasses import dataclass
from math import isfinite
from typing import Literal, NewType, get_args

from app.library.text import nfc

NoteId = NewType("NoteId", str)
Level = Literal["eli5", "IC4", "IC5", "IC6"]
LEVELS: tuple[Level, ...] = get_args(Level)

MAX_ID = 80
PAGES = frozenset(
    {"exchange", "new", "news", "print"}
)  # what stands below /cards beside the cards themselves

_NUMBER = r"[+\-−]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][+-]?\d+)?"
_UNIT = r"(?=[^\d\s.,+\-−*])(?:(?!->|\{=)[^\n]){1,40}"
_QUANTITY = re.compile(rf"(?P<number>{_NUMBER})(?:\s*(?P<unit>{_UNIT}))?")


class BadValue(ValueError):
    """A field's value that cannot be read: the problem, and what to write."""

    def __init__(self, problem: str, fix: str) -> None:
        self.problem, self.fix = problem, fix
        super().__init__(f"{problem}. Fix: {fix}")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An answer as it was written, and its number and unit where it has them ("320 KiB")."""

    text: str
    value: float | None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far off an answer may be: `value` in the answer's unit, or in percent of the answer."""

    value: float
    percent: bool


def ident(text: str) -> NoteId:
    """A card's id: NFC, small letters, digits and hyphens. Dots stay free for the children of a cloze."""
    name = nfc(text)
    if not name:
        raise BadValue("the id is empty", "write a short name, such as id: causal-mask.")
    if len(name) > MAX_ID:
        raise BadValue(f"the id has {len(name)} characters", f"keep it under {MAX_ID + 1}.")
    if name != name.lower():
        raise BadValue(f'the id "{name}" has capital letters', f"write {name.lower()}.")
    if not all(sign.isalnum() or sign in "-_" for sign in name) or name.strip("-_") != name:
        raise BadValue(f'the id "{name}" is not a plain name', "use letters and digits, joined by hyphens.")
    return NoteId(name)


def note_id(text: str) -> NoteId:
    """The id of a card of its own: an `ident` that is not the address of another page."""
    name = ident(text)
    if name in PAGES:
        raise BadValue(f'the id "{name}" is the address of a page', f"write another, such as {name}-1.")
    return name


def idents(text: str) -> tuple[NoteId, ...]:
    """Several ids, divided by commas or spaces."""
    return tuple(dict.fromkeys(ident(part) for part in parts(text)))


def deck_name(text: str) -> str:
    """A deck's name: ids divided by slashes, as in attention/core."""
    try:
        return "/".join(ident(part) for part in text.split("/"))
    except BadValue:
        raise BadValue(
            f'the deck name "{text}" is not a path of plain names', "write attention/core."
        ) from None


def tags(text: str) -> tuple[str, ...]:
    """Tags, divided by commas or spaces: NFC, in small letters, each once."""
    return tuple(dict.fromkeys(nfc(part.lower()) for part in parts(text)))


def level(text: str) -> Level:
    for known in LEVELS:
        if known.lower() == text.lower():
            return known
    raise BadValue(f'the level "{text}" is not known', f"use {', '.join(LEVELS[:-1])} or {LEVELS[-1]}.")


def fingerprint(text: str) -> str:
    """What `copied:` names: which shipped text a card of one's own was copied from."""
    if not re.fullmatch("[0-9a-f]{16}", text):
        raise BadValue(f'"{text[:40]}" is no fingerprint of a card', "leave it as the copy was made with it.")
    return text


def yes(text: str) -> bool:
    if text.lower() not in ("yes", "no"):
        raise BadValue(f'"{text}" is neither yes nor no', "write yes or no.")
    return text.lower() == "yes"


def seconds(text: str) -> int:
    """The length of a spoken card, in whole seconds."""
    if not text.isascii() or not text.isdigit() or not 5 <= int(text[:6]) <= 1800:
        raise BadValue(f'the time "{text}" is not a number of seconds', "write 5 to 1800, such as time: 90.")
    return int(text)


def minutes(text: str) -> int:
    """The length of a stage, written in minutes, in seconds."""
    if not re.fullmatch(r"\d{1,2}(?:\.\d{1,2})?", text) or not 5 <= round(float(text) * 60) <= 1800:
        raise BadValue(
            f'the length "{text}" is not a number of minutes', "write 0.1 to 30, such as stage design: 3."
        )
    return round(float(text) * 60)


def unit(text: str) -> str:
    """The unit of an answer that is worked out, or "" where it has none."""
    if text and not re.fullmatch(_UNIT, text):
        raise BadValue(f'"{text[:40]}" is no unit', "write a short one, such as GiB or tokens a second.")
    return text


def quantity(text: str) -> Quantity:
    """An answer with a number and perhaps a unit: "320 KiB", "2,147 MB", "-1e9", "13 %"."""
    match = _QUANTITY.fullmatch(text)
    if match is None or not any(sign.isdigit() for sign in match["number"]):
        raise BadValue(f'the answer "{text}" is not a number with a unit', "write 320 KiB, or 2.5.")
    value = _float(match["number"])
    if not isfinite(value):
        raise BadValue(f'the answer "{text}" is too large for a number', "write it smaller than 1e308.")
    return Quantity(text, value, (match["unit"] or "").strip())


def free_quantity(text: str) -> Quantity:
    """An answer that may be a number, a formula or words."""
    try:
        return quantity(text)
    except BadValue:
        return Quantity(text, None)


def accepted(text: str) -> tuple[str, ...]:
    r"""The words that an answer accepts, divided by |, the usual one first; \| is a bar of its own. Raises BadValue."""
    found = tuple(part.replace("\\|", "|").strip() for part in re.split(r"(?<!\\)\|", text))
    if not all(found):
        raise BadValue(
            f'the answer "{text}" has nothing on one side of a |', "write fp16 | float16, or \\| for a bar."
        )
    return tuple(dict.fromkeys(found))


def wording(text: str) -> Quantity:
    """An answer of exact words, of which several may be right: "fp16 | float16"."""
    accepted(text)
    return Quantity(text, None)


def accepted_line(answer: Quantity | None) -> str:
    """How words that are accepted stand above their explanation."""
    return " or ".join(f"**{words}**" for words in accepted(answer.text)) if answer else ""


def value_line(answer: Quantity | None) -> str:
    """How an answer's value stands above its explanation."""
    return f"**{answer.text}**" if answer else ""


def tolerance(text: str, answer: Quantity) -> Tolerance:
    """ "1 %" is relative to the answer; "0.5", or "8 KiB" where the answer is in KiB, is absolute."""
    try:
        read = quantity(text)
    except BadValue:
        raise BadValue(f'the tolerance "{text}" is not a number', "write 1 %, or 8 KiB.") from None
    assert read.value is not None
    if read.value < 0 or (read.unit == "%" and read.value > 100):
        raise BadValue(f'the tolerance "{text}" is out of range', "write 0 or more, at most 100 %.")
    if read.unit not in ("", "%", answer.unit):
        fix = f"give it in {answer.unit}, or in %." if answer.unit else "leave the unit out, or use %."
        raise BadValue(f'the tolerance "{text}" has another unit than the answer "{answer.text}"', fix)
    return Tolerance(read.value, percent=read.unit == "%")


def parts(text: str) -> list[str]:
    """What commas or spaces divide."""
    return [part for part in re.split(r"[,\s]+", text) if part]


def phrases(text: str) -> tuple[str, ...]:
    """Wordings divided by |, as `hear` and `doubt` list them."""
    found = tuple(dict.fromkeys(" ".join(nfc(part).split()) for part in text.split("|") if part.strip()))
    if not found:
        raise BadValue("there is no wording here", "write one or more, divided by |.")
    return found


def _float(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))
