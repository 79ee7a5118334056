"""The page Import and export: what it hands out, takes in and refuses, as plain requests."""

import csv
import io
import re
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.db.engine import Database
from app.interchange.guids import guid
from app.library.sync import sync
from app.settings import Settings
from tests.interchange.conftest import DECK, NOW

CSV = b"guid,front,back,deck\n1,Why *q*?,Because,ML/Attention\n2,The {{c1::gap}},,ML/Attention\n"


def send(client: TestClient, data: bytes, name: str = "cards.csv") -> str:
    answer = client.post("/cards/exchange", files={"file": (name, data)})
    if answer.status_code == 303:
        answer = client.get(answer.headers["location"])
        assert answer.status_code == 200
    else:
        assert answer.status_code == 422, answer.text
    return answer.text


def left(settings: Settings) -> list[str]:
    return sorted(path.name for path in settings.own_decks.iterdir()) if settings.own_decks.exists() else []


def test_a_table_becomes_cards_that_can_be_studied_at_once(client: TestClient, settings: Settings) -> None:
    assert "cards.csv: 2 cards added." in send(client, CSV)
    assert left(settings) == [".imported.json", "imported-ml-attention.md"]
    listed = client.get("/api/v1/cards", params={"deck": "imported/ml/attention"}).json()["cards"]
    assert [card["question"] for card in listed] == ["Why q?", "The [blank]"]
    assert client.get("/api/v1/study/next").json()["card"] is not None


def test_a_second_import_changes_nothing_and_a_changed_note_its_card_alone(
    client: TestClient, settings: Settings
) -> None:
    send(client, CSV)
    path = settings.own_decks / "imported-ml-attention.md"
    before = path.read_bytes()
    assert "2 cards as before" in send(client, CSV)
    assert path.read_bytes() == before
    assert "1 card changed, 1 as before" in send(client, CSV.replace(b"Because", b"Since"))
    assert path.read_bytes() == before.replace(b"Because", b"Since")
    card = client.get("/api/v1/cards/guid-ge").json()
    assert (card["answer_html"], card["text_revision"]) == ("<p>Since</p>", 2)


def test_a_card_edited_here_is_kept(client: TestClient, settings: Settings) -> None:
    send(client, CSV)
    path = settings.own_decks / "imported-ml-attention.md"
    path.write_text(path.read_text().replace("Because", "Mine"))
    assert "2 cards as before" in send(client, CSV)
    assert "Changed here and there, so yours was kept: guid-ge." in send(
        client, CSV.replace(b"Because", b"Theirs")
    )
    assert "Mine" in path.read_text()


def test_a_card_that_was_taken_out_stays_out_until_its_deck_is_deleted(
    client: TestClient, settings: Settings
) -> None:
    send(client, CSV)
    path = settings.own_decks / "imported-ml-attention.md"
    path.write_text(path.read_text().partition("\nC: ")[0])
    said = send(client, CSV.replace(b"gap", b"hole"))
    assert "1 card as before." in said
    assert "1 card you took out of their deck stay out" in said
    assert "hole" not in path.read_text()
    path.unlink()
    assert "2 cards added." in send(client, CSV)


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("empty.csv", b"", "The file is empty"),
        ("blank.csv", b"\n\n", "The table is empty"),
        ("no-guid.csv", b"front,back\na,b\n", "no column guid"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0", "neither a package of Anki nor a table"),
        ("latin.csv", b"guid,front\n1,caf\xe9\n", "Line 2 is not UTF-8"),
        ("quote.csv", b'guid,front,back\n1,"a,b\n', "cannot be read from line 2"),
        ("cut.apkg", b"PK\x03\x04 and no more", "not a whole zip file"),
    ],
)
def test_a_file_that_is_refused_says_why_and_leaves_nothing(
    client: TestClient, settings: Settings, name: str, data: bytes, sentence: str
) -> None:
    said = send(client, data, name)
    assert sentence in said
    assert "othing was imported" in said or name == "empty.csv"
    assert 'role="alert"' in said
    assert left(settings) == []


def test_no_file_is_told(client: TestClient) -> None:
    answer = client.post("/cards/exchange", files={"other": ("a", b"b")})
    assert (answer.status_code, "No file was chosen" in answer.text) == (422, True)


def test_a_file_larger_than_two_megabytes_may_come_here_and_nowhere_else(client: TestClient) -> None:
    send(client, CSV)
    packed = io.BytesIO(client.get("/cards/exchange/export", params={"format": "apkg"}).content)
    with zipfile.ZipFile(packed, "a") as more:
        more.writestr("0", bytes(2**22))
    assert "large.apkg: 2 cards as before." in send(client, packed.getvalue(), "large.apkg")
    assert client.post("/theme", data={"theme": "x" * 2**22}).status_code == 413
    huge = {"Content-Length": str(2**27), "Content-Type": "multipart/form-data; boundary=b"}
    answer = client.post("/cards/exchange", headers=huge, content=b"")
    assert (answer.status_code, "64 MB" in answer.text) == (413, True)


def test_from_another_site_nothing_is_imported(client: TestClient, settings: Settings) -> None:
    answer = client.post(
        "/cards/exchange", files={"file": ("a.csv", CSV)}, headers={"Sec-Fetch-Site": "cross-site"}
    )
    assert answer.status_code == 403
    assert left(settings) == []


@pytest.mark.parametrize(("kind", "ending"), [("apkg", ".apkg"), ("csv", ".csv"), ("md", ".md")])
def test_the_export_is_a_download_in_each_format(client: TestClient, kind: str, ending: str) -> None:
    send(client, CSV)
    answer = client.get("/cards/exchange/export", params={"format": kind, "deck": "imported/ml/attention"})
    assert answer.status_code == 200
    assert answer.headers["content-disposition"].endswith(f"imported-ml-attention{ending}")
    assert answer.headers["content-disposition"].startswith("attachment;")
    if kind == "apkg":
        assert "collection.anki2" in zipfile.ZipFile(io.BytesIO(answer.content)).namelist()


def test_an_imported_note_leaves_with_the_guid_it_came_with(client: TestClient) -> None:
    send(client, CSV)
    answer = client.get("/cards/exchange/export", params={"format": "csv"})
    assert [line.split(",")[0] for line in answer.text.splitlines()] == ["guid", "1", "2"]
    assert "2 cards as before" in send(client, answer.content)


def test_an_unknown_format_and_an_empty_choice_are_told(client: TestClient) -> None:
    assert client.get("/cards/exchange/export", params={"format": "pdf"}).status_code == 422
    assert "nothing to export" in client.get("/cards/exchange/export", params={"format": "md"}).text


def test_a_deck_file_that_cannot_be_written_is_told(
    client: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_made: object, _path: object) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    assert "No space left on device" in send(client, CSV)
    assert left(settings) == []


def test_several_decks_in_markdown_are_a_zip_of_deck_files(client: TestClient) -> None:
    send(client, CSV + b"3,q,a,Other\n")
    answer = client.get("/cards/exchange/export", params={"format": "md"})
    assert sorted(zipfile.ZipFile(io.BytesIO(answer.content)).namelist()) == [
        "imported-ml-attention.md",
        "imported-other.md",
    ]


def test_a_report_that_was_not_signed_here_is_no_report(client: TestClient) -> None:
    answer = client.get("/cards/exchange", params={"told": "made-up.signature"})
    assert (answer.status_code, "Imported</h2>" in answer.text) == (200, False)


def test_a_long_report_still_fits_its_address(client: TestClient) -> None:
    rows = "".join(f"{at},{at} {'word ' * 40}🙂,,D{at}\n{at}b,q{at},a,Deck {at}\n" for at in range(300))
    answer = client.post(
        "/cards/exchange", files={"file": ("long.csv", f"guid,front,back,deck\n{rows}".encode())}
    )
    assert len(answer.headers["location"]) < 8000
    said = client.get(answer.headers["location"]).text
    assert "300 cards added, 300 not taken" in said
    assert "And 280 more." in said


def test_a_deck_file_that_has_a_mistake_by_now_is_named_and_nothing_written(
    client: TestClient, settings: Settings
) -> None:
    send(client, CSV)
    path = settings.own_decks / "imported-ml-attention.md"
    path.write_text(path.read_text() + "\nQ: no answer\nid: broken\n")
    before = path.read_bytes()
    said = send(client, CSV + b"3,new,one,ML/Attention\n4,elsewhere,one,Other\n")
    assert "decks/imported-ml-attention.md has a mistake in line 13" in said
    assert path.read_bytes() == before
    assert left(settings) == [".imported.json", "imported-ml-attention.md"]


def test_an_edited_copy_of_a_shipped_card_leaves_in_its_place(
    client: TestClient, settings: Settings, db: Database
) -> None:
    (settings.content / "decks" / "every.md").write_text(DECK, encoding="utf-8")
    assert sync(settings, db, NOW).errors == ()
    page = client.get("/cards/flag/edit").text
    hidden = dict(re.findall(r'name="(seen|base)"[^>]*value="([^"]*)"', page))
    text = "Q: Which flag?\nkind: typed\nanswer: is_causal\nid: flag"
    assert client.post("/cards/flag/edit", data={"text": text, **hidden}).status_code == 303
    asked = {"q": "Which flag", "deck": "attention/every"}
    answer = client.get("/cards/exchange/export", params={"format": "csv", **asked})
    row = next(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert (row["guid"], row["deck"], row["answer"]) == (guid("flag"), "attention/every", "is_causal")
    assert "is_causal" in client.get("/cards/exchange/export", params={"format": "md", **asked}).text
    exported = client.get("/cards/exchange/export", params={"format": "apkg", **asked}).content
    assert "since they come from here: 1 card." in send(client, exported, "back.apkg")
