"""What `aloud check` says of primers beyond their own text: decks, demos, blocks and cards that are not there. Pure."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from app.library.errors import DeckError
from app.library.format import Deck, Note
from app.primers.format import Primer

RUNGS: Final = ("IC4", "IC5", "IC6")


def check_primers(
    primers: Sequence[Primer],
    decks: Sequence[Deck],
    parse_line: Callable[[str], object],
    blocks_of: Callable[[str], Collection[str] | None],
    *,
    whole: bool = True,
) -> tuple[DeckError, ...]:
    """Every mistake, in the order of files and lines.

    `parse_line` reads a demo line and raises ValueError; `blocks_of` gives the ids of the blocks that its result has,
    or None where nobody knows. Unless the decks are `whole`, nothing is said of what may stand in a missing one.
    """
    errors = list(_twice(primers))
    names = {deck.name for deck in decks}
    notes: dict[str, Note] = {note.id: note for deck in decks for note in deck.notes}
    for primer in primers:
        errors += _demos(primer, parse_line, blocks_of)
        if whole and primer.deck not in names:
            problem = f'there is no deck "{primer.deck}"'
            errors.append(DeckError(primer.path, primer.line_of("deck"), problem, "mend the deck's name."))
        if primer.ladder:
            errors += _ladder(primer, notes, whole)
    return tuple(sorted(set(errors)))


def _twice(primers: Sequence[Primer]) -> Iterator[DeckError]:
    first: dict[str, str] = {}
    for primer in primers:
        if primer.deck in first:
            problem = f'the deck "{primer.deck}" has a page in {first[primer.deck]} already'
            yield DeckError(primer.path, primer.line_of("deck"), problem, "keep one.")
        first.setdefault(primer.deck, primer.path)


def _demos(
    primer: Primer, parse_line: Callable[[str], object], blocks_of: Callable[[str], Collection[str] | None]
) -> Iterator[DeckError]:
    for part in primer.demos:
        try:
            parse_line(part.demo)
        except ValueError as error:
            problem = f'the demo "{part.demo}" cannot run: {str(error).rstrip(".")}'
            fix = "`aloud demo list` names all demos and their parameters."
            yield DeckError(primer.path, part.line, problem, fix)
            continue
        known = blocks_of(part.demo)
        for block in part.show:
            if known is not None and block not in known:
                problem = f'the demo "{part.demo}" shows no block "{block}"'
                yield DeckError(primer.path, part.line, problem, f"name one of {', '.join(known)}.")


def _ladder(primer: Primer, notes: Mapping[str, Note], whole: bool) -> Iterator[DeckError]:
    line = primer.line_of("ladder")
    if len(primer.ladder) != len(RUNGS):
        count = len(primer.ladder)
        problem = f"the ladder has {count} card{'' if count == 1 else 's'}"
        yield DeckError(primer.path, line, problem, f"name three, of {', '.join(RUNGS)}.")
        return
    missing = [name for name in primer.ladder if name not in notes]
    if missing:
        if whole:
            problem = f'the ladder names "{missing[0]}", and no card has that id'
            yield DeckError(primer.path, line, problem, "write the id of a card.")
        return
    rungs = [notes[name] for name in primer.ladder]
    for note, level in zip(rungs, RUNGS, strict=True):
        if note.level != level:
            problem = f'the ladder\'s card "{note.id}" is of level {note.level or "none"}, not {level}'
            yield DeckError(primer.path, line, problem, f"name cards of {', '.join(RUNGS)}, in this order.")
    for lower, upper in pairwise(rungs):
        if lower.next[:1] != (upper.id,):
            problem = f'the card "{lower.id}" does not lead on to "{upper.id}", the next of the ladder'
            yield DeckError(primer.path, line, problem, f'write "{upper.id}" first in its next:.')
