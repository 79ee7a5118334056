"""Migrations lead to exactly the tables of the code, and a killed one leaves nothing half done."""

import contextlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine

from app.accounts.learner import LearnerId
from app.db.engine import Database
from app.db.migrate import SCRIPTS, upgrade, versions
from app.db.tables import metadata
from app.demos import store as demos
from app.library import service as library
from app.library.service import Wanted
from app.settings import ROOT
from app.study import store_kept

NEWEST = versions(Path("none"))[1]


def test_the_migrations_make_the_tables_of_the_code(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    upgrade(path)
    with create_engine(f"sqlite:///{path}").connect() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True, "include_name": _ours})
        assert compare_metadata(context, metadata) == []
    assert len(set(versions(path))) == 1


def _ours(name: str | None, kind: str, _parents: object) -> bool:
    """SQLite's own index of words has tables that only it writes."""
    return kind != "table" or not str(name).startswith("card_trigram")


def test_every_table_is_strict(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    upgrade(path)
    with sqlite3.connect(path) as raw:
        loose = [
            row[1] for row in raw.execute("PRAGMA table_list") if row[1] in metadata.tables and not row[5]
        ]
    raw.close()
    assert loose == []


def test_a_second_upgrade_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    upgrade(path)
    with sqlite3.connect(path) as raw:
        before = raw.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()
    upgrade(path)
    assert raw.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall() == before
    raw.close()


def first_migrations(tmp_path: Path, last: str) -> Path:
    """A copy of the migrations up to the version `last`."""
    scripts = tmp_path / "first"
    shutil.copytree(SCRIPTS, scripts)
    for file in (scripts / "versions").glob("*.py"):
        if file.name[:4] > last:
            file.unlink()
    return scripts


LEARNER = (
    "INSERT INTO learner (id, name, rollover, created_at) VALUES (1, 'you', 4, '2026-11-29T18:00:00.000Z')"
)
JOB = """
    INSERT INTO job (id, kind, lane, learner_id, payload, params_hash, code_hash, state, deadline_s, created_at,
                     finished_at)
    VALUES (?, 'demo', 'demo', 1, ?, 'p', 'c', 'done', 2.5, '2026-11-29T18:00:00.000Z', '2026-11-29T18:00:01.000Z')
"""
RESULT = """
    INSERT INTO result (job_id, body, device, origin, created_at)
    VALUES (?, '{"blocks":[]}', 'CPU', 'live', '2026-11-29T18:00:01.000Z')
"""
RUNS = [("a", '{"demo":"flash","params":{"n_q":113}}'), ("b", '{"demo":"kv-cache","params":{}}')]


def test_a_database_of_the_first_tables_keeps_its_runs_and_finds_them_at_once(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    upgrade(path, first_migrations(tmp_path, "0001"))
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        raw.execute(LEARNER)
        raw.executemany(JOB, RUNS)
        raw.executemany(RESULT, [run[:1] for run in RUNS])
        before = raw.execute("SELECT * FROM job").fetchall(), raw.execute("SELECT * FROM result").fetchall()
    upgrade(path)
    with contextlib.closing(sqlite3.connect(path)) as raw:
        after = raw.execute("SELECT * FROM job").fetchall(), raw.execute("SELECT * FROM result").fetchall()
        assert after == (
            [(*row, demo, "") for row, demo in zip(before[0], ("flash", "kv-cache"), strict=True)],
            before[1],
        )
    database = Database(path)
    with database.read() as conn:
        (kept,) = demos.of_demo(conn, LearnerId(1), "flash", 20)
        assert (kept.run, kept.params) == ("a", {"n_q": 113})
    database.close()


NOTE = """
    INSERT INTO note (key, deck_name, kind, level, core, source, body, position, hash, revision, changed_at)
    VALUES (?, 'a/deck', 'question', 'IC4', 1, 'a test', '{}', ?, 'h', 1, '2026-11-29T18:00:00.000Z')
"""
CARD = """
    INSERT INTO card (id, note_key, ord, queue, front, back, words, retired_at) VALUES (?, ?, 0, ?, '', '', ?, ?)
"""


def test_a_library_of_before_is_counted_and_searched_by_two_letters(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    upgrade(path, first_migrations(tmp_path, "0013"))
    with contextlib.closing(sqlite3.connect(path)) as raw, raw:
        raw.execute("INSERT INTO deck VALUES ('a/deck', 'shipped', 'a.md', 'A', 0)")
        raw.executemany(NOTE, [("a", 0), ("b", 1), ("c", 2)])
        raw.executemany(
            CARD,
            [
                ("a", "a", "study", "ends in KV", None),
                ("b", "b", "drill", "a kv cache", None),
                ("c", "c", "study", "kv, retired", "2026-11-29T18:00:00.000Z"),
            ],
        )
        raw.executemany("INSERT INTO note_tag VALUES (?, ?)", [("a", "soft"), ("c", "gone")])
    upgrade(path)
    database = Database(path)
    with database.read() as conn:
        assert store_kept.sizes(conn) == []
        assert [(deck.name, deck.cards) for deck in library.decks(conn)] == [("a/deck", 2)]
        assert library.tags(conn) == ["soft"]
        assert [card.id for card in library.search(conn, Wanted(q="kv"), 9).cards] == ["a", "b"]
    with database.write() as conn:
        conn.exec_driver_sql("UPDATE card SET words = 'no more' WHERE id = 'b'")
        conn.exec_driver_sql("DELETE FROM note_tag")
        conn.exec_driver_sql("DELETE FROM card WHERE id = 'a'")
        assert [card.id for card in library.search(conn, Wanted(q="kv"), 9).cards] == []
        assert store_kept.sizes(conn) == library.tags(conn) == []
    database.close()


def next_migration(tmp_path: Path, body: str) -> Path:
    """A copy of the migrations with one more, whose upgrade() is `body`."""
    scripts = tmp_path / "alembic"
    shutil.copytree(SCRIPTS, scripts)
    (scripts / "versions" / "9999_next.py").write_text(
        "import os, signal\nfrom alembic import op\n"
        f"revision, down_revision = '9999', '{NEWEST}'\nbranch_labels = depends_on = None\n"
        f"def upgrade():\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
    )
    return scripts


def left(path: Path) -> tuple[str, list[str]]:
    """The version that the file has, and what a half-done migration would have left in it."""
    with sqlite3.connect(path) as raw:
        version = raw.execute("SELECT version_num FROM alembic_version").fetchone()[0]
        names = [row[0] for row in raw.execute("SELECT name FROM sqlite_master")]
        orphans = [str(row) for row in raw.execute("PRAGMA foreign_key_check")]
    raw.close()
    return version, orphans + [name for name in names if name.startswith(("_alembic_tmp", "half"))]


def test_a_migration_that_leaves_orphans_is_taken_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    upgrade(path)
    scripts = next_migration(
        tmp_path, "op.execute(\"INSERT INTO undo (event_id, kind, at) VALUES (9, 'undo', '2026')\")"
    )
    with pytest.raises(RuntimeError, match="point nowhere"):
        upgrade(path, scripts)
    assert left(path) == (NEWEST, [])


def test_a_migration_killed_in_the_middle_is_taken_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    upgrade(path)
    scripts = next_migration(
        tmp_path, "op.execute('CREATE TABLE half (a INT)')\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    code = "import sys; from pathlib import Path; from app.db.migrate import upgrade; upgrade(*map(Path, sys.argv[1:]))"
    killed = subprocess.run([sys.executable, "-c", code, path, scripts], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert left(path) == (NEWEST, [])


def test_alembic_folder_does_not_hide_the_library() -> None:
    """An __init__.py in our alembic/ would break `import alembic` for everything run from the root."""
    root = Path(__file__).resolve().parents[2]
    assert not (root / "alembic" / "__init__.py").exists()
