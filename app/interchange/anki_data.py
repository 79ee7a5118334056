"""What an Anki package holds. Data only."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Template:
    question: str
    answer: str


@dataclass(frozen=True)
class NoteType:
    name: str
    cloze: bool
    fields: tuple[str, ...]
    templates: tuple[Template, ...]


@dataclass(frozen=True)
class AnkiNote:
    """A note as it is kept: its fields as HTML, and the ordinals of its cards."""

    guid: str
    type: NoteType
    tags: tuple[str, ...]
    fields: tuple[str, ...]
    deck: tuple[str, ...]
    ords: tuple[int, ...]


@dataclass(frozen=True)
class AnkiPackage:
    notes: tuple[AnkiNote, ...]
    media: int
