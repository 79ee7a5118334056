"""What the study pages show, ready to be drawn. Pure."""

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup

from app.demos.views import CardDemo
from app.library.cards import FollowUp
from app.study import words
from app.study.cards import Card
from app.study.faces import Face
from app.study.marking import Mark
from app.study.memory import Grade
from app.study.results import Desk, Done
from app.study.saying import NOTHING, USUAL, Marked, Say
from app.study.scheduling import Next
from app.study.words import Choice

LONG_QUESTION = 160  # characters


@dataclass(frozen=True)
class Head:
    """What stands around a card: what is left, how far the day is, what undo takes back, a problem in a sentence."""

    counts: str
    done: int
    total: int
    undo: int | None
    deck: str
    problem: str


@dataclass(frozen=True)
class CardView:
    """A card with its question; with its answer, too, once it was revealed."""

    head: Head
    id: str
    title: str
    chips: tuple[str, ...]
    deck_title: str
    asks: str
    question: Markup
    sentences: Markup
    long: bool
    showing: str = ""
    answer: Markup | None = None
    source: str = ""
    demo: CardDemo | None = None
    ticket: str = ""
    choices: tuple[Choice, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    say: Say = NOTHING
    mark: Marked | None = None

    @property
    def grade(self) -> int:
        """The grade that Space gives: Good, or the one that a mark points to."""
        return self.mark.grade if self.mark else USUAL


@dataclass(frozen=True)
class DoneView:
    """Nothing is due. `comes_in_s`: seconds until the next card of today comes back."""

    head: Head
    title: str
    lead: str
    comes_in_s: int | None
    empty: bool


def head(desk: Desk, deck: str, problem: str) -> Head:
    left = desk.counts
    parts = [
        f"{count} {word}"
        for count, word in ((left.new, "new"), (left.learning, "learning"), (left.review, "due"))
        if count
    ]
    about = [f"{desk.minutes} min"] if desk.minutes else []
    return Head(
        " · ".join(parts + about), desk.done, max(1, desk.done + left.total), desk.undoable, deck, problem
    )


def question(card: Card, face: Face, top: Head, showing: str, say: Say) -> CardView:
    return CardView(
        head=top,
        id=card.id,
        title=face.words,
        chips=(card.level, *card.tags),
        deck_title=card.deck_title,
        asks=face.asks,
        question=face.question,
        sentences=face.listed,
        long=len(face.words) > LONG_QUESTION,
        showing=showing,
        say=say,
    )


def answer(
    card: Card,
    face: Face,
    top: Head,
    ticket: str,
    *,
    waits: dict[Grade, Next],
    demo: CardDemo | None,
    follow_ups: tuple[FollowUp, ...],
    mark: Mark | None = None,
) -> CardView:
    return CardView(
        head=top,
        id=card.id,
        title=face.words,
        chips=(card.level, *card.tags),
        deck_title=card.deck_title,
        asks=face.asks,
        question=face.question,
        sentences=face.marked,
        long=len(face.words) > LONG_QUESTION,
        answer=face.answer,
        source=card.source,
        demo=demo,
        ticket=ticket,
        choices=words.choices(waits),
        follow_ups=follow_ups,
        mark=Marked.of(mark, waits) if mark else None,
    )


def done(found: Done, top: Head, now: datetime) -> DoneView:
    if found.next_due is None and not found.done:
        return DoneView(
            top, "No cards yet", "A deck is a text file; the first one brings cards here.", None, empty=True
        )
    today = found.counts.learning > 0
    title = "Done for now" if today else "Done for today"
    sentences = [f"{found.done} card{'' if found.done == 1 else 's'} answered today." if found.done else ""]
    if found.next_due is None:
        sentences.append("No further card is waiting.")
    else:
        comes = "comes back" if today else "comes"
        sentences.append(f"The next card {comes} in {words.until(found.next_due, now)}.")
    wait = max(0, round((found.next_due - now).total_seconds())) if today and found.next_due else None
    return DoneView(top, title, " ".join(s for s in sentences if s), wait, empty=False)
