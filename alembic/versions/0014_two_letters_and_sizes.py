"""two letters are searched, and decks and tags are counted, at once

The index of trigrams is made anew with a filler at the end of each card's text, so that whatever stands in it, a single
letter too, begins a trigram. `card_trigram_term` tells the cards of each trigram: those that two letters begin are
read off.

`deck_size` and `tag_size` say how many live cards there are of each deck and of each tag, so that no page counts a
hundred thousand of them. Triggers keep both, and nothing else writes them.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

TRIGRAM = """
    CREATE VIRTUAL TABLE card_trigram USING fts5 (text, content='', detail=none, tokenize="trigram")
"""
TERM = "CREATE VIRTUAL TABLE card_trigram_term USING fts5vocab (card_trigram, instance)"
FIND = (
    "INSERT INTO card_trigram (rowid, text) SELECT {doc}, {row}id || char(10) || {row}words || char(10, 10)"
)
DOC = "(SELECT doc FROM card_text WHERE card_id = {row}id)"
FORGET = (
    "INSERT INTO card_trigram (card_trigram, rowid, text) "
    "SELECT 'delete', doc, OLD.id || char(10) || OLD.words || char(10, 10) FROM card_text WHERE card_id = OLD.id;"
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

# What a live card adds to; the owner 0 stands for everybody's.
IN_DECK = """
    INSERT INTO deck_size (deck_name, level, core, queue, owner_id, cards)
    SELECT {deck}, {level}, {core}, c.queue, coalesce({owner}, 0), {sign} count(*) FROM {cards}
    GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT DO UPDATE SET cards = cards + excluded.cards;
"""
IN_TAG = """
    INSERT INTO tag_size (tag, queue, owner_id, cards)
    SELECT {tag}, c.queue, coalesce({owner}, 0), {sign} count(*) FROM {cards}
    GROUP BY 1, 2, 3
    ON CONFLICT DO UPDATE SET cards = cards + excluded.cards;
"""
OF_NOTE = {"deck": "n.deck_name", "level": "n.level", "core": "n.core", "owner": "n.owner_id", "tag": "x.tag"}


def _card(row: str, sign: str) -> str:
    """The card of a row of `card`, if it is live, comes to its deck and tags, or goes."""
    its = (
        f"(SELECT {row}.note_key AS note_key, {row}.queue AS queue WHERE {row}.retired_at IS NULL) AS c"
        " CROSS JOIN note AS n ON n.key = c.note_key"
    )
    tagged = f"{its} CROSS JOIN note_tag AS x ON x.note_key = c.note_key"
    return IN_DECK.format(sign=sign, cards=f"{its} WHERE true", **OF_NOTE) + IN_TAG.format(
        sign=sign, cards=f"{tagged} WHERE true", **OF_NOTE
    )


def _note(row: str, sign: str) -> str:
    """The live cards of a row of `note` come to where it says, or go."""
    of_row = {"deck": "deck_name", "level": "level", "core": "core", "owner": "owner_id"}
    names = {name: f"{row}.{column}" for name, column in of_row.items()} | {"tag": "x.tag"}
    its = "card AS c{join} WHERE c.note_key = {row}.key AND c.retired_at IS NULL"
    tags = " CROSS JOIN note_tag AS x ON x.note_key = c.note_key"
    return IN_DECK.format(sign=sign, cards=its.format(join="", row=row), **names) + IN_TAG.format(
        sign=sign, cards=its.format(join=tags, row=row), **names
    )


def _tag(row: str, sign: str) -> str:
    """The live cards of the note of a row of `note_tag` come to its tag, or go."""
    its = f"card AS c CROSS JOIN note AS n ON n.key = c.note_key WHERE c.note_key = {row}.note_key"
    return IN_TAG.format(
        sign=sign, cards=f"{its} AND c.retired_at IS NULL", owner="n.owner_id", tag=f"{row}.tag"
    )


CARD = ("id", "note_key", "queue", "retired_at")
NOTE = ("deck_name", "level", "core", "owner_id")


def _differ(columns: tuple[str, ...]) -> str:
    old, new = (", ".join(f"{row}.{column}" for column in columns) for row in ("OLD", "NEW"))
    return f"({old}) IS NOT ({new})"


COUNTED = {
    "size_with_a_card": ("AFTER INSERT ON card", _card("NEW", "")),
    "size_without_a_card": ("AFTER DELETE ON card", _card("OLD", "-")),
    "size_by_a_card": (
        f"AFTER UPDATE ON card WHEN {_differ(CARD)}",
        _card("OLD", "-") + _card("NEW", ""),
    ),
    "size_by_a_note": (
        f"AFTER UPDATE ON note WHEN {_differ(NOTE)}",
        _note("OLD", "-") + _note("NEW", ""),
    ),
    "size_with_a_tag": ("AFTER INSERT ON note_tag", _tag("NEW", "")),
    "size_without_a_tag": ("AFTER DELETE ON note_tag", _tag("OLD", "-")),
    "size_by_a_tag": ("AFTER UPDATE ON note_tag", _tag("OLD", "-") + _tag("NEW", "")),
}


def upgrade() -> None:
    _search(op.get_bind())
    _sizes()


def _search(conn: sa.Connection) -> None:
    if not conn.exec_driver_sql("SELECT 1 FROM sqlite_master WHERE name = 'card_trigram'").first():
        return
    for name in SEARCHED:
        op.execute(f"DROP TRIGGER {name}")
    op.execute("DROP TABLE card_trigram")
    op.execute(TRIGRAM)
    op.execute(TERM)
    op.execute(
        FIND.format(doc="doc", row="card.") + " FROM card_text JOIN card ON card.id = card_text.card_id"
    )
    _triggers(SEARCHED)


def _sizes() -> None:
    op.create_table(
        "deck_size",
        sa.Column("deck_name", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("core", sa.Integer(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("cards", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("deck_name", "level", "core", "queue", "owner_id", name="pk_deck_size"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "tag_size",
        sa.Column("tag", sa.Text(), nullable=False),
        sa.Column("queue", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("cards", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tag", "queue", "owner_id", name="pk_tag_size"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    live = "card AS c CROSS JOIN note AS n ON n.key = c.note_key{tags} WHERE c.retired_at IS NULL"
    tags = " CROSS JOIN note_tag AS x ON x.note_key = c.note_key"
    op.execute(IN_DECK.format(sign="", cards=live.format(tags=""), **OF_NOTE))
    op.execute(IN_TAG.format(sign="", cards=live.format(tags=tags), **OF_NOTE))
    _triggers(COUNTED)


def _triggers(wanted: dict[str, tuple[str, str]]) -> None:
    for name, (when, body) in wanted.items():
        op.execute(f"CREATE TRIGGER {name} {when} BEGIN {body} END")


def downgrade() -> None:
    raise NotImplementedError("Aloud's schema only goes forward; restore a backup to go back.")
