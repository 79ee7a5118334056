"""Migrations lead to exactly the tables of the code, and a killed one leaves nothing half done."""

import sqlite3
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine

from app.db.migrate import upgrade, versions
from app.db.tables import metadata


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


def test_alembic_folder_does_not_hide_the_library() -> None:
    """An __init__.py in our alembic/ would break `import alembic` for everything run from the root."""
    root = Path(__file__).resolve().parents[2]
    assert not (root / "alembic" / "__init__.py").exists()
