"""Cards to read that are asked aloud, as in a mock interview: their two sides, and a grade for what was said.

A card that is new or due is answered for good, as in the study room: it was recalled, and more. One that is not due is
only noted, as in a cram. Its schedule stays, since an early look at what is known teaches the scheduler little; who did
not know it calls it into today's queue, where it is graded for good.
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.library import drawing
from app.study import answering, store, store_log, words
from app.study.cards import Card, EventId
from app.study.faces import Face, face
from app.study.memory import Grade
from app.study.scheduling import CardId
from app.study.service import LONGEST_MS
from app.study.words import Choice
from app.web.errors import Invalid, NotFound

STAYS = "not due: stays"


@dataclass(frozen=True)
class Put:
    """A card as it is put to somebody, drawn with a key."""

    card: Card
    face: Face


def put(conn: Connection, learner: Learner, card_id: str, key: str) -> Put:
    """Both sides of a card, retired or not; raises NotFound."""
    card = _card(conn, learner, card_id)
    return Put(card, face(card, _first(key)))


def preview(conn: Connection, learner: Learner, now: datetime, card_id: str) -> tuple[Choice, ...]:
    """The four grades of a card, each with what it would do to the schedule."""
    card = _card(conn, learner, card_id)
    if not _counts(learner, now, card):
        return tuple(Choice(int(grade), grade.word, STAYS) for grade in Grade)
    return words.choices(answering.outcomes(learner, now, card))


def answer(
    conn: Connection, learner: Learner, now: datetime, *, card_id: str, grade: int, ms: int, key: str
) -> EventId:
    """Take the grade of a card that was answered aloud, drawn with this `key`. A repeat changes nothing."""
    if grade not in list(Grade):
        raise Invalid("The grade must be 1 (Again), 2 (Hard), 3 (Good) or 4 (Easy).")
    idem = f"aloud:{key}"
    known = store_log.event_by_idem(conn, learner.id, idem)
    if known is not None:
        return known.id
    card = _card(conn, learner, card_id)
    drawn = {"drawn": drawing.values(card.drawn, _first(key))} if card.drawn else {}
    write = answering.record if _counts(learner, now, card) else answering.record_cram
    capped = min(max(ms, 0), LONGEST_MS)
    return write(conn, learner, now, card, Grade(grade), ms=capped, idem=idem, detail={**drawn}).id


def _counts(learner: Learner, now: datetime, card: Card) -> bool:
    """Whether the card is new or due, and in the queue."""
    today = learner.day(now)
    if card.retired or card.standing.suspended or card.standing.marks.hidden(today):
        return False
    due = card.standing.state.due_day
    return due is None or due <= today


def _first(key: str) -> str:
    """What an answer's numbers are drawn with: one that was started over has the key of the first before a dot."""
    return key.partition(".")[0]


def _card(conn: Connection, learner: Learner, card_id: str) -> Card:
    found = store.card(conn, learner.id, CardId(card_id))
    if found is None or found.queue != "study":
        raise NotFound(f"There is no card {card_id[:80]!r} to be read. The Cards page lists all there are.")
    return found
