"""A card as somebody writes it: what is wrong with it, line by line, and how it will look. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from app.library import blocks
from app.library.check import deck_errors
from app.library.compose import ReadyCard, ready
from app.library.errors import DeckError, DeckErrors
from app.library.fields import take_apart
from app.library.format import Deck, Note, parse_deck
from app.library.text import unify

LONGEST = 60_000  # characters, far more than anybody learns as one card
_CALLED = "the card"
ParseLine = Callable[[str], object]


@dataclass(frozen=True)
class LineError:
    """What is wrong in a line of the text, counted from 1, and what to write instead."""

    line: int
    problem: str
    fix: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.problem}. To mend it: {self.fix}"


@dataclass(frozen=True)
class Side:
    """A card that the text makes, both sides as HTML; `label` tells several apart."""

    label: str
    front: Markup
    back: Markup


@dataclass(frozen=True)
class Draft:
    """The text of one card, and either the note that it makes or what is wrong with it."""

    text: str
    note: Note | None
    errors: tuple[LineError, ...]

    def sides(self) -> tuple[Side, ...]:
        if self.note is None:
            return ()
        deck = Deck("draft", "Draft", _CALLED, None, (self.note,))
        cards = ready(deck).notes[0].cards
        return tuple(_side(card, len(cards)) for card in cards)


def read(text: str, demo: str | None, parse_line: ParseLine) -> Draft:
    """The draft in `text`. `demo` is its deck's, `parse_line` reads a demo line and raises ValueError."""
    text = unify(text).strip("\n")
    head = _head(demo)
    found = take_apart(head + text, _CALLED).blocks
    above = head.count("\n")
    if len(text) > LONGEST:
        return _wrong(
            text, LineError(1, f"the card has {len(text)} characters", f"keep it under {LONGEST + 1}.")
        )
    if len(found) > 1:
        line = found[1].line - above
        return _wrong(
            text, LineError(line, "a second card begins here", "make it with New card, one at a time.")
        )
    if not text.strip() or (not found and not take_apart(head + text, _CALLED).errors):
        return _wrong(text, LineError(1, "there is no card yet", "begin with Q:, C: or S:, and a question."))
    try:
        deck = parse_deck(head + text, _CALLED)
        errors = tuple(deck_errors(deck, parse_line))
    except DeckErrors as wrong:
        errors = wrong.errors
    if errors:
        return Draft(text, None, tuple(_line(error, above) for error in errors))
    return Draft(text, deck.notes[0], ())


def with_id(text: str, suggested: str) -> str:
    """The text with an id: the one it has, or else the suggested one."""
    text = unify(text)
    begun = take_apart(_head(None) + text, _CALLED).blocks
    return blocks.with_line(text, "id", suggested) if begun and not blocks.own_id(text) else text


def _head(demo: str | None) -> str:
    return "---\ndeck: draft\ntitle: Draft\n" + (f"demo: {demo}\n" if demo else "") + "---\n"


def _line(error: DeckError, above: int) -> LineError:
    return LineError(max(1, error.line - above), error.problem, error.fix)


def _wrong(text: str, error: LineError) -> Draft:
    return Draft(text, None, (error,))


def _side(card: ReadyCard, count: int) -> Side:
    label = f"Card {card.suffix.lstrip('.')}" if count > 1 and card.suffix else ""
    label = {"Card r": "The other way round"}.get(label, label)
    return Side(label, Markup(card.front), Markup(card.back))  # noqa: S704  (sanitised when rendered)
