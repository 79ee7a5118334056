"""What the pages show on which cards are written, ready to be drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from app.accounts.learner import Learner
from app.library.cards import Written
from app.library.comparing import Piece, compare
from app.library.decks import Look
from app.library.draft import Draft, LineError, Side

SKELETON = "Q: \nA: \nid: \nlevel: IC4\n"
OWN_DECK = "mine"


@dataclass(frozen=True)
class Preview:
    """How the text will look, or what is wrong with it; neither where nothing is written yet. `state` says which."""

    sides: tuple[Side, ...]
    errors: tuple[LineError, ...]
    state: str


@dataclass(frozen=True)
class Difference:
    """Two texts that are to be compared: what each is called, and the way from the first to the second."""

    old: str
    new: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class EditView:
    """The editor. `seen` and `base` travel with the form; `problem` is a sentence.

    `back` is where Cancel leads, `came` how the address called that.
    """

    title: str
    path: str
    text: str
    seen: str
    base: str
    back: str
    came: str
    where: str
    problem: str
    preview: Preview
    difference: Difference | None
    card: str
    deck: str
    decks: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ShippedView:
    """A card that was edited here, and whose shipped text has changed since."""

    card: str
    words: str
    theirs: Difference
    mine: Difference
    base: str


@dataclass(frozen=True)
class News:
    """What the last look at the decks found, and the copies whose shipped card has changed."""

    words: str
    changed: tuple[tuple[str, str], ...]


def preview(draft: Draft, suggested: str = "", refused: tuple[LineError, ...] = ()) -> Preview:
    """`suggested` is the id that a card without one gets, `refused` what kept it from being saved."""
    errors = draft.errors or refused
    if errors:
        count = f"{len(errors)} mistake{'' if len(errors) == 1 else 's'}, the first in line {errors[0].line}."
        return Preview((), errors, count)
    told = f" Its id will be {suggested}, unless you write another one." if suggested else ""
    return Preview(draft.sides(), (), f"It can be saved.{told}")


def blank() -> Preview:
    return Preview((), (), "While you write, the card is shown here.")


def is_blank(text: str) -> bool:
    """Whether nothing was written yet but what a new card begins with."""
    return text.split() in ([], SKELETON.split())


def lead(written: Written) -> str:
    """What saving will do."""
    if written.origin == "shipped":
        return (
            "It ships with Aloud: saving makes a copy of your own, which takes its place. Its history stays."
        )
    if written.copied:
        return f"Your edited copy of a shipped card, in {written.path}."
    return f"It stands in {written.path}."


def shipped(card: str, words: str, written: Written, mine: str, base: str) -> ShippedView:
    """What changed on either side, as far as the text is known from which the copy was made."""
    theirs = written.shipped_text or ""
    before, called = (
        (written.copied_text, "the shipped card before") if written.copied_text else (mine, "yours")
    )
    return ShippedView(
        card,
        words,
        Difference(called, "the shipped card now", compare(before, theirs)),
        Difference("the shipped card now", "yours", compare(theirs, mine)),
        base,
    )


def news(look: Look | None, learner: Learner, changed: Sequence[tuple[str, str]]) -> News:
    if look is None:
        return News("", tuple(changed))
    at = look.at.astimezone(ZoneInfo(learner.zone)).strftime("%H:%M")
    wrong = sorted({error.path for error in look.synced.errors})
    told = [f"Decks were looked at {at}: {look.synced.changes.words}"]
    told += [f"{', '.join(wrong)} {'has' if len(wrong) == 1 else 'have'} mistakes"] if wrong else []
    return News("; ".join(told) + ".", tuple(changed))
