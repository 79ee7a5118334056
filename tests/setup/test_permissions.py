"""Folders and files that this user may not read or write: each command says so in a sentence, with what helps."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.db.migrate import upgrade
from app.settings import ROOT
from tests.house import free_port

ROOT_HERE = os.geteuid() == 0
BOUND = (
    ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if ROOT_HERE else []
)  # root, held to modes as others are

pytestmark = pytest.mark.skipif(
    ROOT_HERE and shutil.which("setpriv") is None,
    reason="This test runs as root, and needs setpriv to be bound.",
)


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder with a database and a deck in it, whose modes are put right again in the end."""
    folder = tmp_path / "data"
    (folder / "decks").mkdir(parents=True)
    (folder / "decks" / "mine.md").write_text("---\ndeck: mine\ntitle: My own\n---\nQ: q\nA: a\nid: mine\n")
    upgrade(folder / "aloud.db")
    yield folder
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o700)
    (folder / "decks").chmod(0o700)


def aloud(*arguments: str | Path) -> tuple[int, list[str], str]:
    """The exit code, the lines of standard error, and the output of a command."""
    done = subprocess.run(
        [*BOUND, sys.executable, "-m", "app.cli", *arguments],
        cwd=ROOT, env={**os.environ, "ALOUD_PORT": str(free_port())}, capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    return done.returncode, done.stderr.splitlines(), done.stdout


def refused(*arguments: str | Path) -> str:
    """The one sentence with which a command says that it cannot."""
    code, said, _ = aloud(*arguments)
    assert (code, len(said)) == (2, 1), said
    assert "[Errno" not in said[0]
    assert "backup" not in said[0]
    return said[0]


def findings(data: Path) -> str:
    """What `aloud doctor` finds, to its end."""
    code, said, found = aloud("doctor", "--data", data)
    assert (code, said) == (1, [])
    assert "Device " in found
    assert "backup" not in found
    return found


def test_a_data_folder_that_cannot_be_entered(data: Path) -> None:
    data.chmod(0)
    assert f"{data} cannot be written (Permission denied)" in refused("serve", "--data", data)
    assert f"fail  Data folder {data} cannot be written: Permission denied" in findings(data)
    for command in (("check",), ("check", "--replay"), ("token",), ("token", "box")):
        assert "Permission denied" in refused(*command, "--data", data)


def test_a_data_folder_that_cannot_be_written(data: Path) -> None:
    (data / "lock").touch()
    data.chmod(0o500)
    helps = f"Let this user read and write {data} and all in it"
    for command in (("serve",), ("check", "--replay")):
        assert helps in refused(*command, "--data", data)
    assert helps in findings(data)


@pytest.mark.parametrize("mode", [0, 0o400])
def test_a_database_that_cannot_be_written(data: Path, mode: int) -> None:
    (data / "aloud.db").chmod(mode)
    helps = f"Let this user read and write {data} and all in it"
    assert helps in refused("serve", "--data", data)
    assert helps in findings(data)


@pytest.mark.parametrize("name", ["worker-token", "secret"])
def test_a_key_that_cannot_be_read(data: Path, name: str) -> None:
    (data / name).write_text("key")
    (data / name).chmod(0)
    assert refused("serve", "--data", data) == (
        f"The key in {data / name} cannot be read (Permission denied). "
        "Let this user read it, or remove it, and a new one is made."
    )


def test_tokens_that_cannot_be_listed_are_not_taken_for_none(data: Path) -> None:
    (data / "tokens").mkdir(mode=0)
    assert f"{data / 'tokens'}" in refused("token", "--data", data)
    assert f"fail  {data / 'tokens'} cannot be read: Permission denied" in findings(data)


def test_decks_that_cannot_be_read_are_not_taken_for_gone(data: Path) -> None:
    (data / "decks").chmod(0)
    for command in (("serve",), ("check",), ("check", "--replay")):
        assert f"{data / 'decks'}: Permission denied" in refused(*command, "--data", data)


def test_shipped_decks_that_cannot_be_read(data: Path) -> None:
    data.chmod(0)
    assert "Permission denied" in refused("check", "--content", data)


def test_records_that_cannot_be_read_or_written(data: Path) -> None:
    data.chmod(0)
    assert f"{data / 'lines.txt'}: Permission denied" in refused("demo", "records", data)
    for line in ((), ("softmax",)):
        said = refused("demo", "record", "--into", data, *line)
        assert (
            said == f"No record can be kept in {data} (Permission denied). Name another folder with --into."
        )


def test_a_folder_that_cannot_be_made_for_records() -> None:
    assert "No record can be kept in /proc/x (" in refused("demo", "record", "--into", "/proc/x", "softmax")
