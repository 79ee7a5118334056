"""marks of a learner, redo, and where a deck's new cards begin

A learner's note to self lies with the card's state. An undo remembers the newest event of its day, since what comes
after that can no longer be redone. Each note has its turn among the new cards of its deck; `fresh_from` remembers for
each learner and deck before which turn none is new, so that a queue skips no card that was seen. Triggers lower it
when a card becomes new again, or comes in before it.

Revision ID: 0004
Revises: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TURN = (
    "((1 - core) * 8 + CASE level WHEN 'eli5' THEN 0 WHEN 'IC4' THEN 1 WHEN 'IC5' THEN 2 WHEN 'IC6' THEN 3 "
    "ELSE 4 END) * 1000000000 + position"
)
FORGET = "DELETE FROM fresh_from WHERE deck_name = {deck};"
OF_CARD = "(SELECT deck_name FROM note WHERE key = NEW.note_key)"
LOWER = """
    UPDATE fresh_from SET turn = min(turn, (
        SELECT note.turn FROM card JOIN note ON note.key = card.note_key WHERE card.id = OLD.card_id
    ))
    WHERE learner_id = OLD.learner_id AND deck_name = (
        SELECT note.deck_name FROM card JOIN note ON note.key = card.note_key WHERE card.id = OLD.card_id
    );
"""
TRIGGERS = {
    "a_new_note": ("AFTER INSERT ON note", FORGET.format(deck="NEW.deck_name")),
    "a_moved_note": (
        "AFTER UPDATE OF deck_name, core, level, position ON note WHEN (OLD.deck_name, OLD.core, OLD.level, "
        "OLD.position) IS NOT (NEW.deck_name, NEW.core, NEW.level, NEW.position)",
        FORGET.format(deck="NEW.deck_name"),
    ),
    "a_new_card": ("AFTER INSERT ON card", FORGET.format(deck=OF_CARD)),
    "a_restored_card": (
        "AFTER UPDATE ON card WHEN NEW.retired_at IS NULL AND (OLD.retired_at IS NOT NULL "
        "OR OLD.queue IS NOT NEW.queue OR OLD.note_key IS NOT NEW.note_key)",
        FORGET.format(deck=OF_CARD),
    ),
    "a_card_new_again": (
        "AFTER UPDATE OF state ON card_state WHEN NEW.state = 'new' AND OLD.state <> 'new'",
        LOWER,
    ),
    "a_state_gone": ("AFTER DELETE ON card_state", LOWER),
}


def upgrade() -> None:
    op.add_column("card_state", sa.Column("remark", sa.Text(), nullable=False, server_default=""))
    op.add_column("undo", sa.Column("newest", sa.Integer()))
    op.create_index("ix_undo_newest", "undo", ["newest"])
    op.create_index("ix_event_learner_id_kind", "event", ["learner_id", "kind"])
    op.add_column("note", sa.Column("turn", sa.Integer(), sa.Computed(TURN, persisted=False)))
    op.create_index("ix_note_deck_name_turn", "note", ["deck_name", "turn"])
    op.create_table(
        "fresh_from",
        sa.Column("learner_id", sa.Integer(), sa.ForeignKey("learner.id"), primary_key=True),
        sa.Column("deck_name", sa.Text(), primary_key=True),
        sa.Column("turn", sa.Integer(), nullable=False),
        sqlite_strict=True,
    )
    for name, (when, body) in TRIGGERS.items():
        op.execute(f"CREATE TRIGGER fresh_from_{name} {when} BEGIN {body} END")


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
