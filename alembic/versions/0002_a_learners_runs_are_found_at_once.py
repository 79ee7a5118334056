"""a learner's runs are found at once

Jobs are kept for ever, and each page of a demo asks for the learner's open runs, the newest results of the demo and the
newest of the same parameters: each by an index of its own, results in the order in which their runs ended.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "job", sa.Column("demo", sa.Text(), sa.Computed("json_extract(payload, '$.demo')", persisted=False))
    )
    op.drop_index("ix_job_kind_params_hash", "job")
    op.create_index("ix_job_learner_id_state", "job", ["learner_id", "state"])
    op.create_index("ix_job_learner_id_demo_finished_at", "job", ["learner_id", "demo", "finished_at"])
    op.create_index(
        "ix_job_learner_id_params_hash_finished_at", "job", ["learner_id", "params_hash", "finished_at"]
    )


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
