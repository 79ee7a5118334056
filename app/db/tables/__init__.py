"""The tables, all STRICT. A learner's rows carry learner_id; the event log only ever grows.

Card state is what the events lead to: it can be thrown away and rebuilt from `event` and `undo`.
"""

from app.db.tables.base import metadata
from app.db.tables.drill import draft, hearing, opinion, recording, take
from app.db.tables.library import (
    TURNS,
    card,
    card_text,
    deck,
    deck_file,
    deck_size,
    fresh_from,
    note,
    note_alias,
    note_source,
    note_tag,
    tag_size,
)
from app.db.tables.mock import asked, interview
from app.db.tables.people import learner, preference, settings_snapshot
from app.db.tables.rounds import round
from app.db.tables.study import answered, card_state, due, event, undo
from app.db.tables.work import job, result

__all__ = [
    "TURNS",
    "answered",
    "asked",
    "card",
    "card_state",
    "card_text",
    "deck",
    "deck_file",
    "deck_size",
    "draft",
    "due",
    "event",
    "fresh_from",
    "hearing",
    "interview",
    "job",
    "learner",
    "metadata",
    "note",
    "note_alias",
    "note_source",
    "note_tag",
    "opinion",
    "preference",
    "recording",
    "result",
    "round",
    "settings_snapshot",
    "tag_size",
    "take",
    "undo",
]
