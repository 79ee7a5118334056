"""Notes as a package that Anki imports: three note types, a deck for each of ours, stable guids. No media.

Imported again, a package changes the notes that have changed and doubles none, since Anki knows a note by its guid.
"""

import io
import itertools
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from hashlib import sha256
from html import escape
from pathlib import Path

import genanki

from app.interchange.anki_fields import cloze_field, field
from app.interchange.outgoing import Outgoing, Shape, demo_path

_CSS = """
.card { font: 20px/1.5 Georgia, "Source Serif 4", serif; max-width: 42em; margin: 0 auto; padding: 0 .5em; }
.asks, .about { font: 15px/1.5 system-ui, sans-serif; opacity: .75; }
pre { overflow-x: auto; padding: .75em; border: 1px solid currentColor; border-radius: 4px; }
code { font-family: ui-monospace, "JetBrains Mono", monospace; font-size: .9em; }
table { border-collapse: collapse; }
th, td { border: 1px solid currentColor; padding: .25em .6em; }
.cloze { font-weight: bold; }
"""
_ABOUT = '<div class="about">{{Source}}<br>{{Proof}} {{Card}}</div>'
_FIELDS = ("Source", "Proof", "Card", "Id")  # by these an import knows our own note types again


def _model(
    model_id: int, name: str, fields: tuple[str, ...], *templates: tuple[str, str, str]
) -> genanki.Model:
    """A note type. Its id is for good: a change of its fields needs another one, or Anki makes a second type."""
    return genanki.Model(
        model_id,
        name,
        fields=[{"name": each} for each in (*fields, *_FIELDS)],
        templates=[{"name": named, "qfmt": q, "afmt": a + _ABOUT} for named, q, a in templates],
        css=_CSS,
        model_type=genanki.Model.CLOZE if name.endswith("Cloze") else genanki.Model.FRONT_BACK,
    )


_BACK = '{{FrontSide}}<hr id="answer">'
MODELS: dict[Shape, genanki.Model] = {
    "plain": _model(1764460801, "Aloud", ("Front", "Back"), ("Card", "{{Front}}", _BACK + "{{Back}}")),
    "both": _model(
        1764460802,
        "Aloud both ways",
        ("Front", "Back"),
        ("Forwards", "{{Front}}", _BACK + "{{Back}}"),
        ("Backwards", "{{Back}}", _BACK + "{{Front}}"),
    ),
    "cloze": _model(
        1764460803,
        "Aloud Cloze",
        ("Text", "Extra"),
        ("Cloze", "{{cloze:Text}}", '{{cloze:Text}}<hr id="answer">{{Extra}}'),
    ),
}


def package(notes: Iterable[Outgoing], address: str, now: datetime) -> bytes:
    """The .apkg of these notes. `address` is where this Aloud is reached: each note links back to its card and demo."""
    decks: dict[str, genanki.Deck] = {}
    for note in notes:
        deck = decks.setdefault(note.deck, genanki.Deck(_deck_id(note.deck), _deck_name(note.deck)))
        deck.add_note(_note(note, address, due=len(deck.notes) + 1))
    return _zipped(genanki.Package(list(decks.values())), now)


def _note(note: Outgoing, address: str, due: int) -> genanki.Note:
    asks = f'<div class="asks">{escape(note.asks)}</div>' if note.asks and note.shape != "cloze" else ""
    front = cloze_field(note.front) if note.shape == "cloze" else asks + field(note.front)
    proof = _link(address, demo_path(note.demo), f"Run it: {note.demo}") if note.demo else ""
    return genanki.Note(
        MODELS[note.shape],
        [
            front,
            field(note.back),
            escape(note.source),
            proof,
            _link(address, f"cards/{note.id}{'.1' * (note.shape == 'cloze')}", "In Aloud"),
            note.id,
        ],
        tags=[*note.tags, *(f"level::{level}" for level in (note.level,) if level), *["core"] * note.core],
        guid=note.guid,
        due=due,
    )


def _link(address: str, path: str, words: str) -> str:
    return f'<a href="{escape(address.rstrip("/") + "/" + path)}">{escape(words)}</a>'


def _deck_name(name: str) -> str:
    return "::".join(("Aloud", *name.split("/")))


def _deck_id(name: str) -> int:
    """The same for the same name, and far from the moments that Anki takes for ids of its own."""
    return 2**30 + int.from_bytes(sha256(name.encode()).digest()[:4]) % 2**30


def _zipped(made: genanki.Package, now: datetime) -> bytes:
    """Written by hand, since genanki's own way leaves its database behind in the folder for temporary files."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory(prefix="aloud-") as folder:
        path = Path(folder) / "collection.anki2"
        with closing(sqlite3.connect(path)) as conn:
            made.write_to_db(conn.cursor(), now.timestamp(), itertools.count(int(now.timestamp() * 1000)))
            conn.commit()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as out:
            out.write(path, path.name)
            out.writestr("media", json.dumps({}))
    return packed.getvalue()
