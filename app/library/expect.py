"""What a card claims of its demo's result: `weights.stages[3].values[1][0] = 0.168 +- 0.0005`. Pure.

A line names a block, then the way through its data (indices count from 0), an operator and a value.
The numbers of a result may be the strings "nan", "inf" and "-inf"; both sides read them as numbers.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal, get_args

Op = Literal["=", "<", "<=", ">", ">="]
OPS: tuple[Op, ...] = get_args(Op)
Scalar = float | str | bool

_LINE = re.compile(
    r"(?P<block>[\w-]+)(?P<path>(?:\.[\w-]+|\[\d+\])+)\s*(?P<op><=|>=|=|<|>)\s*"
    r"(?P<want>[^\s=<>].*?)(?:\s*(?:\+-|±)\s*(?P<tolerance>\S+))?\s*"
)
_STEP = re.compile(r"\.([\w-]+)|\[(\d+)\]")
_WORDS: Mapping[str, Scalar] = {
    "true": True, "false": False, "nan": float("nan"), "inf": float("inf"), "-inf": float("-inf"),
}  # fmt: skip
_EXAMPLE = "write it like weights.stages[3].values[1][0] = 0.168 +- 0.0005"


class BadExpect(ValueError):
    """A line that is no expectation; the message is one sentence that says what to write."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """One claim: the value at `path` within the data of `block` stands in relation `op` to `want`."""

    text: str
    block: str
    path: tuple[str | int, ...]
    op: Op
    want: Scalar
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a claim holds, the value found (None: there is none), and both in a sentence."""

    holds: bool
    got: Scalar | None
    sentence: str


def parse_expect(text: str) -> Expectation:
    """Reads one line. Raises BadExpect.

    >>> parse_expect("entropy-raw.got < 0.7").path
    ('got',)
    """
    match = _LINE.fullmatch(text.strip())
    if match is None:
        raise BadExpect(f'"{text.strip()}" is no expectation; {_EXAMPLE}.')
    op = next(known for known in OPS if known == match["op"])
    want = _value(match["want"])
    if op != "=" and (isinstance(want, str | bool) or isnan(want)):
        raise BadExpect(f'"{match["want"]}" has no order; use = for it, or compare with a number.')
    tolerance = _value(match["tolerance"] or "0")
    if isinstance(tolerance, str | bool) or not 0 <= tolerance < float("inf"):
        raise BadExpect(f'the tolerance "{match["tolerance"]}" is not a number from 0 on; {_EXAMPLE}.')
    if match["tolerance"] and (op != "=" or isinstance(want, str | bool)):
        raise BadExpect("a tolerance belongs to = and a number; leave +- out.")
    path = tuple(name or int(index) for name, index in _STEP.findall(match["path"]))
    return Expectation(text.strip(), match["block"], path, op, want, tolerance)


def evaluate(expectation: Expectation, blocks: Sequence[Mapping[str, object]]) -> Outcome:
    """Looks the value up in the blocks of a result (as JSON data) and compares. Never raises."""
    block = next((block for block in blocks if block.get("id") == expectation.block), None)
    if block is None:
        there = ", ".join(str(block.get("id")) for block in blocks) or "none"
        return Outcome(
            False, None, f'The result has no block "{expectation.block}"; its blocks are: {there}.'
        )
    found, lost = _walk(expectation, block.get("data"))
    if lost:
        return Outcome(False, None, lost)
    got = _read(found)
    where = expectation.block + _path(expectation.path)
    if got is None:
        kind = "nothing" if found is None else "a list" if isinstance(found, list) else "a group of values"
        return Outcome(False, None, f"{where} is {kind}; the path must lead to one value.")
    holds = _compare(got, expectation)
    claim = f"{expectation.op} {show(expectation.want)}"
    claim += f" +- {show(expectation.tolerance)}" if expectation.tolerance else ""
    return Outcome(
        holds, got, f"{where} is {show(got)}, {'as' if holds else 'but not as'} claimed ({claim})."
    )


def show(value: Scalar) -> str:
    """A value as it is written in an expect line."""
    return (
        str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else f"{value:.6g}"
    )


def _value(text: str) -> Scalar:
    if text in _WORDS:
        return _WORDS[text]
    try:
        return float(text.replace("−", "-"))
    except ValueError:
        return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def _walk(expectation: Expectation, data: object) -> tuple[object, str]:
    """The value at the end of the path, or a sentence that says where it was lost."""
    for depth, step in enumerate(expectation.path):
        at = expectation.block + _path(expectation.path[:depth])
        if isinstance(step, int):
            if not isinstance(data, list):
                return None, f"{at} is no list, so [{step}] leads nowhere."
            if step >= len(data):
                count = "1 entry" if len(data) == 1 else f"{len(data)} entries"
                return None, f"{at} has {count}, counted from 0, so there is no [{step}]."
            data = data[step]
        else:
            if not isinstance(data, Mapping):
                return None, f'{at} has no parts with names, so ".{step}" leads nowhere.'
            if step not in data:
                return None, f'{at} has no "{step}"; it has: {", ".join(map(str, data)) or "nothing"}.'
            data = data[step]
    return data, ""


def _path(path: Sequence[str | int]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def _read(found: object) -> Scalar | None:
    if isinstance(found, bool):
        return found
    if isinstance(found, int | float):
        return float(found)
    return _WORDS.get(found, found) if isinstance(found, str) else None


def _compare(got: Scalar, claim: Expectation) -> bool:
    want = claim.want
    if isinstance(got, str | bool) or isinstance(want, str | bool):
        return type(got) is type(want) and got == want
    match claim.op:
        case "=":
            return got == want or abs(got - want) <= claim.tolerance or (isnan(got) and isnan(want))
        case "<":
            return got < want
        case "<=":
            return got <= want
        case ">":
            return got > want
    return got >= want
