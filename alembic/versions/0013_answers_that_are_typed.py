"""answers that are typed

What a learner types is kept until it is rated, since it is too long for an address.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "draft",
        sa.Column("learner_id", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["learner_id"], ["learner.id"], name="fk_draft_learner_id_learner"),
        sa.PrimaryKeyConstraint("learner_id", "key", name="pk_draft"),
        sqlite_strict=True,
    )


def downgrade() -> None:
    op.drop_table("draft")
