"""What the study pages show, ready to be drawn. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime

from markupsafe import Markup

from app.demos.views import CardDemo
from app.library import spoken_text
from app.library.cards import FollowUp
from app.study import words
from app.study.cards import Card
from app.study.chosen import Chosen
from app.study.faces import Face
from app.study.marking import Mark
from app.study.marks import is_leech
from app.study.memory import Grade
from app.study.results import Desk, Done, Step
from app.study.saying import NOTHING, USUAL, Marked, Say
from app.study.scheduling import Next
from app.study.words import Choice

LONG_QUESTION = 160  # characters


TAKEN = {
    "bury": "the burying",
    "unbury": "the unburying",
    "suspend": "the suspending",
    "unsuspend": "the unsuspending",
    "flag": "the flag",
    "note": "the note",
    "reschedule": "the call into today",
}


@dataclass(frozen=True)
class Back:
    """A button that takes an event back, or gives it again. `what` is empty for an answer."""

    event: int
    what: str

    @classmethod
    def of(cls, step: Step | None) -> "Back | None":
        return cls(step.event, TAKEN.get(step.kind, "")) if step else None


@dataclass(frozen=True)
class Leech:
    """A card that was forgotten so often that it is suspended."""

    id: str
    words: str
    demo: str


@dataclass(frozen=True)
class Head:
    """What stands around a card: what is left, how far the day is, what can be undone and redone, a problem in a
    sentence, a card that was suspended. `hidden` are the form fields that carry what was chosen, `chosen` its words.
    """

    counts: str
    done: int
    total: int
    undo: Back | None
    redo: Back | None
    hidden: tuple[tuple[str, str], ...]
    chosen: str
    problem: str
    leech: Leech | None = None


@dataclass(frozen=True)
class CardView:
    """A card with its question; with its answer, too, once it was revealed. `aloud`: what is read."""

    head: Head
    id: str
    title: str
    chips: tuple[str, ...]
    deck_title: str
    asks: str
    question: Markup
    sentences: Markup
    long: bool
    showing: str
    flagged: bool
    remark: str
    answer: Markup | None = None
    source: str = ""
    demo: CardDemo | None = None
    ticket: str = ""
    choices: tuple[Choice, ...] = ()
    follow_ups: tuple[FollowUp, ...] = ()
    say: Say = NOTHING
    mark: Marked | None = None
    aloud: str = ""

    @property
    def grade(self) -> int:
        """The grade that Space gives: Good, or the one that a mark points to."""
        return self.mark.grade if self.mark else USUAL


@dataclass(frozen=True)
class DoneView:
    """Nothing is due. `comes_in_s`: seconds until the next card of today comes back; `ways` lead on."""

    head: Head
    title: str
    lead: str
    comes_in_s: int | None
    empty: bool
    ways: tuple[tuple[str, dict[str, str], str], ...] = ()


def head(desk: Desk, chosen: Chosen, problem: str, leech: Card | None = None) -> Head:
    left = desk.counts
    names = ("new", "again", "to go") if chosen.way == "cram" else ("new", "learning", "due")
    parts = [
        f"{count} {word}"
        for count, word in zip((left.new, left.learning, left.review), names, strict=True)
        if count
    ]
    about = [f"{desk.minutes} min"] if desk.minutes else []
    return Head(
        " · ".join(parts + about),
        desk.done,
        max(1, desk.done + left.total),
        Back.of(desk.undo),
        Back.of(desk.redo),
        tuple(chosen.query().items()),
        words.chosen(chosen),
        problem,
        Leech(leech.id, leech.words, leech.demo or "") if leech else None,
    )


def choices(waits: dict[Grade, Next], *, cram: bool) -> tuple[Choice, ...]:
    """The grades' buttons; a cram has two, since it only asks whether the card was known."""
    return words.CRAM if cram else words.choices(waits)


def question(card: Card, face: Face, top: Head, showing: str, say: Say) -> CardView:
    return CardView(
        head=top,
        id=card.id,
        title=face.words,
        chips=_chips(card),
        deck_title=card.deck_title,
        asks=face.asks,
        question=face.question,
        sentences=face.listed,
        long=len(face.words) > LONG_QUESTION,
        showing=showing,
        flagged=card.standing.flag > 0,
        remark=card.standing.remark,
        say=say,
        aloud=spoken_text.question(face.question + face.listed, face.say, card.kind, card.id),
    )


def answer(
    card: Card,
    face: Face,
    top: Head,
    showing: str,
    ticket: str,
    *,
    choices: tuple[Choice, ...],
    demo: CardDemo | None,
    follow_ups: tuple[FollowUp, ...],
    mark: Mark | None = None,
) -> CardView:
    return replace(
        question(card, face, top, showing, NOTHING),
        sentences=face.marked,
        answer=face.answer,
        aloud=spoken_text.answer(face.answer, face.say, card.kind, card.id),
        source=card.source,
        demo=demo,
        ticket=ticket,
        choices=choices,
        follow_ups=follow_ups,
        mark=Marked.of(mark, [choice.grade for choice in choices]) if mark else None,
    )


def done(found: Done, top: Head, now: datetime, chosen: Chosen) -> DoneView:
    if chosen.way == "cram":
        return _crammed(found, top, chosen)
    if found.next_due is None and not found.done and not chosen.some:
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
    return DoneView(
        top, title, " ".join(s for s in sentences if s), wait, empty=False, ways=_ways(chosen, wait)
    )


def _crammed(found: Done, top: Head, chosen: Chosen) -> DoneView:
    known = f"{found.done} card{'' if found.done == 1 else 's'} known. The schedule is as it was."
    lead = known if found.done else "No card fits what was chosen; ask for less."
    once_more = ("study/cram", replace(chosen, cram=None).query(), "Once more")
    return DoneView(
        top,
        "Known, all of them" if found.done else "Nothing to cram",
        lead,
        None,
        empty=False,
        ways=((*([once_more] if found.done else []), ("study", {}, "Study what is due"), SOME)),
    )


SOME: tuple[str, dict[str, str], str] = ("study/some", {}, "Study some cards")


def _ways(chosen: Chosen, wait: int | None) -> tuple[tuple[str, dict[str, str], str], ...]:
    again = [("study", chosen.query(), "Look again")] if wait is not None else []
    everything = [("study", Chosen().query(), "Study all that is due")] if chosen.some or chosen.ahead else []
    return (*again, *everything, SOME)


def _chips(card: Card) -> tuple[str, ...]:
    flag = ("flagged",) if card.standing.flag else ()
    leech = ("leech",) if is_leech(card.standing.state) else ()
    return (*((card.level,) if card.level else ()), *card.tags, *flag, *leech)
