"""where a card's text stands

Cards are edited in the browser, and shipped ones as copies in the learner's own decks: each note remembers its file
and its text there, a copy also what it was copied from. Rows come with the next reading of the decks.

Revision ID: 0005
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "note_source",
        sa.Column("note_key", sa.Text(), sa.ForeignKey("note.key"), primary_key=True),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("stamp", sa.Text(), nullable=False),
        sa.Column("retired", sa.Integer(), nullable=False),
        sa.Column("copied", sa.Text(), nullable=False),
        sa.Column("copied_text", sa.Text()),
        sa.Column("shipped_text", sa.Text()),
        sqlite_strict=True,
    )
    op.create_index("ix_note_source_origin_path", "note_source", ["origin", "path"])


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
