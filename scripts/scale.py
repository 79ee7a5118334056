"""A library of 100,000 cards and a log of 200,000 answers, made by SQL in seconds, and what they cost (make bench).

    python scripts/scale.py DATA        fill the database of a data folder that `aloud serve` has made

What is made is consistent enough to study on: decks with levels and a core, states whose due days lie around today,
and a log with a state before and after. It is no log to replay.
"""

import sqlite3
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection

from app.accounts.learner import Learner, LearnerId
from app.clock import system_clock
from app.db.engine import Database
from app.library import service as library
from app.library.service import Wanted
from app.study import service as study
from app.study import store_fresh
from app.study.chosen import Chosen

CARDS, EVENTS, DECKS, SEEN = 100_000, 200_000, 100, 25_000
TIMES = 40

DECK = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {decks})
INSERT INTO deck (name, origin, path, title, position)
SELECT 'heap-' || (i / 25) || '/' || i, 'shipped', 'decks/heap-' || i || '.md', 'Heap ' || i, 1000 + i FROM n
"""
NOTE = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {cards})
INSERT INTO note (key, deck_name, kind, level, core, source, body, position, hash, revision, changed_at)
SELECT 'heap-' || i, 'heap-' || (i % {decks} / 25) || '/' || (i % {decks}), 'question',
       CASE i / {decks} % 4 WHEN 0 THEN 'eli5' WHEN 1 THEN 'IC4' WHEN 2 THEN 'IC5' ELSE 'IC6' END,
       i / {decks} % 7 = 0, 'made for a measurement', '{{}}', i / {decks}, 'h', 1, '2026-01-01T00:00:00.000Z' FROM n
"""
CARD = """
INSERT INTO card (id, note_key, ord, queue, front, back, words)
SELECT key, key, 0, 'study', '<p>What is ' || key || ' about, and why does it matter for a long context?</p>',
       '<p>It is about ' || key || ', since the softmax over the keys of a long context is what it is.</p>',
       'What is ' || key || ' about, and why does it matter for a long context?' FROM note WHERE key LIKE 'heap-%'
"""
TAG = "INSERT INTO note_tag (note_key, tag) SELECT key, 'tag-' || (position % 40) FROM note WHERE key LIKE 'heap-%'"
# The first cards of each deck in their turn are seen; one in eight is due by now, the others in the coming 200 days.
STATE = """
INSERT INTO card_state (learner_id, card_id, state, stability, difficulty, due_day, last_day, interval, lapses, reps,
                        version)
SELECT 1, key, 'review', 20.0, 5.0, date('now', (n % 200 - 25) || ' days'), date('now', (n % 200 - 75) || ' days'), 50,
       0, 8, 8
FROM (SELECT key, row_number() OVER (ORDER BY turn, key) AS n FROM note WHERE key LIKE 'heap-%') WHERE n <= {seen}
"""
SNAPSHOT = """
INSERT INTO settings_snapshot (learner_id, hash, body, created_at) VALUES (1, 'scale', '{}', '2026-01-01T00:00:00.000Z')
"""
EVENT = """
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {events}),
seen(id, nth) AS (SELECT card_id, row_number() OVER (ORDER BY card_id) - 1 FROM card_state WHERE card_id LIKE 'heap-%')
INSERT INTO event (learner_id, card_id, kind, at, study_day, offset_minutes, grade, ms, before, after, snapshot_id,
                   algorithm, detail, idem)
SELECT 1, seen.id, 'review', strftime('%Y-%m-%dT%H:%M:%f', 'now', ((i - {events}) * 8) || ' minutes') || 'Z',
       date('now', ((i - {events}) / 180 - 1) || ' days'), 0, 1 + (i * 7 + i / 11) % 4, 3000 + i % 9000,
       json_object('state', 'review', 'stability', 10.0, 'difficulty', 5.0, 'due_day', date('now'), 'due_at', NULL,
                   'last_day', date('now'), 'interval', 10, 'step', NULL, 'lapses', 0, 'reps', 3),
       json_object('state', 'review', 'stability', 20.0, 'difficulty', 5.0, 'due_day', date('now'), 'due_at', NULL,
                   'last_day', date('now'), 'interval', 20, 'step', NULL, 'lapses', 0, 'reps', 4),
       (SELECT max(id) FROM settings_snapshot), 'made',
       json_object('day_ends', '2026-01-02T04:00:00+00:00', 'buried', json_array()),
       'heap-' || i
FROM n JOIN seen ON seen.nth = i % {seen}
"""


def fill(path: Path) -> None:
    """Add the cards and the log to the database at `path`, as a learner's answers would have left them."""
    sizes = {"cards": CARDS, "events": EVENTS, "decks": DECKS, "seen": SEEN}
    with closing(sqlite3.connect(path)) as db, db:
        for statement in (DECK, NOTE, CARD, TAG, STATE):
            db.execute(statement.format(**sizes))
        db.execute(SNAPSHOT)
        db.execute(EVENT.format(**sizes))
    large = Database(path)
    with large.write() as conn:  # as the answers would have moved it on
        for deck in library.decks(conn):
            store_fresh.advance(conn, LearnerId(1), deck.name)
    large.close()


def report(path: Path) -> None:
    """Print what the study room's service takes on this database, in this process and without HTTP."""
    learner, now = Learner(LearnerId(1), "UTC", 4), system_clock()
    asked: dict[str, Callable[[Connection], object]] = {
        "due counts": lambda conn: study.counts(conn, learner, now),
        "next": lambda conn: study.next_card(conn, learner, now),
        "next of one deck": lambda conn: study.next_card(conn, learner, now, Chosen(deck="heap-1/30")),
        "next under a tag": lambda conn: study.next_card(conn, learner, now, Chosen(tag="tag-7")),
        "search, a rare word and two common": lambda conn: library.search(
            conn, Wanted(q="heap-777 softmax context"), 50
        ),
        "search, a common word": lambda conn: library.search(conn, Wanted(q="softmax"), 50),
        "search, two letters that are nowhere": lambda conn: library.search(conn, Wanted(q="xy"), 50),
        "search, two letters that are rare": lambda conn: library.search(conn, Wanted(q="kv"), 50),
        "search, two letters that are common": lambda conn: library.search(conn, Wanted(q="so"), 50),
    }
    db = Database(path)
    for name, ask in asked.items():
        took = []
        for _ in range(TIMES):
            with db.read() as conn:
                began = time.perf_counter()
                ask(conn)
                took.append(time.perf_counter() - began)
        cuts = statistics.quantiles(took, n=20)
        print(f"  {name}: p50 {cuts[9] * 1e3:.1f} ms, p95 {cuts[18] * 1e3:.1f} ms, n = {TIMES}")
    db.close()


if __name__ == "__main__":
    fill(Path(sys.argv[1]) / "aloud.db")
