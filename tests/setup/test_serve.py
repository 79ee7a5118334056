"""aloud serve refuses in one sentence what it cannot serve, and changes nothing then."""

import sqlite3
from pathlib import Path

import pytest

from app.cli import main
from app.db.folder import hold
from app.db.migrate import upgrade


def refused(capsys: pytest.CaptureFixture[str], *flags: str) -> str:
    """What `aloud serve` says when it does not start."""
    assert main(["serve", *flags]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    return said.err


def test_a_database_of_a_newer_version_is_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "aloud.db"
    upgrade(database)
    with sqlite3.connect(database) as conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    conn.close()
    before = database.read_bytes()
    assert "written by a newer Aloud" in refused(capsys, "--data", str(tmp_path))
    assert database.read_bytes() == before


def test_a_file_that_is_no_database_is_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "aloud.db"
    database.write_bytes(b"no database, and long enough to be taken for one. " * 50)
    before = database.read_bytes()
    assert "Restore it from a backup" in refused(capsys, "--data", str(tmp_path))
    assert database.read_bytes() == before


def test_a_folder_that_another_process_holds_is_named_with_its_holder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with hold(tmp_path, "the web server at http://127.0.0.1:8001"):
        said = refused(capsys, "--data", str(tmp_path))
    assert "in use by the web server at http://127.0.0.1:8001" in said


def test_a_data_folder_below_a_file_cannot_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert "Name another one with --data" in refused(capsys, "--data", str(tmp_path / "file" / "data"))
