"""The export, held against the official Anki, and against our own reading of CSV and decks."""

import csv
import io
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from app.interchange import delimited
from app.interchange.exporting import export
from app.interchange.guids import guid, note_id
from app.interchange.outgoing import outgoing
from app.library.format import parse_deck
from app.library.source_notes import SourceDeck
from app.web.errors import NotFound
from tests.interchange.conftest import ADDRESS, NOW, apkg, take_in

Library = Callable[..., tuple[SourceDeck, ...]]


def test_anki_takes_every_note_with_its_fields_tags_deck_and_cards(
    library: Library, collection: Any, tmp_path: Path
) -> None:
    log = take_in(collection, apkg(library()), tmp_path / "a.apkg")
    assert len(log.new) == 9
    assert [*log.updated, *log.duplicate, *log.conflicting] == []
    notes = {note["Id"]: note for note in map(collection.get_note, collection.find_notes(""))}
    assert {name: len(note.cards()) for name, note in notes.items() if len(note.cards()) > 1} == {
        "gaps": 2,
        "ways": 2,
    }
    plain = notes["plain"]
    assert plain["Front"] == (
        r"<p>Why divide by \(\sqrt{d_k}\), and what does <code>#include &lt;bits&gt;</code> do &amp; why?</p>"
    )
    assert r"\({Q}{K}^\top &lt; {-\infty}\)" in plain["Back"]
    assert "\\[\n\\frac{a}{b_{i}}\n\\]" in plain["Back"]
    assert "Often said, and wrong" in plain["Back"]
    assert sorted(plain.tags) == ["core", "level::IC4", "scaling", "soft-max"]
    assert plain["Source"] == "Vaswani 2017, section 3.2.1"
    assert f'href="{ADDRESS}/demos/scaling?d_k=64&amp;n_kv=16"' in plain["Proof"]
    assert f'href="{ADDRESS}/cards/plain"' in plain["Card"]
    assert collection.decks.name(plain.cards()[0].did) == "Aloud::attention::every"
    assert collection.card_stats_data(plain.cards()[0].id).note_id == plain.id


def test_anki_shows_a_gap_whole_whatever_braces_and_colons_it_holds(
    library: Library, collection: Any, tmp_path: Path
) -> None:
    take_in(collection, apkg(library(q="mask")), tmp_path / "a.apkg")
    first, second = collection.get_note(collection.find_notes("Id:gaps")[0]).cards()
    assert "[the a:&#58;b ones]" in first.question()
    assert r"x_{a_{b} }" in first.answer()
    assert "x_{a" not in first.question()
    assert '<span class="cloze" data-ordinal="2"><code>f({&#125;)</code></span>' in second.answer()
    assert "Before the softmax" in second.answer()


def test_what_a_kind_asks_and_its_answer_are_there(library: Library, collection: Any, tmp_path: Path) -> None:
    take_in(collection, apkg(library()), tmp_path / "a.apkg")
    notes = {note["Id"]: note for note in map(collection.get_note, collection.find_notes(""))}
    assert "320 KiB" in notes["much"]["Back"]
    assert "enable_gqa" in notes["flag"]["Back"]
    assert "<p>4 tokens" in notes["pairs"]["Front"]
    assert "16" in notes["pairs"]["Back"]
    assert "Three." in notes["spot"]["Front"]
    assert "is wrong." in notes["spot"]["Back"]
    assert "Say it aloud, in 30 s" in notes["said"]["Front"]
    assert "Says why" in notes["said"]["Back"]
    assert "<pre><code>x = {&quot;a&quot;: [1]}" in notes["code"]["Back"].replace('"', "&quot;")


def test_a_second_export_changes_a_note_and_doubles_none(
    library: Library, collection: Any, tmp_path: Path, settings: Any
) -> None:
    take_in(collection, apkg(library()), tmp_path / "a.apkg")
    deck = settings.content / "decks" / "every.md"
    deck.write_text(deck.read_text(encoding="utf-8").replace("A: key", "A: value"), encoding="utf-8")
    log = take_in(collection, apkg(library(), NOW + timedelta(days=1)), tmp_path / "b.apkg")
    assert len(log.new) == 0
    assert collection.note_count() == 9
    assert "value" in collection.get_note(collection.find_notes("Id:ways")[0])["Back"]


def test_a_filter_is_carried_and_nothing_that_fits_is_told(library: Library) -> None:
    assert [note.key for deck in library(level="IC4") for note in deck.notes] == ["plain"]
    with pytest.raises(NotFound, match="nothing to export"):
        export(library(q="no such words"), "apkg", ADDRESS, NOW)


def test_the_export_leaves_no_file_behind(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    packed = apkg(library())
    assert list((tmp_path / "temporary").iterdir()) == []
    with zipfile.ZipFile(io.BytesIO(packed)) as found:
        assert found.namelist() == ["collection.anki2", "media"]


def test_csv_has_a_row_for_each_note_that_our_reader_reads_back(library: Library) -> None:
    made = export(library(), "csv", ADDRESS, NOW)
    rows = list(csv.DictReader(io.StringIO(made.data.decode(), newline="")))
    assert made.name == "aloud-attention-every.csv"
    assert [row["kind"] for row in rows][:3] == ["question", "cloze", "reverse"]
    assert rows[0]["guid"] == guid("plain")
    assert r"\frac{a}{b_{i}}" in rows[0]["back"]
    read = delimited.read(made.data.decode())
    assert [row.cells["front"] for row in read.rows] == [note.front for note in outgoing(library())]


def test_markdown_is_the_deck_itself_with_the_cards_that_fit(library: Library, settings: Any) -> None:
    made = export(library(), "md", ADDRESS, NOW)
    assert made.name == "attention-every.md"
    assert made.data.decode() == (settings.content / "decks" / "every.md").read_text(encoding="utf-8")
    one = export(library(level="IC4"), "md", ADDRESS, NOW).data.decode()
    assert [note.id for note in parse_deck(one, "one.md").notes] == ["plain"]


def test_a_guid_is_stable_and_comes_back_from_the_id_it_became() -> None:
    assert guid("sqrt-dk") == guid("sqrt-dk") != guid("sqrt")
    for given in ("f>Q1j,3k`d", "é 🙂", "x" * 400, "", '";\n'):
        name = note_id(given)
        assert note_id(given) == name
        assert len(name) <= 72
        if len(given) < 20 and given:
            assert guid(name) == given
