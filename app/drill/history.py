"""The takes of every card over time, and all of them as an archive."""

from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import past, service, store, store_history, store_recordings
from app.drill.archive import Spoken
from app.drill.past import PastView, SaidRow
from app.drill.pitch import TakeId
from app.study.cards import EventId
from app.study.scheduling import CardId


def cards(conn: Connection, learner: Learner, now: datetime) -> tuple[SaidRow, ...]:
    """Every card that was said, the latest first."""
    return past.rows(store_history.cards(conn, learner.id), learner, learner.day(now))


def of_card(conn: Connection, learner: Learner, now: datetime, card_id: CardId) -> PastView:
    """Raises NotFound."""
    pitch = service.pitch(conn, learner, card_id)
    return past.past_view(
        card_id,
        pitch.words,
        store.takes(conn, learner.id, card_id, service.HISTORY),
        store_history.with_sound(conn, learner.id, card_id),
        learner,
        learner.day(now),
    )


def by_event(conn: Connection, learner: Learner, card_id: str) -> dict[EventId, TakeId]:
    """The card's takes, by the answer that rated each."""
    return store_history.by_event(conn, learner.id, CardId(card_id))


def spoken(conn: Connection, learner: Learner) -> tuple[Spoken, ...]:
    """All takes with what was asked, and with their recordings."""
    asked = {said.card_id: said.words for said in store_history.cards(conn, learner.id)}
    sound = {recording.id: recording for recording in store_recordings.of_learner(conn, learner.id)}
    return tuple(
        Spoken(take, asked[take.card_id], sound.get(take.recording_id) if take.recording_id else None)
        for take in store.all_takes(conn, learner.id)
    )
