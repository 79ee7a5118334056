"""Numbers in the sentences of every demo: nouns agree with them, thousands stand apart, none is a power of ten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from kernels.catalog import DEMOS, BadParams, parse, refusals
from kernels.params import Demo, Params
from kernels.result import Bytes, Check, Note, Result, Series, Table
from kernels.run import run

NOUNS = (
    "bytes|calls|cells|chips|draws|heads|keys|layers|models|numbers|positions|queries|requests|rows|scores|splits|steps"
    "|tiles|times|tokens|values"
)
WRONG = {
    "one of many": re.compile(rf"(?<![\w.,·/x+-])(?<! [-+·x/] )1 ([\w/-]+ )?({NOUNS})\b"),
    "one are": re.compile(r"(?<![\w.,])1 (are|see|have|sum|make|come)\b"),
    "a power of ten": re.compile(r"\de\+\d"),
    "digits that run together": re.compile(r"(?<![\w.,])\d{5,}(?!\w)"),
}


def smallest(entry: Demo) -> Params:
    """Every whole number as low as the demo takes it beside those before it: there is one of nearly everything."""
    params = parse(entry, {})
    for param in entry.params:
        if param.kind != "int" or param.name == "seed" or param.low is None:
            continue
        try:
            lower = parse(entry, {**params, param.name: round(param.low)})
        except BadParams:
            continue
        if not refusals(entry, lower, interpreter=True):
            params = lower
    return params


def sentences(result: Result) -> Iterator[str]:
    """All that a result says in words, but for code and where a figure comes from."""
    for block in result.blocks:
        yield from (block.title, block.look_for, block.alt)
        match block.data:
            case Check(claim=told) | Note(text=told):
                yield told
            case Table(cols=cols):
                yield from (col.label for col in cols)
            case Bytes(rows=bars):
                yield from (bar.label for bar in bars)
            case Series(ys=lines):
                yield from (line.label for line in lines)


@pytest.mark.parametrize("name", DEMOS)
def test_numbers_are_told_as_one_would_say_them(name: str) -> None:
    if missing := [library for library in DEMOS[name].needs if find_spec(library) is None]:
        pytest.skip(f"This demo needs {missing[0]}, which is not installed here.")
    result = run(name, smallest(DEMOS[name]))
    found = [(why, s) for s in sentences(result) for why, pattern in WRONG.items() if pattern.search(s)]
    assert found == [], result.params


@pytest.mark.parametrize(
    "sentence",
    [
        "Of 1 cells, 1 are visible.",
        "1 of its 3 calls are NaN, 1 are not",
        "1 rows of 4 numbers.",
        "For 1 tokens",
        "1 key/value heads",
        "Hidden scores become -1e+09",
        "score(131072, 26)",
    ],
)
def test_what_was_told_wrongly_once_is_found(sentence: str) -> None:
    assert any(pattern.search(sentence) for pattern in WRONG.values())


@pytest.mark.parametrize(
    "sentence",
    [
        "At d_k + 1 keys",
        "131,072 tokens",
        "the sum is 1 in all rows",
        "W - 1 tokens",
        "1e-09",
        "2,150,447,549.2",
    ],
)
def test_what_is_right_is_not(sentence: str) -> None:
    assert not any(pattern.search(sentence) for pattern in WRONG.values())
