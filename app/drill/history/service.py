"""The takes of every card over time, and all of them as an archive."""

from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import service, store
from app.drill.hearing import service as hearing
from app.drill.history import past
from app.drill.history import store as store_history
from app.drill.history.archive import Spoken
from app.drill.history.past import CardsView, PastView
from app.drill.pitch import TakeId
from app.drill.recording import store as store_recordings
from app.drill.recording.sound import Recording
from app.study.cards import EventId
from app.study.scheduling import CardId

PAGE = 50  # cards, or takes of one card


def cards(conn: Connection, learner: Learner, now: datetime, before: TakeId | None = None) -> CardsView:
    """The cards that were said, the latest first: those that were said last `before` a take."""
    found = store_history.cards(conn, learner.id, PAGE + 1, before)
    more, older = len(found) > PAGE, before is not None
    return past.cards_view(found[:PAGE], more, learner, learner.day(now), older=older)


def of_card(
    conn: Connection, learner: Learner, now: datetime, card_id: CardId, before: TakeId | None = None
) -> PastView:
    """A card's takes, the latest first: those `before` one of them. Raises NotFound."""
    pitch = service.pitch(conn, learner, card_id)
    found = store.takes(conn, learner.id, card_id, PAGE + 1, before)
    return past.past_view(
        card_id,
        pitch.words,
        found[:PAGE],
        store_history.count(conn, learner.id, card_id),
        store_history.with_sound(conn, learner.id, card_id),
        learner,
        learner.day(now),
        more=len(found) > PAGE,
        older=before is not None,
    )


def by_event(conn: Connection, learner: Learner, card_id: str) -> dict[EventId, TakeId]:
    """The card's takes, by the answer that rated each."""
    return store_history.by_event(conn, learner.id, CardId(card_id))


def spoken(conn: Connection, learner: Learner) -> tuple[Spoken, ...]:
    """All takes with what was asked, and with their recordings; then the recordings that no take has."""
    takes = store.all_takes(conn, learner.id)
    sound = {recording.id: recording for recording in store_recordings.of_learner(conn, learner.id)}
    others = [recording for recording in sound.values() if not recording.rated and not recording.open]
    asked = store_history.words(
        conn, {*(take.card_id for take in takes), *(other.card_id for other in others)}
    )
    return (
        *(
            Spoken(asked[take.card_id], sound.get(take.recording_id) if take.recording_id else None, take)
            for take in takes
        ),
        *(_unrated(conn, learner, recording, asked[recording.card_id]) for recording in others),
    )


def _unrated(conn: Connection, learner: Learner, recording: Recording, question: str) -> Spoken:
    heard = hearing.of(conn, learner, recording.id)
    if heard is None or heard.state != "heard":
        return Spoken(question, recording)
    return Spoken(question, recording, text=heard.transcript.text, pace=heard.pace.body())
