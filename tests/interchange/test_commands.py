"""aloud export and aloud import: files in, files out, and every refusal a sentence."""

import zipfile
from pathlib import Path

import pytest

from app.cli import main
from app.db.engine import Database
from app.db.folder import hold
from app.library.sync import sync
from app.settings import Settings
from tests.interchange.conftest import DECK, NOW

CSV = "guid,front,back\n1,Why?,Because\n2,Only a front,\n3,,x\n"


@pytest.fixture
def folder(settings: Settings, db: Database) -> list[str]:
    """The flags of a data folder with one shipped deck."""
    (settings.content / "decks" / "every.md").write_text(DECK, encoding="utf-8")
    assert sync(settings, db, NOW).errors == ()
    return ["--data", str(settings.data), "--content", str(settings.content)]


@pytest.mark.parametrize("ending", [".apkg", ".csv", ".md"])
def test_cards_go_into_a_file_of_each_format(folder: list[str], tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"cards{ending}"
    assert main(["export", str(path), *folder, "--level", "IC4", "--address", "https://aloud.example"]) == 0
    assert path.stat().st_size > 100
    if ending == ".apkg":
        with zipfile.ZipFile(path) as packed:
            assert b"https://aloud.example/demos/scaling?d_k=64" in packed.read("collection.anki2")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["cards.pdf"], "says not what it is"),
        (["no-folder/cards.csv"], "a folder that is there"),
        (["cards.zip"], "These cards are a .md file"),
        (["cards.csv", "--words", "nothing has these"], "nothing to export"),
        (["cards.csv", "--level", "IC9"], "There is no level"),
    ],
)
def test_an_export_that_cannot_be_is_told(
    folder: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    name, *rest = arguments
    assert main(["export", str(tmp_path / name), *folder, *rest]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / name).exists()


def test_a_table_becomes_a_deck_file_and_what_was_left_is_named(
    folder: list[str], settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "My cards.csv"
    path.write_text(CSV, encoding="utf-8")
    assert main(["import", str(path), *folder]) == 0
    said = capsys.readouterr().out
    assert "My cards.csv: 1 card added, 2 not taken." in said
    assert "Not taken: Only a front" in said
    assert "title: My cards" in (settings.own_decks / "imported-my-cards.md").read_text(encoding="utf-8")
    assert main(["check", str(settings.own_decks)]) == 0
    assert main(["import", str(path), *folder]) == 0
    assert "1 card as before" in capsys.readouterr().out


def test_nothing_is_written_while_the_web_server_has_the_folder(
    folder: list[str], settings: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.csv").write_text(CSV, encoding="utf-8")
    with hold(settings.data, "the web server at http://127.0.0.1:8000"):
        assert main(["import", str(tmp_path / "a.csv"), *folder]) == 2
    said = capsys.readouterr().err
    assert "in use by the web server" in said
    assert "Import and export" in said
    assert not settings.own_decks.exists()


def test_a_file_that_is_not_there_and_one_that_is_none_are_told(
    folder: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.apkg").write_bytes(b"PK no")
    assert main(["import", str(tmp_path / "none.csv"), str(tmp_path / "a.apkg"), str(tmp_path), *folder]) == 2
    said = capsys.readouterr().out
    assert "There is no file" in said
    assert "not a whole zip file" in said
    assert len(said.splitlines()) == 3
