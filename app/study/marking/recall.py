"""Code that was written from memory beside the card's: compared as text, line by line, and never run. Pure."""

import re
from difflib import SequenceMatcher
from itertools import product

from app.study.marking.verdicts import FieldMark, LinePair

ALIKE = 0.5  # from here on two lines are one line, changed
MOST_PAIRS = 400  # of lines to compare; beyond that nothing is paired
ANOTHER_WAY = "Another way may be as good: read both."

_SPACES = re.compile(r"\s+")
_AROUND = re.compile(r"\s*([^\w\s])\s*")


def judged(name: str, label: str, text: str, code: str) -> FieldMark:
    """The mark of code: right where all lines say the same; else the lines that differ, and no verdict."""
    ours, theirs = _lines(text), _lines(code)
    pairs = tuple(_paired(ours, theirs))
    differ = sum(pair.shape != "same" for pair in pairs)
    if not differ:
        return FieldMark(name, label, text, "right", "The same, line by line.", lines=pairs)
    plural = "line differs" if differ == 1 else "lines differ"
    return FieldMark(name, label, text, "unmarked", f"{differ} {plural}. {ANOTHER_WAY}", lines=pairs)


def _paired(ours: list[str], theirs: list[str]) -> list[LinePair]:
    """The lines of both sides beside each other; what changed stands beside what it changed to."""
    pairs: list[LinePair] = []
    keys = [_key(line) for line in ours], [_key(line) for line in theirs]
    for tag, a, b, c, d in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if tag == "equal":
            pairs += [
                LinePair(said, right, "same") for said, right in zip(ours[a:b], theirs[c:d], strict=True)
            ]
        else:
            pairs += _changed(ours[a:b], theirs[c:d])
    return pairs


def _changed(ours: list[str], theirs: list[str]) -> list[LinePair]:
    """Lines that differ: the two that are most alike stand beside each other, and so on above and below them."""
    few = len(ours) * len(theirs) <= MOST_PAIRS
    both = product(range(len(ours)), range(len(theirs))) if few else ()
    found = [(_ratio(ours[i], theirs[j]), -i, -j) for i, j in both]
    likeness, i, j = max(found, default=(0.0, 0, 0))
    if likeness < ALIKE:
        extra = [LinePair(line, "", "extra") for line in ours]
        return extra + [LinePair("", line, "missing") for line in theirs]
    middle = LinePair(ours[-i], theirs[-j], "changed")
    return [*_changed(ours[:-i], theirs[:-j]), middle, *_changed(ours[-i + 1 :], theirs[-j + 1 :])]


def _ratio(said: str, right: str) -> float:
    return SequenceMatcher(None, said.strip(), right.strip(), autojunk=False).ratio()


def _lines(text: str) -> list[str]:
    """The lines that hold something, without what stands after them and without a fence's marks around them."""
    lines = [line.rstrip().expandtabs(4) for line in text.replace("\r\n", "\n").split("\n")]
    return [line for line in lines if line.strip() and not line.lstrip().startswith(("```", "~~~"))]


def _key(line: str) -> str:
    """What of a line is compared: its indentation, and its text without spaces that mean nothing, or quotes' kind."""
    indent = len(line) - len(line.lstrip())
    told = _AROUND.sub(r"\1", _SPACES.sub(" ", line.strip())).replace("'", '"')
    return f"{indent}:{told}"
