"""What the drill room does: list pitches, save a take with its rating, take the rating back."""

from dataclasses import dataclass, replace
from datetime import date, datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import store
from app.drill.attempt import Attempt, again_key
from app.drill.pitch import Choice, Pitch, Take, TakeId, in_order
from app.drill.said import service as said
from app.rounds import service as rounds
from app.study import changes
from app.study import service as study
from app.study.cards import EventId
from app.study.scheduling import CardId
from app.web.errors import Invalid, NotFound

HISTORY = 50


@dataclass(frozen=True, slots=True)
class SpokenToday:
    """What today asks of the voice: pitches due, pitches never said, and the seconds that both plan for."""

    due: int
    new: int
    planned_s: int
    first: CardId | None


def choices(conn: Connection, learner: Learner, now: datetime) -> tuple[Choice, ...]:
    """Every pitch in the decks, due ones first."""
    due = {card.card_id: card.state.due_day for card in study.due_spoken(conn, learner, now)}
    found = [Choice(pitch, due.get(pitch.card_id)) for pitch in store.pitches(conn, learner.id)]
    return in_order(found, learner.day(now))


def today(conn: Connection, learner: Learner, now: datetime) -> SpokenToday:
    day = learner.day(now)
    plan = rounds.day_plan(conn, learner, now)
    later = plan.later if plan else frozenset()
    open_ = [c for c in choices(conn, learner, now) if c.is_due(day) and c.pitch.card_id not in later]
    new = sum(c.due_day is None for c in open_)
    return SpokenToday(
        due=len(open_) - new,
        new=new,
        planned_s=sum(c.pitch.planned_s for c in open_),
        first=open_[0].card_id if open_ else None,
    )


def pitch(conn: Connection, learner: Learner, card_id: CardId) -> Pitch:
    found = store.pitch(conn, learner.id, card_id)
    if found is None:
        raise NotFound(f"There is no spoken card {card_id[:80]!r}. The drill lists all there are.")
    return found


def expect_card(conn: Connection, learner: Learner, card_id: CardId) -> None:
    """Raises NotFound unless there is a card that can be answered aloud: an interview asks those to read, too."""
    if not store.may_say(conn, learner.id, card_id):
        raise NotFound(f"There is no card {card_id[:80]!r}. The drill lists all that are said.")


def history(conn: Connection, learner: Learner, card_id: CardId) -> tuple[Take, ...]:
    """The latest takes of a pitch, newest first; those whose rating was taken back are marked."""
    return tuple(store.takes(conn, learner.id, card_id, HISTORY))


def take(conn: Connection, learner: Learner, card_id: CardId, take_id: TakeId) -> Take:
    found = store.take_by_id(conn, learner.id, take_id)
    if found is None or found.card_id != card_id:
        raise NotFound("There is no such take of this card. The card's page lists those there are.")
    return found


def due_day(conn: Connection, learner: Learner, card_id: CardId) -> date | None:
    """The study day on which a pitch comes up; None: it was never said."""
    return study.state_of(conn, learner, card_id).due_day


def save(
    conn: Connection,
    learner: Learner,
    now: datetime,
    attempt: Attempt,
    grade: int,
    ticks: tuple[str, ...],
) -> Take:
    """Rate a finished attempt: one event in the log, and the take that belongs to it.

    A repeat, known by the attempt's key, gives the take that is there already. Raises Invalid for ticks that
    are not among the card's key points.
    """
    spoken = said.of_attempt(conn, learner, attempt)
    attempt = said.timed(attempt, spoken)
    assert attempt.spoken_ms is not None
    asked = pitch(conn, learner, attempt.card_id)
    unknown = set(ticks) - {p.id for p in asked.points}
    if unknown:
        raise Invalid("The key points of this card have changed since you spoke: please tick them again.")
    given = study.answer_spoken(
        conn,
        learner,
        now,
        card_id=attempt.card_id,
        grade=grade,
        ms=attempt.spoken_ms,
        idem=_idem(attempt.key),
        detail={},
    )
    kept = store.take_by_event(conn, learner.id, given.event)
    if kept is None:
        ticked = tuple(p.id for p in asked.points if p.id in ticks)
        words = said.kept(spoken, asked.points)
        store.add_take(conn, attempt, asked, event_id=given.event, at=now, ticks=ticked, said=words)
        kept = store.take_by_event(conn, learner.id, given.event)
    assert kept is not None
    return kept


def known_ticks(
    conn: Connection, learner: Learner, card_id: CardId, ticks: tuple[str, ...]
) -> tuple[str, ...]:
    """Those of `ticks` that are key points of the card, in the card's order."""
    return tuple(p.id for p in pitch(conn, learner, card_id).points if p.id in ticks)


def saved(conn: Connection, learner: Learner, attempt: Attempt) -> Take | None:
    """The take that an attempt became; None: it was not rated yet."""
    return store.take_by_idem(conn, learner.id, _idem(attempt.key))


def rated_again(conn: Connection, learner: Learner, take: Take) -> Take | None:
    """The take that holds the new rating of an undone one; None: it was not rated again."""
    return store.take_by_idem(conn, learner.id, _idem(again_key(take.id))) if take.undone else None


def undo(conn: Connection, learner: Learner, now: datetime, event_id: EventId) -> Take:
    """Take the rating back; the take stays in the table, marked undone. A repeat changes nothing."""
    found = store.take_by_event(conn, learner.id, event_id)
    if found is None:
        raise NotFound("There is no such take to undo.")
    changes.undo(conn, learner, now, event_id)
    return replace(found, undone=True)


def _idem(key: str) -> str:
    """The key of an attempt as the log knows it."""
    return f"take:{key}"
