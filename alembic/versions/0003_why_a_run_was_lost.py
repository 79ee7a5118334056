"""why a run was lost

A run whose worker or child died is tried once more; what was said of that death is kept beside what its next try says.

Revision ID: 0003
Revises: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("job", sa.Column("loss", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
