"""mock interviews

What was chosen and drawn for each, and every question from the moment it was asked.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "interview",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("learner_id", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("level", sa.Text, nullable=False),
        sa.Column("decks", sa.Text, nullable=False),
        sa.Column("minutes", sa.Integer, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("drawn", sa.Text, nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
        sa.CheckConstraint("mode in ('spoken', 'typed', 'quiet')", name="ck_interview_mode"),
        sa.ForeignKeyConstraint(["learner_id"], ["learner.id"], name="fk_interview_learner_id_learner"),
        sa.PrimaryKeyConstraint("id", name="pk_interview"),
        sa.UniqueConstraint("learner_id", "key", name="uq_interview_learner_id_key"),
        sqlite_strict=True,
    )
    op.create_index("ix_interview_learner_id_started_at", "interview", ["learner_id", "started_at"])
    op.create_table(
        "asked",
        sa.Column("interview_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("learner_id", sa.Integer, nullable=False),
        sa.Column("card_id", sa.Text, nullable=False),
        sa.Column("follows", sa.Integer),
        sa.Column("planned_s", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Text, nullable=False),
        sa.Column("asked_at", sa.Text, nullable=False),
        sa.Column("done_at", sa.Text),
        sa.Column("grade", sa.Integer),
        sa.Column("text", sa.Text, server_default="", nullable=False),
        sa.Column("event_id", sa.Integer),
        sa.Column("take_id", sa.Integer),
        sa.CheckConstraint("grade is null or grade between 1 and 4", name="ck_asked_grade"),
        sa.ForeignKeyConstraint(["interview_id"], ["interview.id"], name="fk_asked_interview_id_interview"),
        sa.ForeignKeyConstraint(["learner_id"], ["learner.id"], name="fk_asked_learner_id_learner"),
        sa.ForeignKeyConstraint(["card_id"], ["card.id"], name="fk_asked_card_id_card"),
        sa.ForeignKeyConstraint(["event_id"], ["event.id"], name="fk_asked_event_id_event"),
        sa.ForeignKeyConstraint(["take_id"], ["take.id"], name="fk_asked_take_id_take"),
        sa.PrimaryKeyConstraint("interview_id", "position", name="pk_asked"),
        sqlite_strict=True,
    )


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
