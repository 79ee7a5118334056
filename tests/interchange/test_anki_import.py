"""Packages that the official Anki wrote, in all its three formats, and packages that nobody should have written."""

import functools
import io
import json
import sqlite3
import struct
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from app.interchange import anki_package
from app.interchange.importing import BadFile, Outcome, bring_in
from app.library.format import Deck, parse_deck
from app.library.render import formula_errors
from app.settings import Settings
from tests.interchange.conftest import apkg, take_in

FORMATS = ("collection.anki2", "collection.anki21", "collection.anki21b")
Library = Callable[..., Any]


def add(
    collection: Any, kind: str, *fields: str, deck: str = "ML::Attention", tags: str = "", guid: str = ""
) -> Any:
    note = collection.new_note(collection.models.by_name(kind))
    note.fields[: len(fields)] = fields
    note.tags = tags.split()
    note.guid = guid or note.guid
    collection.add_note(note, collection.decks.id(deck))
    return note


def packed(collection: Any, path: Path, kind: str) -> bytes:
    """The collection as a package of this format. The oldest is the middle one under the name of its time."""
    from anki.collection import ExportAnkiPackageOptions

    options = ExportAnkiPackageOptions(
        with_scheduling=True, with_deck_configs=True, with_media=True, legacy=kind != FORMATS[2]
    )
    collection.export_anki_package(out_path=str(path), options=options, limit=None)
    if kind != FORMATS[0]:
        return path.read_bytes()
    made = io.BytesIO()
    with zipfile.ZipFile(path) as found, zipfile.ZipFile(made, "w") as out:
        out.writestr(FORMATS[0], found.read(FORMATS[1]))
        out.writestr("media", found.read("media"))
    return made.getvalue()


def take(settings: Settings, data: bytes) -> Outcome:
    return bring_in(settings, "deck.apkg", io.BytesIO(data))


def deck(settings: Settings, name: str = "imported-ml-attention.md") -> Deck:
    return parse_deck((settings.own_decks / name).read_text(encoding="utf-8"), name)


def fill(collection: Any, tmp_path: Path) -> None:
    picture = tmp_path / "heat.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    name = collection.media.add_file(str(picture))
    add(
        collection,
        "Basic",
        r"Why \(\sqrt{d_k} &lt; 1\)?",
        f"<b>Scale</b><br>1. a*b<img src='{name}'>",
        guid="G1",
    )
    add(collection, "Basic (and reversed card)", "query", "key", guid="G2")
    add(collection, "Basic (type in the answer)", "Which flag?", "enable_gqa", guid="G3")
    add(collection, "Basic (optional reversed card)", "one", "two", "", guid="G4")
    add(
        collection, "Cloze", r"The {{c1::\(x_{a_{b} }\)::which}} and \(n={{c2::m}}\)", "Extra", guid="G5",
        tags="mask level::IC5 core leech",
    )  # fmt: skip
    add(
        collection, "Basic", "Run <pre>#include &lt;bits&gt;\nA: x</pre>", "<script>x()</script>ok", guid="G6"
    )


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_of_anki_is_read(collection: Any, settings: Settings, tmp_path: Path, kind: str) -> None:
    fill(collection, tmp_path)
    outcome = take(settings, packed(collection, tmp_path / "deck.apkg", kind))
    assert (outcome.plan.added, outcome.left.skipped) == (6, [])
    assert (outcome.media, outcome.left.pictures, outcome.left.merged) == (1, 1, 1)
    notes = deck(settings).notes
    assert [note.kind for note in notes] == ["question", "reverse", "typed", "question", "cloze", "question"]
    assert notes[0].question == r"Why $\sqrt{d_k} < 1$?"
    assert notes[0].answer == "**Scale**\\\n1\\. a\\*b\\[picture: heat.png\\]"
    assert (notes[1].question, notes[1].answer) == ("query", "key")
    assert notes[2].answer_value
    assert (notes[2].answer_value.text, notes[2].answer) == ("enable_gqa", "")
    assert notes[4].question == r"The {{c1::$x_{a_{b} }$::which}} and {{c2::$n=m$}}"
    assert (notes[4].answer, notes[4].level, notes[4].core, notes[4].tags) == (
        "Extra",
        "IC5",
        True,
        ("mask",),
    )
    assert notes[5].question == "Run\n\n```\n#include <bits>\nA: x\n```"
    assert notes[5].answer == "ok"
    assert deck(settings).title == "ML: Attention"
    assert not any(formula_errors(text) for note in notes for text in (note.question, note.answer))


@pytest.mark.parametrize("kind", FORMATS)
def test_a_second_import_changes_nothing_and_a_changed_note_its_card(
    collection: Any, settings: Settings, tmp_path: Path, kind: str
) -> None:
    fill(collection, tmp_path)
    data = packed(collection, tmp_path / "deck.apkg", kind)
    take(settings, data)
    before = {path.name: path.read_bytes() for path in settings.own_decks.iterdir()}
    assert take(settings, data).plan.same == 6
    assert {path.name: path.read_bytes() for path in settings.own_decks.iterdir()} == before
    note = collection.get_note(collection.find_notes("query")[0])
    note["Back"] = "value"
    collection.update_note(note)
    again = take(settings, packed(collection, tmp_path / "deck.apkg", kind)).plan
    assert (again.added, again.changed, again.same) == (0, 1, 5)
    assert deck(settings).notes[1].answer == "value"


def test_our_own_export_comes_back_as_cards_that_are_here(
    library: Library, collection: Any, settings: Settings, tmp_path: Path
) -> None:
    take_in(collection, apkg(library()), tmp_path / "a.apkg")
    add(collection, "Basic", "new", "one", guid="mine")
    outcome = take(settings, packed(collection, tmp_path / "b.apkg", FORMATS[2]))
    assert (outcome.plan.here, outcome.plan.added) == (9, 1)


def test_anki_s_own_plain_text_with_guids_is_the_same_cards(
    collection: Any, settings: Settings, tmp_path: Path
) -> None:
    fill(collection, tmp_path)
    take(settings, packed(collection, tmp_path / "deck.apkg", FORMATS[1]))
    collection.export_note_csv(
        out_path=str(tmp_path / "notes.txt"), limit=None, with_html=True, with_tags=True, with_deck=True,
        with_notetype=True, with_guid=True,
    )  # fmt: skip
    outcome = bring_in(settings, "notes.txt", io.BytesIO((tmp_path / "notes.txt").read_bytes()))
    assert (outcome.plan.added, outcome.left.skipped) == (0, [])
    assert outcome.plan.same + len(outcome.plan.kept) + outcome.plan.changed == 6


def test_what_anki_made_of_an_imported_note_goes_back_to_it(
    collection: Any, settings: Settings, tmp_path: Path
) -> None:
    """The guid that a note came with is the guid it leaves with, so Anki knows it again."""
    from app.interchange.guids import guid

    note = add(collection, "Basic", "a", "b")
    take(settings, packed(collection, tmp_path / "a.apkg", FORMATS[1]))
    assert guid(deck(settings).notes[0].id) == note.guid


def test_a_note_of_several_cards_becomes_several(collection: Any, settings: Settings, tmp_path: Path) -> None:
    kind = collection.models.by_name("Basic")
    second = collection.models.new_template("Card 2")
    second["qfmt"] = "About {{Back}}: {{#Front}}what?{{/Front}}"
    second["afmt"] = "{{FrontSide}}<hr id=answer>{{Front}}!"
    collection.models.add_template(kind, second)
    collection.models.update_dict(kind)
    add(collection, "Basic", "q", "k", guid="G")
    take(settings, packed(collection, tmp_path / "a.apkg", FORMATS[2]))
    assert [(n.id, n.question, n.answer) for n in deck(settings).notes] == [
        ("guid-i4", "q", "k"),
        ("guid-i4-2", "About k: what?", "q!"),
    ]


def test_a_card_without_a_back_is_named_and_the_rest_taken(
    collection: Any, settings: Settings, tmp_path: Path
) -> None:
    add(collection, "Basic", "only a front", "")
    add(collection, "Basic", "x" * 30_000, "long")
    add(collection, "Basic", "y" * 60_000, "longer")
    add(collection, "Image Occlusion", "{{c1::image-occlusion:rect:left=.1}}", "<img src=a.png>", "The mask")
    add(collection, "Basic", "fine", "yes")
    outcome = take(settings, packed(collection, tmp_path / "a.apkg", FORMATS[1]))
    assert outcome.plan.added == 1
    why = {which[:13]: reason for which, reason in outcome.left.skipped}
    assert why.pop("only a front") == "its back is empty"
    assert why.pop("The mask") == "it asks with a picture"
    assert "30000 characters" in why.pop("x" * 13)
    assert "60,000 characters" in why.pop("y" * 13)
    assert why == {}


def zip_of(**members: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            out.writestr(name.replace("__", "."), data)
    return made.getvalue()


def database(*statements: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made"
        with closing(sqlite3.connect(path)) as conn:
            for statement in statements:
                conn.execute(statement)
            conn.commit()
        return path.read_bytes()


TABLES = ("CREATE TABLE notes (id)", "CREATE TABLE cards (id)", "CREATE TABLE col (models)")


def lying(data: bytes) -> bytes:
    """The zip with its members' sizes given as 1 byte."""
    at = data.index(b"PK\x01\x02")
    return data[: at + 24] + struct.pack("<I", 1) + data[at + 28 :]


LIMIT = 2**20  # bytes that a collection may have in these tests


@functools.cache
def odd() -> dict[str, tuple[bytes, str]]:
    outside = io.BytesIO()
    with zipfile.ZipFile(outside, "w") as out:
        out.writestr("collection.anki2", database(*TABLES))
        out.writestr("../../evil.md", "x")
    bomb = b"\0" * (2 * LIMIT)
    whole = zip_of(collection__anki2=database(*TABLES))
    return {
        "no zip": (b"PK but nothing more", "not a whole zip file"),
        "cut": (whole[: len(whole) // 2], "not a whole zip file"),
        "damaged": (whole[:60] + b"\xff" * 40 + whole[100:], "damaged"),
        "outside": (outside.getvalue(), "outside of itself"),
        "no collection": (zip_of(a__txt=b"x"), "no collection in this zip"),
        "no database": (zip_of(collection__anki2=b"x" * 5000), "collection in this package is damaged"),
        "empty database": (zip_of(collection__anki2=b""), "no table"),
        "no tables": (zip_of(collection__anki2=database("CREATE TABLE a (b)")), "no table"),
        "empty tables": (whole, "damaged"),
        "bomb": (zip_of(collection__anki2=bomb), "more than 1 MB"),
        "bomb of zstd": (zip_of(collection__anki21b=zstandard.compress(bomb)), "more than 1 MB"),
        "no zstd": (zip_of(collection__anki21b=b"x" * 100), "damaged"),
        "liar": (lying(zip_of(collection__anki2=bomb[:LIMIT])), "not a whole zip file"),
    }


@pytest.mark.parametrize("name", list(odd()))
def test_a_package_that_nobody_should_have_written_is_refused_and_leaves_nothing(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    data, sentence = odd()[name]
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(anki_package, "MOST_COLLECTION", LIMIT)
    with pytest.raises(BadFile, match=sentence) as refused:
        take(settings, data)
    assert str(refused.value).endswith("Nothing was imported.")
    assert list((tmp_path / "temporary").iterdir()) == []
    assert not settings.own_decks.exists()
    assert not list(tmp_path.rglob("evil.md"))


def test_a_collection_that_defines_views_instead_of_tables_is_refused(settings: Settings) -> None:
    made = database("CREATE TABLE col (models)", "CREATE TABLE cards (id)", "CREATE VIEW notes AS SELECT 1")
    with pytest.raises(BadFile, match="no table notes"):
        take(settings, zip_of(collection__anki2=made))


def test_json_that_is_none_of_anki_s_is_refused(settings: Settings) -> None:
    for models in ("[]", "{", json.dumps({"1": {"name": "x"}}), "null"):
        made = database(
            "CREATE TABLE notes (id, guid, mid, tags, flds)", "CREATE TABLE cards (nid, ord, did, odid)",
            "CREATE TABLE col (models, decks)", f"INSERT INTO col VALUES ('{models}', '{{}}')",
        )  # fmt: skip
        with pytest.raises(BadFile, match="damaged"):
            take(settings, zip_of(collection__anki2=made))
