"""aloud check --replay: a database that it cannot read is told in one sentence, and left as it is."""

import sqlite3
from pathlib import Path

import pytest

from app.cli import main
from app.db.migrate import upgrade


def refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `aloud check --replay` says of the database in `folder`; it changes nothing there."""
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert main(["check", "--replay", "--data", str(folder)]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert {path: path.read_bytes() for path in folder.iterdir()} == before
    return said


def altered(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / "aloud.db") as conn:
        conn.execute(statement)
    conn.close()


def test_no_database_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "There is no database" in refused(tmp_path, capsys)


@pytest.mark.parametrize("content", ["", "CREATE TABLE notes (text)"])
def test_a_database_without_tables_of_aloud_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    altered(tmp_path, content) if content else (tmp_path / "aloud.db").touch()
    said = refused(tmp_path, capsys)
    assert "holds no tables of Aloud" in said
    assert "--data" in said


def test_a_database_of_another_version_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    upgrade(tmp_path / "aloud.db")
    altered(tmp_path, "UPDATE alembic_version SET version_num = '0000'")
    assert "aloud serve" in refused(tmp_path, capsys)


def test_a_file_that_is_no_database_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "aloud.db").write_bytes(b"no database, and long enough to be taken for one. " * 50)
    assert "cannot be used (file is not a database). Restore it" in refused(tmp_path, capsys)


def test_an_empty_log_gives_the_states_that_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    upgrade(tmp_path / "aloud.db")
    assert main(["check", "--replay", "--data", str(tmp_path)]) == 0
    assert "Log: it gives the states that are kept." in capsys.readouterr().out


def test_a_kept_state_that_cannot_be_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    upgrade(tmp_path / "aloud.db")
    altered(tmp_path, "INSERT INTO learner VALUES (1, 'me', NULL, 4, '2026-11-29T18:00:00.000Z')")
    altered(
        tmp_path,
        "INSERT INTO card_state (learner_id, card_id, state, due_day) VALUES (1, 'a', 'review', 'soon')",
    )
    assert main(["check", "--replay", "--data", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "is damaged (" in said
    assert "Traceback" not in said
