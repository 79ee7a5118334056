"""Deck files are written whole, all of them or none."""

import os
from pathlib import Path

import pytest

from app.library import writing
from app.library.files import deck_paths


def test_files_are_put_with_their_folders_and_keep_their_rights(tmp_path: Path) -> None:
    old = tmp_path / "old.md"
    old.write_bytes(b"before")
    old.chmod(0o640)
    writing.put({old: b"after", tmp_path / "deep" / "new.md": b"fresh"})
    assert old.read_bytes() == b"after"
    assert old.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "deep" / "new.md").read_bytes() == b"fresh"
    assert [path.name for path in sorted(tmp_path.rglob("*.md"))] == ["new.md", "old.md"]


def test_where_one_cannot_be_written_none_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old.md"
    old.write_bytes(b"before")
    (tmp_path / "file").write_bytes(b"no folder")
    with pytest.raises(OSError, match="file"):
        writing.put({old: b"after", tmp_path / "file" / "new.md": b"fresh"})
    assert old.read_bytes() == b"before"

    def full(_: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        writing.put({old: b"after"})
    assert old.read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "old.md"]


def test_what_a_crash_leaves_is_no_deck(tmp_path: Path) -> None:
    (tmp_path / ".writing-x").write_bytes(b"half")
    (tmp_path / "a.md").write_bytes(b"whole")
    assert [path.name for path in deck_paths(tmp_path)] == ["a.md"]


def test_the_hand_may_be_taken_twice(tmp_path: Path) -> None:
    with writing.writing(), writing.writing():
        writing.put({tmp_path / "a.md": b"x"})
