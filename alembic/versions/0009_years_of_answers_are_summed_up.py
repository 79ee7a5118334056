"""years of answers are summed up at once

An event holds the states before and after as JSON, about a kilobyte, and a page that sums up every answer cannot read
them all. `answered` has the few columns that are summed, in the order of days. Triggers write it whenever an event or
an undo is added; nothing else does, and all that is in it can be made anew from those two.

The indexes let cards be counted by deck and level without their texts being read.

Revision ID: 0009
Revises: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0005"
branch_labels = None
depends_on = None

# Of a damaged state there is no interval; the answer still counts. Undo and redo take turns, so the newest of them says
# whether an answer stands.
FILL = """
    INSERT INTO answered
    SELECT
        learner_id, study_day, card_id, id, kind, grade, ms,
        CASE WHEN json_valid(before) AND json_extract(before, '$.state') = 'review'
            THEN CAST(json_extract(before, '$.interval') AS INTEGER) END,
        coalesce((SELECT kind = 'undo' FROM undo WHERE event_id = event.id ORDER BY id DESC LIMIT 1), 0),
        0
    FROM event
    WHERE grade IS NOT NULL AND kind IN ('review', 'drill')
    ORDER BY learner_id, study_day, card_id, id
"""
FIND_FIRST = """
    UPDATE answered SET first = event_id IS (
        SELECT min(other.event_id) FROM answered AS other
        WHERE other.learner_id = answered.learner_id AND other.study_day = answered.study_day
            AND other.card_id = answered.card_id AND NOT other.undone
    )
"""
ON_EVENT = """
    CREATE TRIGGER answered_by_event AFTER INSERT ON event
    WHEN NEW.grade IS NOT NULL AND NEW.kind IN ('review', 'drill')
    BEGIN
        INSERT INTO answered VALUES (
            NEW.learner_id, NEW.study_day, NEW.card_id, NEW.id, NEW.kind, NEW.grade, NEW.ms,
            CASE WHEN json_valid(NEW.before) AND json_extract(NEW.before, '$.state') = 'review'
                THEN CAST(json_extract(NEW.before, '$.interval') AS INTEGER) END,
            0, 0
        );
        UPDATE answered SET first = event_id IS (
            SELECT min(event_id) FROM answered
            WHERE learner_id = NEW.learner_id AND study_day = NEW.study_day AND card_id = NEW.card_id AND NOT undone
        )
        WHERE learner_id = NEW.learner_id AND study_day = NEW.study_day AND card_id = NEW.card_id;
    END
"""
ON_UNDO = """
    CREATE TRIGGER answered_and_undone AFTER INSERT ON undo
    BEGIN
        UPDATE answered SET undone = NEW.kind = 'undo'
        WHERE (learner_id, study_day, card_id, event_id) = (
            SELECT learner_id, study_day, card_id, id FROM event WHERE id = NEW.event_id
        );
        UPDATE answered SET first = event_id IS (
            SELECT min(other.event_id) FROM answered AS other
            WHERE other.learner_id = answered.learner_id AND other.study_day = answered.study_day
                AND other.card_id = answered.card_id AND NOT other.undone
        )
        WHERE (learner_id, study_day, card_id) = (
            SELECT learner_id, study_day, card_id FROM event WHERE id = NEW.event_id
        );
    END
"""


def upgrade() -> None:
    op.create_table(
        "answered",
        sa.Column("learner_id", sa.Integer(), primary_key=True),
        sa.Column("study_day", sa.Text(), primary_key=True),
        sa.Column("card_id", sa.Text(), primary_key=True),
        sa.Column("event_id", sa.Integer(), primary_key=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=False),
        sa.Column("ms", sa.Integer()),
        sa.Column("interval_before", sa.Integer()),
        sa.Column("undone", sa.Integer(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    for statement in (FILL, FIND_FIRST, ON_EVENT, ON_UNDO):
        op.execute(statement)
    op.create_index("ix_note_key_deck_name_level_owner_id", "note", ["key", "deck_name", "level", "owner_id"])
    op.create_index("ix_card_id_note_key_queue_retired_at", "card", ["id", "note_key", "queue", "retired_at"])
    op.create_index("ix_card_queue_retired_at_id", "card", ["queue", "retired_at", "id"])
    op.create_index(
        "ix_card_state_learner_id_card_id_state_interval",
        "card_state",
        ["learner_id", "card_id", "state", "interval"],
    )


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
