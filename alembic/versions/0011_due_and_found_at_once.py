"""what is due is counted, and what is searched is found, at once

`due` has a narrow row for each card that a learner has learned and may be shown, in the order in which a queue takes
them: its tree of decks, its day, and a shuffle within the day. Triggers keep it, and nothing else writes it; all that
is in it can be made anew from cards and their states. Every deck knows its tree.

`card_text` numbers the cards for `card_trigram`, an index of all that stands three letters long in their words and ids.
A SQLite that was built without FTS5 gets none, and a search there reads every card, as it did before.

The id of a round that was removed is not given again, so that an old address leads nowhere.

Revision ID: 0011
Revises: 0010
"""

from hashlib import blake2b

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

TREE = "substr(name, 1, instr(name || '/', '/') - 1)"

# CROSS JOIN: from the states, each by its key, to the card and its note; never through all of a queue's cards.
FILL = """
    INSERT INTO due
    SELECT s.learner_id, substr(n.deck_name, 1, instr(n.deck_name || '/', '/') - 1), s.due_day, c.shuffle, c.id,
        n.key, n.deck_name, n.level, n.core, s.buried_until
    FROM card_state AS s CROSS JOIN card AS c ON c.id = s.card_id CROSS JOIN note AS n ON n.key = c.note_key
    WHERE s.state = 'review' AND s.due_day IS NOT NULL AND NOT s.suspended AND c.queue = 'study'
        AND c.retired_at IS NULL AND coalesce(n.owner_id, s.learner_id) = s.learner_id
"""
FORGET_DUE = "DELETE FROM due WHERE {which};"
OF_NOTE = "IN (SELECT id FROM card WHERE note_key = NEW.key)"
OF_CARDS = f"{FORGET_DUE} {FILL} AND s.learner_id IN (SELECT id FROM learner) AND s.card_id {{of}};"  # noqa: S608
OF_STATE = (
    FORGET_DUE.format(which="card_id = NEW.card_id AND learner_id = NEW.learner_id")
    + f"{FILL} AND s.learner_id = NEW.learner_id AND s.card_id = NEW.card_id;"
)
TRIGGERS = {
    "due_by_a_first_answer": ("AFTER INSERT ON card_state", OF_STATE),
    "due_by_an_answer": ("AFTER UPDATE ON card_state", OF_STATE),
    "due_no_more": (
        "AFTER DELETE ON card_state",
        FORGET_DUE.format(which="card_id = OLD.card_id AND learner_id = OLD.learner_id"),
    ),
    "due_by_a_card": (
        "AFTER UPDATE ON card WHEN (OLD.note_key, OLD.queue, OLD.retired_at, OLD.shuffle) IS NOT (NEW.note_key, "
        "NEW.queue, NEW.retired_at, NEW.shuffle)",
        OF_CARDS.format(which="card_id = NEW.id", of="= NEW.id"),
    ),
    "due_by_a_note": (
        "AFTER UPDATE ON note WHEN (OLD.deck_name, OLD.level, OLD.core, OLD.owner_id) IS NOT (NEW.deck_name, "
        "NEW.level, NEW.core, NEW.owner_id)",
        OF_CARDS.format(which=f"card_id {OF_NOTE}", of=OF_NOTE),
    ),
}

TRIGRAM = """
    CREATE VIRTUAL TABLE card_trigram USING fts5 (text, content='', detail=none, tokenize="trigram")
"""
FIND = "INSERT INTO card_trigram (rowid, text) SELECT {doc}, {row}id || char(10) || {row}words"
DOC = "(SELECT doc FROM card_text WHERE card_id = {row}id)"
FORGET = (
    "INSERT INTO card_trigram (card_trigram, rowid, text) "
    "SELECT 'delete', doc, OLD.id || char(10) || OLD.words FROM card_text WHERE card_id = OLD.id;"
)
NUMBER = "INSERT INTO card_text (card_id) VALUES (NEW.id);"
RENUMBER = "UPDATE card_text SET card_id = NEW.id WHERE card_id = OLD.id;"
REMOVE = "DELETE FROM card_text WHERE card_id = OLD.id;"
FOUND = FIND.format(doc=DOC.format(row="NEW."), row="NEW.") + ";"
SEARCHED = {
    "card_text_of_a_new_card": ("AFTER INSERT ON card", NUMBER + FOUND),
    "card_text_changed": (
        "AFTER UPDATE ON card WHEN (OLD.id, OLD.words) IS NOT (NEW.id, NEW.words)",
        FORGET + RENUMBER + FOUND,
    ),
    "card_text_gone": ("AFTER DELETE ON card", FORGET + REMOVE),
}

ROUND = """
    CREATE TABLE round_new (
        id INTEGER NOT NULL CONSTRAINT pk_round PRIMARY KEY AUTOINCREMENT,
        learner_id INTEGER NOT NULL,
        name TEXT NOT NULL,
        date TEXT NOT NULL,
        topics TEXT NOT NULL,
        level TEXT NOT NULL,
        minutes INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        debriefed_at TEXT,
        CONSTRAINT ck_round_minutes CHECK (minutes between 1 and 1440),
        CONSTRAINT fk_round_learner_id_learner FOREIGN KEY(learner_id) REFERENCES learner (id)
    ) STRICT
"""


def upgrade() -> None:
    conn = op.get_bind()
    raw = conn.connection.driver_connection
    assert raw is not None
    raw.create_function("shuffled", 1, shuffled, deterministic=True)
    op.add_column("deck", sa.Column("tree", sa.Text(), sa.Computed(TREE, persisted=False)))
    op.create_index("ix_deck_tree", "deck", ["tree"])
    op.add_column("card", sa.Column("shuffle", sa.Integer(), nullable=False, server_default="0"))
    op.execute("UPDATE card SET shuffle = shuffled(id)")
    op.create_table(
        "due",
        sa.Column("learner_id", sa.Integer(), nullable=False),
        sa.Column("tree", sa.Text(), nullable=False),
        sa.Column("due_day", sa.Text(), nullable=False),
        sa.Column("shuffle", sa.Integer(), nullable=False),
        sa.Column("card_id", sa.Text(), nullable=False),
        sa.Column("note_key", sa.Text(), nullable=False),
        sa.Column("deck_name", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("core", sa.Integer(), nullable=False),
        sa.Column("buried_until", sa.Text()),
        sa.PrimaryKeyConstraint("learner_id", "tree", "due_day", "shuffle", "card_id", name="pk_due"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_due_card_id_learner_id", "due", ["card_id", "learner_id"])
    op.execute(FILL + " ORDER BY 1, 2, 3, 4, 5")
    _search(conn)
    _rounds()
    for name, (when, body) in TRIGGERS.items():
        op.execute(f"CREATE TRIGGER {name} {when} BEGIN {body} END")


def _search(conn: sa.Connection) -> None:
    op.create_table(
        "card_text",
        sa.Column("doc", sa.Integer(), nullable=False),
        sa.Column("card_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("doc", name="pk_card_text"),
        sa.UniqueConstraint("card_id", name="uq_card_text_card_id"),
        sqlite_strict=True,
    )
    if not conn.exec_driver_sql("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").first():
        return
    op.execute("INSERT INTO card_text (card_id) SELECT id FROM card ORDER BY rowid")
    op.execute(TRIGRAM)
    op.execute(
        FIND.format(doc="doc", row="card.") + " FROM card_text JOIN card ON card.id = card_text.card_id"
    )
    for name, (when, body) in SEARCHED.items():
        op.execute(f"CREATE TRIGGER {name} {when} BEGIN {body} END")


def _rounds() -> None:
    op.execute(ROUND)
    op.execute(
        "INSERT INTO round_new (id, learner_id, name, date, topics, level, minutes, created_at, debriefed_at) "
        "SELECT id, learner_id, name, date, topics, level, minutes, created_at, debriefed_at FROM round"
    )
    op.execute("DROP TABLE round")
    op.execute("ALTER TABLE round_new RENAME TO round")
    op.create_index("ix_round_learner_id_date", "round", ["learner_id", "date"])


def shuffled(card_id: str) -> int:
    """As app.library.text.shuffle was when this was written: a place among the cards that are due on one day."""
    return int.from_bytes(blake2b(card_id.encode(), digest_size=7).digest())


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
