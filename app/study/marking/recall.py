"""Code that was written from memory beside the card's: compared as text, line by line, and never run. Pure."""

import re
from difflib import SequenceMatcher
from itertools import zip_longest

from app.study.marking.verdicts import FieldMark, LinePair

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
    matcher = SequenceMatcher(
        None, [_key(line) for line in ours], [_key(line) for line in theirs], autojunk=False
    )
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            pairs += [
                LinePair(said, right, "same") for said, right in zip(ours[a:b], theirs[c:d], strict=True)
            ]
            continue
        for said, right in zip_longest(ours[a:b], theirs[c:d]):
            shape = "extra" if right is None else "missing" if said is None else "changed"
            pairs.append(LinePair(said or "", right or "", shape))  # type: ignore[arg-type]
    return pairs


def _lines(text: str) -> list[str]:
    """The lines that hold something, without what stands after them and without a fence's marks around them."""
    lines = [line.rstrip().expandtabs(4) for line in text.replace("\r\n", "\n").split("\n")]
    return [line for line in lines if line.strip() and not line.lstrip().startswith(("```", "~~~"))]


def _key(line: str) -> str:
    """What of a line is compared: its indentation, and its text without spaces that mean nothing, or quotes' kind."""
    indent = len(line) - len(line.lstrip())
    told = _AROUND.sub(r"\1", _SPACES.sub(" ", line.strip())).replace("'", '"')
    return f"{indent}:{told}"
