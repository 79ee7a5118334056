"""What an estimate draws: `params: model=llama-3-70b|llama-2-7b context=8192|32768 batch=1..64`. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import product

from app.library.expression import FUNCTIONS, LARGEST, Number, Value
from app.library.rows import TABLES, row
from app.library.values import BadValue, parts

Choice = Number | str
Draw = Mapping[str, Choice]  # a value for each parameter, in the order of the card

MOST_CHOICES = 50
MOST_CHECKED = 64  # draws of one card

_PARAM = re.compile(r"(?P<name>[A-Za-z]\w*)=(?P<values>\S+)", re.ASCII)
_SPAN = re.compile(r"(?P<low>[+-]?\d+)\.\.(?P<high>[+-]?\d+)", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_EXAMPLE = "write context=8192|32768, or batch=1..64."


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter and what it may be: choices as written, or a range of whole numbers. The first is canonical."""

    name: str
    choices: Sequence[Choice]


def params(text: str) -> tuple[Param, ...]:
    """The parameters of an estimate. Raises BadValue."""
    found: list[Param] = []
    for part in parts(text):
        match = _PARAM.fullmatch(part)
        if match is None:
            raise BadValue(f'"{part}" is no parameter', _EXAMPLE)
        name = match["name"]
        if name == "answer" or name in FUNCTIONS:
            raise BadValue(f'a parameter cannot be called "{name}"', "give it another name.")
        if any(name == other.name for other in found):
            raise BadValue(f'the parameter "{name}" stands twice', "keep one of them.")
        found.append(Param(name, _choices(name, match["values"])))
    return tuple(found)


def first(params: Sequence[Param]) -> Draw:
    """The canonical draw: what a card shows wherever nothing is drawn."""
    return {param.name: param.choices[0] for param in params}


def draw(params: Sequence[Param], key: str) -> Draw:
    """The draw of this key: the same key draws the same, and another one most likely something else."""
    return {param.name: param.choices[_nth(key, param)] for param in params}


def further(params: Sequence[Param], count: int) -> Iterator[Draw]:
    """The first `count` draws that differ from the canonical one and from each other, or as many as there are."""
    seen = [first(params)]
    for nth in range(50 * count):
        found = draw(params, str(nth))
        if found not in seen and len(seen) <= count:
            seen.append(found)
            yield found


def to_check(params: Sequence[Param]) -> Iterator[Draw]:
    """The draws to try a card with: all of them where they are few, or else each end alone and a good mixture."""
    yield first(params)
    total = 1
    for param in params:
        total *= len(param.choices)
    if total <= MOST_CHECKED:
        for values in product(*(param.choices for param in params)):
            yield {param.name: value for param, value in zip(params, values, strict=True)}
        return
    for param in params:
        ends = param.choices if len(param.choices) <= MOST_CHOICES else (param.choices[0], param.choices[-1])
        for value in ends:
            yield {**first(params), param.name: value}
    yield from further(params, MOST_CHECKED // 2)


def names(draw: Draw) -> dict[str, Value]:
    """What the names of an expression stand for: numbers and words as drawn, rows for `model` and `gpu`."""
    return {name: row(name, str(value)) if name in TABLES else value for name, value in draw.items()}


def said(draw: Draw) -> str:
    """A draw in the words of its card: "context=8192 batch=3"."""
    return " ".join(f"{name}={value}" for name, value in draw.items())


def _choices(name: str, text: str) -> Sequence[Choice]:
    if span := _SPAN.fullmatch(text):
        low, high = int(span["low"][:20]), int(span["high"][:20])
        if low >= high:
            raise BadValue(f'the range "{text}" runs backwards', "put the smaller number first.")
        if max(abs(low), abs(high)) > 2**53:
            raise BadValue(f'the range "{text}" is too large', "keep it within 2**53.")
        return range(low, high + 1)
    if ".." in text:
        raise BadValue(f'"{text}" is no range of whole numbers', _EXAMPLE)
    words = text.split("|")
    if not all(words):
        raise BadValue(f'a choice of "{name}" is empty', _EXAMPLE)
    numbers = [_NUMBER.fullmatch(word) is not None for word in words]
    if any(numbers) and not all(numbers):
        other = words[numbers.index(False)]
        raise BadValue(f'"{other}" of "{name}" is not a number as its other choices are', _EXAMPLE)
    choices = tuple(_number(word) if all(numbers) else word for word in words)
    if len(set(choices)) < len(choices):
        raise BadValue(f'a choice of "{name}" stands twice', "give each once.")
    if not 2 <= len(choices) <= MOST_CHOICES:
        problem = f'"{name}" has {len(choices)} choice{"s" * (len(choices) > 1)}'
        raise BadValue(problem, f"give 2 to {MOST_CHOICES}, divided by |, or a range such as 1..64.")
    if name in TABLES:
        for choice in choices:
            row(name, str(choice))
    return choices


def _number(text: str) -> Number:
    number = float(text)
    if not abs(number) < LARGEST:
        raise BadValue(f'"{text[:20]}" is too large', "keep it below 1e300.")
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else number


def _nth(key: str, param: Param) -> int:
    digest = blake2b(f"{key}/{param.name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % len(param.choices)
