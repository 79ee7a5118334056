"""The study room for programs: next, reveal, answer, undo, redo; marks are in mark_api.py.

docs/study.md walks through an evening with it.
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, field_validator

from app.accounts.service import Current
from app.library import service as library
from app.library.bodies import FollowUpOut
from app.study import changes, mark_api, marking, picking, service, sheets, tickets, words
from app.study.cards import Card
from app.study.choosing import ByAddress
from app.study.faces import Face, face
from app.study.marking_bodies import FieldOut, MarkOut, Said
from app.study.memory import Grade
from app.study.queue import Counts
from app.study.results import Answered, Showing, Undone
from app.study.scheduling import CardState, Next
from app.web.api import PREFIX, WRITE, Body, Its, errors
from app.web.errors import Conflict

router = APIRouter(prefix=f"{PREFIX}/study", tags=["study"])
router.include_router(mark_api.router)

Signed = Annotated[str, Field(max_length=sheets.SIGNED)]
BIGGEST = 2**53  # the largest whole number that every JSON reader keeps exactly


class ShownCard(Body):
    """A card's question; its answer comes with the reveal."""

    id: str
    deck: str
    kind: str
    level: str
    tags: tuple[str, ...]
    asks: str = Field(description="What the card wants, in a few words; empty for a plain question.")
    question: str = Field(description="Plain text.")
    question_html: str
    sentences: tuple[str, ...] = Field(description="What a spot card lists, as A, B, C; else empty.")
    fields: tuple[FieldOut, ...] = Field(description="What may be said before the reveal, if one likes.")

    @classmethod
    def of(cls, card: Card, face: Face, takes: Sequence[marking.Field]) -> "ShownCard":
        return cls(
            id=card.id,
            deck=card.deck,
            kind=card.kind,
            level=card.level,
            tags=card.tags,
            asks=face.asks,
            question=face.words,
            question_html=face.question + face.listed,
            sentences=face.sentences,
            fields=tuple(map(FieldOut.of, takes)),
        )


class CountsOut(Body):
    """Cards left today. In a cram, learning are those not known, and review those not seen yet."""

    new: int
    learning: int
    review: int

    @classmethod
    def of(cls, counts: Counts) -> "CountsOut":
        return cls(new=counts.new, learning=counts.learning, review=counts.review)


class NextOut(Body):
    """The card to show now. When none is due, card, showing and revision are null, and next_due says when one is."""

    card: ShownCard | None
    showing: str | None = Field(description="Send it to /study/reveal.")
    revision: str | None = Field(description="Covers the card's state and text; send it with the grade.")
    counts: CountsOut
    next_due: datetime | None


class RevealIn(Body):
    showing: Signed
    said: Said = Field(
        default={}, description="What was said, by the names of the card's fields; empty: nothing."
    )


class IntervalOut(Body):
    """What a grade would do: the card comes back after so many seconds, or else after so many study days."""

    grade: int
    name: str
    words: str
    seconds: int | None
    days: int | None

    @classmethod
    def of(cls, grade: Grade, wait: Next) -> "IntervalOut":
        seconds = round(wait.delay.total_seconds()) if wait.delay is not None else None
        return cls(grade=grade, name=grade.word, words=words.interval(wait), seconds=seconds, days=wait.days)


class RevealOut(Body):
    answer: str = Field(description="HTML, sanitised.")
    drawn: dict[str, int | float | str] = Field(
        description="What was drawn for this showing, by name: numbers of an estimate, a spot's wrong letter."
    )
    demo: str | None = Field(description="The line of the demo that shows it.")
    next: tuple[FollowUpOut, ...] = Field(description="What an interviewer asks next.")
    intervals: tuple[IntervalOut, ...]
    ticket: str = Field(description="A grade needs it; send it to /study/answers. It carries what was said.")
    mark: MarkOut | None = Field(description="What it is worth; null where nothing was said.")


class AnswerIn(Body):
    ticket: Signed
    revision: Annotated[str, Field(max_length=100)]
    grade: int = Field(strict=True, description="1 Again, 2 Hard, 3 Good, 4 Easy.")
    ms: int = Field(
        strict=True, description="Milliseconds from the question to the grade; kept up to 60,000."
    )

    @field_validator("grade")
    @classmethod
    def _grade(cls, value: int) -> int:
        if value not in tuple(Grade):
            raise ValueError("must be 1 (Again), 2 (Hard), 3 (Good) or 4 (Easy)")
        return value


class StateOut(Body):
    """Where a card stands. In minute steps due_at is set; afterwards due_day alone, and interval in days."""

    state: str
    due_day: date | None
    due_at: datetime | None
    interval: int | None
    stability: float | None
    difficulty: float | None
    reps: int
    lapses: int

    @classmethod
    def of(cls, state: CardState) -> "StateOut":
        return cls(
            state=state.state,
            due_day=state.due_day,
            due_at=state.due_at,
            interval=state.interval,
            stability=state.memory.stability if state.memory else None,
            difficulty=state.memory.difficulty if state.memory else None,
            reps=state.reps,
            lapses=state.lapses,
        )


class AnswerOut(Body):
    event: int = Field(description="The answer's id; /study/undo takes it back.")
    card: str
    grade: int
    interval: str
    state: StateOut = Field(description="Where the answer led.")
    undone: bool = Field(description="Whether the answer was taken back since: then it does not count.")
    leech: bool = Field(description="Whether the answer suspended its card, which was forgotten too often.")

    @classmethod
    def of(cls, given: Answered) -> "AnswerOut":
        return cls(
            event=given.event,
            card=given.card_id,
            grade=given.grade,
            interval=given.interval,
            state=StateOut.of(given.state),
            undone=given.undone,
            leech=given.leech,
        )


class UndoIn(Body):
    event: int = Field(strict=True, ge=1, le=BIGGEST)


class UndoOut(Body):
    """Where an undo, or a redo, has left the event's card."""

    event: int
    card: str
    state: StateOut

    @classmethod
    def of(cls, undone: Undone) -> "UndoOut":
        return cls(event=undone.event, card=undone.card_id, state=StateOut.of(undone.state))


class CramOut(Body):
    """A cram that begins now."""

    cram: int = Field(description="Send it with each /study/next of this cram, and the same choice of cards.")
    cards: int


@router.get("/cram", responses=errors(404, 422))
def cram(its: Its, learner: Current, chosen: ByAddress) -> CramOut:
    """Begin to go through the chosen cards, due or not, without touching the schedule. Writes nothing."""
    with its.db.read() as conn:
        cards = picking.crammable(conn, learner, chosen)
        return CramOut(cram=picking.cram_begins(conn, learner), cards=cards)


@router.get("/next", responses=errors(404, 422))
def next_card(its: Its, learner: Current, chosen: ByAddress) -> NextOut:
    """The card to show now, of those that deck, tag, level and core choose; of all that are due where none is given.

    With ahead, reviews of so many coming days come, too; with cram, cards of the cram that /study/cram began.
    """
    now = its.clock()
    with its.db.read() as conn:
        found = service.next_card(conn, learner, now, chosen)
    counts = CountsOut.of(found.counts)
    if not isinstance(found, Showing):
        return NextOut(card=None, showing=None, revision=None, counts=counts, next_due=found.next_due)
    note = tickets.show(found.card, learner, now, cram=chosen.cram is not None)
    shown = face(found.card, note.key)
    with its.db.read() as conn:
        takes = marking.fields(sheets.sheet(conn, its.records, learner, found.card, shown))
    return NextOut(
        card=ShownCard.of(found.card, shown, takes),
        showing=tickets.sign(its.signer, "showing", note),
        revision=note.revision,
        counts=counts,
        next_due=now,
    )


@router.post("/reveal", responses=errors(404, 409, 422, *WRITE))
def reveal(body: RevealIn, its: Its, learner: Current) -> RevealOut:
    """The answer of the card that was shown, what each grade would do, and the ticket that a grade needs."""
    note = tickets.read(its.signer, "showing", body.showing, learner)
    with its.db.read() as conn:
        card, waits = service.reveal(conn, learner, its.clock(), note.card, note.revision)
        following = library.follow_ups(conn, card.next)
        shown = face(card, note.key)
        paper = sheets.sheet(conn, its.records, learner, card, shown)
    note, marked = sheets.said(paper, note, body.said)
    return RevealOut(
        answer=shown.answer,
        drawn=shown.values,
        demo=shown.demo,
        next=tuple(FollowUpOut.of(found) for found in following),
        intervals=tuple(IntervalOut.of(grade, wait) for grade, wait in waits.items()),
        ticket=tickets.sign(its.signer, "ticket", note),
        mark=MarkOut.of(marked) if marked else None,
    )


@router.post("/answers", responses=errors(404, 409, 422, *WRITE))
def answer(body: AnswerIn, its: Its, learner: Current) -> AnswerOut:
    """Grade a revealed card, once: a repeat of the ticket changes nothing, and gives what it did the first time."""
    note = tickets.read(its.signer, "ticket", body.ticket, learner)
    if body.revision != note.revision:
        raise Conflict(service.STALE)
    with its.db.write() as conn:
        given = service.answer(
            conn,
            learner,
            its.clock(),
            card_id=note.card,
            revision=note.revision,
            grade=body.grade,
            ms=body.ms,
            idem=note.key,
            given=note.given,
            cram=note.cram,
        )
    return AnswerOut.of(given)


@router.post("/undo", responses=errors(404, 409, 422, *WRITE))
def undo(body: UndoIn, its: Its, learner: Current) -> UndoOut:
    """Take an answer back, a spoken card's or a change of marks, too. A repeat changes nothing."""
    with its.db.write() as conn:
        undone = changes.undo(conn, learner, its.clock(), body.event)
    return UndoOut.of(undone)


@router.post("/redo", responses=errors(404, 409, 422, *WRITE))
def redo(body: UndoIn, its: Its, learner: Current) -> UndoOut:
    """Give again what was taken back, where all stands as before it. A repeat changes nothing."""
    with its.db.write() as conn:
        redone = changes.redo(conn, learner, its.clock(), body.event)
    return UndoOut.of(redone)
