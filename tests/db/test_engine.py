"""The rules of writing: one at a time, whole or not at all, never through a reader."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import OperationalError

from app.db import tables as t
from app.db.engine import Database
from app.db.folder import FolderInUse, hold

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def _learner(id: int) -> dict[str, object]:
    return {"id": id, "name": "x", "rollover": 4, "created_at": NOW}


def test_a_reader_cannot_write(db: Database) -> None:
    with pytest.raises(OperationalError, match="readonly"), db.read() as conn:
        conn.execute(insert(t.learner), _learner(7))


def test_an_exception_takes_the_whole_write_back(db: Database) -> None:
    def half() -> None:
        with db.write() as conn:
            conn.execute(insert(t.learner), _learner(7))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    with db.read() as conn:
        assert conn.scalar(select(t.learner.c.id).where(t.learner.c.id == 7)) is None


def test_a_commit_is_on_disk_before_the_block_is_left(db: Database) -> None:
    with db.write() as conn:
        conn.execute(insert(t.learner), _learner(7))
    other = Database(db.path)
    with other.read() as conn:
        assert conn.scalar(select(t.learner.c.id).where(t.learner.c.id == 7)) == 7
    other.close()


def test_concurrent_read_then_write_loses_nothing(db: Database) -> None:
    """With the driver's deferred BEGIN about a third of these failed with "database is locked"."""
    failures: list[BaseException] = []

    def grow() -> None:
        try:
            for _ in range(20):
                with db.write() as conn:
                    was = conn.scalar(select(t.learner.c.rollover).where(t.learner.c.id == 1)) or 0
                    conn.execute(t.learner.update().where(t.learner.c.id == 1).values(rollover=was + 1))
        except BaseException as error:
            failures.append(error)

    with db.write() as conn:
        conn.execute(t.learner.update().where(t.learner.c.id == 1).values(rollover=0))
    threads = [threading.Thread(target=grow) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with db.read() as conn:
        assert (failures, conn.scalar(select(t.learner.c.rollover))) == ([], 160)


def test_foreign_keys_hold(db: Database) -> None:
    with pytest.raises(Exception, match="FOREIGN KEY"), db.write() as conn:
        conn.execute(insert(t.undo), {"event_id": 999, "kind": "undo", "at": NOW})


def test_columns_are_strict(db: Database) -> None:
    with pytest.raises(Exception, match="cannot store TEXT value in INTEGER column"), db.write() as conn:
        conn.exec_driver_sql("INSERT INTO learner VALUES (7, 'x', NULL, 'four', '2026-01-01')")


def test_moments_come_back_as_they_went_in(db: Database) -> None:
    with db.write() as conn:
        conn.execute(insert(t.learner), _learner(7))
    with db.read() as conn:
        assert conn.scalar(select(t.learner.c.created_at).where(t.learner.c.id == 7)) == NOW


def test_a_second_process_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    second = hold(tmp_path, "a restore")
    with hold(tmp_path, "the web server at http://127.0.0.1:8000"), pytest.raises(FolderInUse) as told:
        second.__enter__()
    assert "the web server at http://127.0.0.1:8000" in str(told.value)
    with hold(tmp_path, "a restore"):
        pass
