"""SQL that holds the tables which triggers keep against what they are made of; here they are made anew, for a check.

`answered` sums up the log, `due` the states of cards that are learned, `fresh_from` says where new cards begin,
`deck_size` and `tag_size` count live cards.
"""

from sqlalchemy import Connection, text

# Undo and redo take turns, so the newest of them says whether an answer stands.
ANSWERED = """
    SELECT
        learner_id, study_day, card_id, event_id, kind, grade, ms, interval_before, undone,
        event_id IS min(CASE WHEN NOT undone THEN event_id END) OVER (PARTITION BY learner_id, study_day, card_id)
    FROM (
        SELECT
            learner_id, study_day, card_id, id AS event_id, kind, grade, ms,
            CASE WHEN json_valid(before) AND json_extract(before, '$.state') = 'review'
                THEN CAST(json_extract(before, '$.interval') AS INTEGER) END AS interval_before,
            coalesce((SELECT kind = 'undo' FROM undo WHERE event_id = event.id ORDER BY id DESC LIMIT 1), 0) AS undone
        FROM event
        WHERE grade IS NOT NULL AND kind IN ('review', 'drill')
    )
"""
DUE = """
    SELECT s.learner_id, substr(n.deck_name, 1, instr(n.deck_name || '/', '/') - 1), s.due_day, c.shuffle, c.id,
        n.key, n.deck_name, n.level, n.core, s.buried_until
    FROM card_state AS s CROSS JOIN card AS c ON c.id = s.card_id CROSS JOIN note AS n ON n.key = c.note_key
    WHERE s.state = 'review' AND s.due_day IS NOT NULL AND NOT s.suspended AND c.queue = 'study'
        AND c.retired_at IS NULL AND coalesce(n.owner_id, s.learner_id) = s.learner_id
"""
DECK_SIZE = """
    SELECT n.deck_name, n.level, n.core, c.queue, coalesce(n.owner_id, 0), count(*)
    FROM card AS c JOIN note AS n ON n.key = c.note_key WHERE c.retired_at IS NULL GROUP BY 1, 2, 3, 4, 5
"""
TAG_SIZE = """
    SELECT x.tag, c.queue, coalesce(n.owner_id, 0), count(*)
    FROM card AS c JOIN note AS n ON n.key = c.note_key JOIN note_tag AS x ON x.note_key = n.key
    WHERE c.retired_at IS NULL GROUP BY 1, 2, 3
"""
COLUMNS = {
    "answered": "learner_id, study_day, card_id, event_id, kind, grade, ms, interval_before, undone, first",
    "due": "learner_id, tree, due_day, shuffle, card_id, note_key, deck_name, level, core, buried_until",
    "deck_size": "deck_name, level, core, queue, owner_id, cards",
    "tag_size": "tag, queue, owner_id, cards",
}
PASSED = """
    SELECT c.id FROM fresh_from AS f CROSS JOIN note AS n ON n.deck_name = f.deck_name AND n.turn < f.turn
    CROSS JOIN card AS c ON c.note_key = n.key
    LEFT JOIN card_state AS s ON s.learner_id = f.learner_id AND s.card_id = c.id
    WHERE c.queue || '' = 'study' AND c.retired_at IS NULL AND (s.card_id IS NULL OR s.state = 'new')
    ORDER BY c.id
"""


def answered(conn: Connection) -> list[str]:
    """Cards of whose answers the sums tell otherwise than the log."""
    return _unlike(conn, "answered", ANSWERED)


def due(conn: Connection) -> list[str]:
    """Cards that wait otherwise than their state says."""
    return _unlike(conn, "due", DUE)


def passed(conn: Connection) -> list[str]:
    """New cards that a queue would never come to."""
    return [str(card_id) for card_id in conn.scalars(text(PASSED))]


def sizes(conn: Connection) -> list[str]:
    """Decks and tags of which there are more or fewer live cards than their size says."""
    decks = _unlike(conn, "deck_size", DECK_SIZE, of="deck_name", where="WHERE cards")
    return decks + _unlike(conn, "tag_size", TAG_SIZE, of="tag", where="WHERE cards")


def _unlike(conn: Connection, table: str, anew: str, *, of: str = "card_id", where: str = "") -> list[str]:
    """The cards, or what the rows are `of`, of rows that are in one of both and not in the other."""
    columns = COLUMNS[table]
    kept = f"SELECT {columns} FROM {table} {where}"  # noqa: S608
    missing, left = f"SELECT * FROM ({anew}) EXCEPT {kept}", f"{kept} EXCEPT SELECT * FROM ({anew})"  # noqa: S608
    wrong = f"SELECT * FROM ({missing}) UNION ALL SELECT * FROM ({left})"  # noqa: S608
    query = f"WITH wrong ({columns}) AS ({wrong}) SELECT DISTINCT {of} FROM wrong ORDER BY 1"  # noqa: S608
    return [str(name) for name in conn.scalars(text(query))]
