"""Migrations lead to exactly the tables of the code, and a killed one leaves nothing half done."""

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

from app.db.migrate import SCRIPTS, upgrade, versions
from app.db.tables import metadata
from app.settings import ROOT


def test_the_migrations_make_the_tables_of_the_code(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    upgrade(path)
    with create_engine(f"sqlite:///{path}").connect() as conn:
        context = MigrationContext.configure(conn, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    assert len(set(versions(path))) == 1


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


def next_migration(tmp_path: Path, body: str) -> Path:
    """A copy of the migrations with one more, whose upgrade() is `body`."""
    scripts = tmp_path / "alembic"
    shutil.copytree(SCRIPTS, scripts)
    (scripts / "versions" / "0002_next.py").write_text(
        "import os, signal\nfrom alembic import op\n"
        "revision, down_revision = '0002', '0001'\nbranch_labels = depends_on = None\n"
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
    assert left(path) == ("0001", [])


def test_a_migration_killed_in_the_middle_is_taken_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "aloud.db"
    upgrade(path)
    scripts = next_migration(
        tmp_path, "op.execute('CREATE TABLE half (a INT)')\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    code = "import sys; from pathlib import Path; from app.db.migrate import upgrade; upgrade(*map(Path, sys.argv[1:]))"
    killed = subprocess.run([sys.executable, "-c", code, path, scripts], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert left(path) == ("0001", [])


def test_alembic_folder_does_not_hide_the_library() -> None:
    """An __init__.py in our alembic/ would break `import alembic` for everything run from the root."""
    root = Path(__file__).resolve().parents[2]
    assert not (root / "alembic" / "__init__.py").exists()
