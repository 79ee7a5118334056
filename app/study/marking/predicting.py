"""What a prediction may say, from the card's claims and the run that shows it: shapes, masks, values, words. Pure.

The claims name what is worth predicting; the run, where there is one, names it in a reader's words and marks it.
Without a run the claims themselves do, which `aloud check --prove` holds against a run.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from app.library.expect import BadExpect, Expectation, parse_expect
from app.study.marking import shapes, squares, values
from app.study.marking.shapes import ShapeGuess
from app.study.marking.sheet import Run, Sheet
from app.study.marking.squares import MaskGuess
from app.study.marking.values import ValueGuess

MOST = 4  # fields of one card
UNTOLD = ("check", "note", "code", "unknown")  # blocks whose words would give the answer away

Guess = ShapeGuess | MaskGuess | ValueGuess


def guesses(sheet: Sheet) -> tuple[Guess, ...]:
    """The fields of a prediction, in the order of the claims, each with what marks it."""
    found: dict[str, Guess] = {}
    claims = tuple(_read(sheet.claims))
    for claim in claims:
        guess = _guess(claim, claims, sheet.run)
        if guess is not None:
            found.setdefault(guess.field.name, guess)
    return tuple(_told_apart(list(found.values())[:MOST]))


def _told_apart(found: Sequence[Guess]) -> Iterator[Guess]:
    """The guesses, with the block's name where two would be called the same."""
    counted = Counter(guess.field.label for guess in found)
    for guess in found:
        field = guess.field
        block = re.split(r"[.\[]", field.name)[0].replace("-", " ")
        label = f"{block}: {field.label}" if counted[field.label] > 1 else field.label
        yield replace(guess, field=replace(field, label=label))


def _read(lines: Sequence[str]) -> Iterator[Expectation]:
    for line in lines:
        try:
            yield parse_expect(line)
        except BadExpect:  # `aloud check` tells its author
            continue


def _guess(claim: Expectation, claims: Sequence[Expectation], run: Run | None) -> Guess | None:
    block = _block(claim, run)
    if (run is not None and block is None) or (block is not None and block.get("type") in UNTOLD):
        return None
    match claim.path:
        case ("steps", int(), "dims", int(), "n"):
            return shapes.guess(claim, claims, block)
        case ("cells", int(), int()):
            return squares.guess(claim, claims, block)
    return values.guess(claim, block)


def _block(claim: Expectation, run: Run | None) -> Mapping[str, object] | None:
    blocks = run.blocks if run else ()
    return next((block for block in blocks if block.get("id") == claim.block), None)
