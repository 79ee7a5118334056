"""rounds

An interview to come: its date, its topics (decks; none: all of them), its level and the minutes a day that it gets.

Revision ID: 0008
Revises: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "round",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("learner_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("date", sa.Text(), nullable=False),
        sa.Column("topics", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("debriefed_at", sa.Text(), nullable=True),
        sa.CheckConstraint("minutes between 1 and 1440", name=op.f("ck_round_minutes")),
        sa.ForeignKeyConstraint(["learner_id"], ["learner.id"], name=op.f("fk_round_learner_id_learner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round")),
        sqlite_strict=True,
    )
    op.create_index("ix_round_learner_id_date", "round", ["learner_id", "date"])


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
