"""Decks, notes and cards, as the files have them."""

from sqlalchemy import CheckConstraint, Column, Computed, ForeignKey, Index, Integer, Text, UniqueConstraint

from app.db.tables.base import table
from app.db.types import Flag, Json, Moment

# A deck's name up to the first slash: attention/mask and attention/heads share the limits of one tree.
TREE = "substr(name, 1, instr(name || '/', '/') - 1)"

deck = table(
    "deck",
    Column("name", Text, primary_key=True),
    Column("origin", Text, nullable=False),  # shipped | own
    Column("path", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("tree", Text, Computed(TREE, persisted=False)),
    Index(None, "origin", "path"),
    Index(None, "tree"),
)

# One row for each deck file that was read, with what was wrong with it; a file is read again when its hash changes.
deck_file = table(
    "deck_file",
    Column("origin", Text, primary_key=True),
    Column("path", Text, primary_key=True),
    Column("hash", Text, nullable=False),
    Column("errors", Json, nullable=False),
    Column("read_at", Moment, nullable=False),
)

# A note's turn among the new cards of its deck: the core first, then by level, then as the file has them.
TURNS = 1_000_000_000  # for the places in a file
TURN = (
    "((1 - core) * 8 + CASE level WHEN 'eli5' THEN 0 WHEN 'IC4' THEN 1 WHEN 'IC5' THEN 2 WHEN 'IC6' THEN 3 "
    f"ELSE 4 END) * {TURNS} + position"
)

note = table(
    "note",
    Column("key", Text, primary_key=True),
    Column("deck_name", Text, ForeignKey("deck.name"), nullable=False),
    Column("owner_id", Integer, ForeignKey("learner.id")),  # null: shipped, for everybody
    Column("kind", Text, nullable=False),
    Column("level", Text, nullable=False),
    Column("core", Flag, nullable=False),
    Column("source", Text, nullable=False),
    Column("demo", Text),
    Column("body", Json, nullable=False),  # time, points, answer and the like, by kind
    Column("position", Integer, nullable=False),
    Column("hash", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("changed_at", Moment, nullable=False),
    Column("turn", Integer, Computed(TURN, persisted=False)),
    Index(None, "deck_name", "position"),
    Index(None, "deck_name", "turn"),
    Index(None, "key", "deck_name", "level", "owner_id"),
)

# Before this turn no card of the deck is new to the learner: new ones are looked for from here on. Only a hint that
# saves looking: triggers (migration 0004) lower or forget it when a card comes in before it, or is new again.
fresh_from = table(
    "fresh_from",
    Column("learner_id", Integer, ForeignKey("learner.id"), primary_key=True),
    Column("deck_name", Text, primary_key=True),
    Column("turn", Integer, nullable=False),
)

# A note keeps the key it was first stored under for life; a file may come to call it otherwise (`was:`).
note_alias = table(
    "note_alias",
    Column("alias", Text, primary_key=True),
    Column("note_key", Text, ForeignKey("note.key"), nullable=False),
)

note_tag = table(
    "note_tag",
    Column("note_key", Text, ForeignKey("note.key"), primary_key=True),
    Column("tag", Text, primary_key=True),
    Index(None, "tag"),
)

# Where a note's text stands, and that text. Of an edited copy of a shipped card also which text it was copied from,
# and what the shipped deck says now.
note_source = table(
    "note_source",
    Column("note_key", Text, ForeignKey("note.key"), primary_key=True),
    Column("origin", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("stamp", Text, nullable=False),  # of the text and what drew it: the same is not drawn again
    Column("retired", Flag, nullable=False),  # the file says `retired: yes`
    Column("copied", Text, nullable=False),  # the fingerprint of the text it was copied from; "": no copy
    Column("copied_text", Text),  # null: not known
    Column("shipped_text", Text),  # null: no longer shipped
    Index(None, "origin", "path"),
)

card = table(
    "card",
    Column("id", Text, primary_key=True),
    Column("note_key", Text, ForeignKey("note.key"), nullable=False),
    Column("ord", Integer, nullable=False),
    Column("queue", Text, nullable=False),  # study | drill
    Column("front", Text, nullable=False),  # HTML, rendered and sanitised when the deck was read
    Column("back", Text, nullable=False),
    Column("words", Text, nullable=False),  # plain text, for search and for a screen reader's title
    Column("retired_at", Moment),  # since when no file has it
    Column("shuffle", Integer, nullable=False, server_default="0"),  # its place among those due on one day
    UniqueConstraint("note_key", "ord"),
    Index(None, "id", "note_key", "queue", "retired_at"),
    Index(None, "queue", "retired_at", "id"),
    CheckConstraint("queue in ('study', 'drill')", name="queue"),
)

# The cards, numbered for the index `card_trigram` of their words and ids (migration 0014): SQLite's own row numbers
# may change. Triggers keep both.
card_text = table(
    "card_text",
    Column("doc", Integer, primary_key=True),
    Column("card_id", Text, nullable=False, unique=True),
)

# How many live cards there are of each deck and of each tag, so that none is counted. The owner 0 stands for
# everybody's. Triggers on card, note and note_tag (migration 0014) keep both, and nothing else writes them.
deck_size = table(
    "deck_size",
    Column("deck_name", Text, primary_key=True),
    Column("level", Text, primary_key=True),
    Column("core", Flag, primary_key=True),
    Column("queue", Text, primary_key=True),
    Column("owner_id", Integer, primary_key=True),
    Column("cards", Integer, nullable=False),
    sqlite_with_rowid=False,
)

tag_size = table(
    "tag_size",
    Column("tag", Text, primary_key=True),
    Column("queue", Text, primary_key=True),
    Column("owner_id", Integer, primary_key=True),
    Column("cards", Integer, nullable=False),
    sqlite_with_rowid=False,
)
