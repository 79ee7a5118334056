"""what was said aloud

Recordings, what was heard in them, what a judge said; a take knows its recording, and keeps its figures.
And what a learner has chosen.

Revision ID: 0010
Revises: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "preference",
        sa.Column("learner_id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["learner_id"], ["learner.id"], name="fk_preference_learner_id_learner"),
        sa.PrimaryKeyConstraint("learner_id", "name", name="pk_preference"),
        sqlite_strict=True,
    )
    op.create_table(
        "recording",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("learner_id", sa.Integer, nullable=False),
        sa.Column("card_id", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("mime", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, server_default="0", nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
        sa.Column("lost", sa.Text, server_default="", nullable=False),
        sa.Column("deleted_at", sa.Text),
        sa.ForeignKeyConstraint(["learner_id"], ["learner.id"], name="fk_recording_learner_id_learner"),
        sa.ForeignKeyConstraint(["card_id"], ["card.id"], name="fk_recording_card_id_card"),
        sa.PrimaryKeyConstraint("id", name="pk_recording"),
        sa.UniqueConstraint("learner_id", "key", name="uq_recording_learner_id_key"),
        sqlite_strict=True,
    )
    op.create_index("ix_recording_learner_id_card_id", "recording", ["learner_id", "card_id"])
    op.create_table(
        "hearing",
        sa.Column("recording_id", sa.Integer, nullable=False),
        sa.Column("job_id", sa.Text, nullable=False),
        sa.Column("provider", sa.Text, server_default="", nullable=False),
        sa.Column("model", sa.Text, server_default="", nullable=False),
        sa.Column("ms", sa.Integer),
        sa.Column("words", sa.Text),
        sa.Column("speech", sa.Text),
        sa.Column("peaks", sa.Text),
        sa.Column("edited", sa.Text),
        sa.Column("at", sa.Text),
        sa.ForeignKeyConstraint(["recording_id"], ["recording.id"], name="fk_hearing_recording_id_recording"),
        sa.PrimaryKeyConstraint("recording_id", name="pk_hearing"),
        sqlite_strict=True,
    )
    op.create_table(
        "opinion",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("learner_id", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["learner_id"], ["learner.id"], name="fk_opinion_learner_id_learner"),
        sa.PrimaryKeyConstraint("id", name="pk_opinion"),
        sa.UniqueConstraint("learner_id", "key", "judge", name="uq_opinion_learner_id_key_judge"),
        sqlite_strict=True,
    )
    op.execute(
        "ALTER TABLE take ADD COLUMN recording_id INTEGER"
        " CONSTRAINT fk_take_recording_id_recording REFERENCES recording (id)"
    )
    op.add_column("take", sa.Column("pace", sa.Text))
    op.add_column("take", sa.Column("marks", sa.Text))


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
