"""Names that only one file may give: decks, cards, and former ids. Pure; what `aloud check` and sync both hold.

A former id (`was:`) hands a card's history on, so it may name neither a card that is still there nor one whose
history another card has taken.

A card with `copied:` is an edited copy of another file's, and takes its place: the other is held back, as if its file
had not named it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from app.library.errors import DeckError
from app.library.notes import Deck, Note


@dataclass
class Taken:
    """Names that files have given so far, each with its place: a file, or a file and a line."""

    decks: dict[str, str] = field(default_factory=dict)
    cards: dict[str, str] = field(default_factory=dict)
    former: dict[str, str] = field(default_factory=dict)

    def take(self, deck: Deck) -> None:
        """Note what `deck` names; names that are taken stay with the card that had them first."""
        self.decks.setdefault(deck.name, deck.path)
        for note in deck.notes:
            self.cards.setdefault(note.id, f"{deck.path}:{note.line_of('id')}")
            for name in note.was:
                self.former.setdefault(name, f"{deck.path}:{note.line_of('was')}")


def copied_names(decks: Iterable[Deck]) -> frozenset[str]:
    """Every name of a card that is an edited copy."""
    return frozenset(
        name for deck in decks for note in deck.notes if note.copied for name in (note.id, *note.was)
    )


def without_copied(deck: Deck, is_copied: Callable[[Note], bool]) -> Deck:
    """The deck without the cards that a copy elsewhere stands for."""
    return replace(deck, notes=tuple(note for note in deck.notes if note.copied or not is_copied(note)))


def clashes(deck: Deck, taken: Taken, present: Collection[str]) -> Iterator[DeckError]:
    """What `deck` must not name: `present` are the ids of all cards that any file has now, its own too."""
    if deck.name in taken.decks:
        problem = f'the deck name "{deck.name}" is used in {taken.decks[deck.name]}, too'
        yield DeckError(deck.path, deck.line_of("deck"), problem, "give each deck a name of its own.")
    former = dict(taken.former)
    for note in deck.notes:
        if note.id in taken.cards:
            problem = f'the id "{note.id}" is used in {taken.cards[note.id]}, too'
            yield DeckError(deck.path, note.line_of("id"), problem, "give each card an id of its own.")
        for name in note.was:
            line = note.line_of("was")
            if name in present:
                problem = f'was: names "{name}", which a card still has'
                fix = "name ids that are no longer used, or delete it."
                yield DeckError(deck.path, line, problem, fix)
            elif name in former:
                problem = f'was: names "{name}", which a card in {former[name]} names, too'
                yield DeckError(deck.path, line, problem, "let one card have its history.")
            former.setdefault(name, f"{deck.path}:{line}")
