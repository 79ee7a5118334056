"""Typed sentences as they are printed: "2^30", "4.2e-08", "-inf", "2 x 3" become 2³⁰, 4.2e−8, −∞, 2 × 3. Pure.

A demo writes what a terminal shows and a person can type. Code stays as it is: in a block of code, in a table's cells
and after an equals sign nothing is changed. A minus sign, unlike a hyphen, keeps its number on its line.
"""

import re
from dataclasses import replace

from app.demos.drawing.numbers import MINUS, times
from kernels.result import Block, Bytes, Check, Data, Note, Player, Roofline, Series, Table, Timing

_RAISED = str.maketrans("-0123456789s", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹ˢ")
_POWER = re.compile(r"(?<!\w)(\d+|[a-zA-Z]|d_\w+|longest)\^(-?\d+|s)(?!\w)")
_EXPONENT = re.compile(r"(?<![\w=.])(-?\d+(?:\.\d+)?)e([+-]?)0*(\d+)(?!\w)")
_NEGATIVE = re.compile(r"(?<![^\s(^/])-(?=inf\b|\d)")
_UNIT = re.compile(r"(?<=\d) (?=(?:%|[KMGTP]iB|[kMGTP]B|B)(?![\w/]))")
_INFINITE = re.compile(r"(?<![\w=\-\"'])inf(?!\w)")


def printed(text: str) -> str:
    """A sentence or a label as it is printed. A number keeps its unit at the end of a line."""
    text = _UNIT.sub("\u00a0", times(text))
    text = _POWER.sub(lambda found: found[1] + found[2].translate(_RAISED), text)
    text = _EXPONENT.sub(lambda found: f"{found[1]}e{MINUS if found[2] == '-' else ''}{found[3]}", text)
    return _INFINITE.sub("∞", _NEGATIVE.sub(MINUS, text))


def block(given: Block) -> Block:
    """The block with all its words as they are printed."""
    title, look_for, alt = map(printed, (given.title, given.look_for, given.alt))
    return replace(given, title=title, look_for=look_for, alt=alt, data=_data(given.data))


def _data(data: Data) -> Data:  # noqa: PLR0911  (one line a type)
    match data:
        case Note():
            return replace(data, text=printed(data.text))
        case Check():
            return replace(data, claim=printed(data.claim))
        case Player():
            return replace(data, words=tuple(map(printed, data.words)))
        case Table():
            return replace(data, cols=tuple(replace(col, label=printed(col.label)) for col in data.cols))
        case Series():
            ys = tuple(replace(line, label=printed(line.label)) for line in data.ys)
            return replace(data, ys=ys, x_label=printed(data.x_label))
        case Roofline():
            return replace(data, points=tuple(replace(p, label=printed(p.label)) for p in data.points))
        case Bytes():
            return replace(data, rows=tuple(replace(bar, label=printed(bar.label)) for bar in data.rows))
        case Timing():
            return replace(data, rows=tuple(replace(row, label=printed(row.label)) for row in data.rows))
    return data
