"""The card format: the text of a deck file in, its notes and cards out. No I/O and no clock.

>>> deck = parse_deck(text, "content/attention.md")
>>> [face.id for note in deck.notes for face in cards_of(note)]
['sqrt-dk', 'causal-mask.1', 'causal-mask.2', 'pitch']
"""

from dataclasses import replace

from app.library import blocks, cloze
from app.library.building import Builder
from app.library.errors import DeckError, DeckErrors
from app.library.fields import Source, take_apart
from app.library.notes import KINDS, CardFace, CardId, Deck, Kind, Note, Point
from app.library.params import Param
from app.library.text import decode, nfc, paragraphs, unify
from app.library.values import (
    LEVELS,
    BadValue,
    Level,
    NoteId,
    Quantity,
    Tolerance,
    accepted_line,
    deck_name,
    value_line,
)

__all__ = [
    "KINDS", "LEVELS", "CardFace", "CardId", "Deck", "DeckError", "DeckErrors", "Kind", "Level", "Note",
    "NoteId", "Param", "Point", "Quantity", "Tolerance", "cards_of", "decode", "parse_deck",
]  # fmt: skip


def parse_deck(text: str, path: str) -> Deck:
    """Reads one deck. `path` is only named in errors and kept.

    Raises DeckErrors with every mistake of the file, each with its line and what to change.
    """
    text = unify(text)
    source = take_apart(text, path)
    errors = list(source.errors)
    name, title, demo = _head(source, path, errors)
    notes: list[Note] = []
    seen: dict[str, int] = {}
    for block, span in zip(source.blocks, blocks.spans(text, source), strict=True):
        if block.broken:
            continue
        builder = Builder(block, path, demo)
        note = builder.build()
        errors += builder.errors
        if note is None:
            continue
        if note.id in seen:
            problem = f'the id "{note.id}" is used twice, first in line {seen[note.id]}'
            errors.append(DeckError(path, note.line_of("id"), problem, "give each card an id of its own."))
        seen.setdefault(note.id, note.line_of("id"))
        notes.append(replace(note, text=span.text))
    if errors:
        raise DeckErrors(errors)
    return Deck(name, title, path, demo, tuple(notes), {field.name: field.line for field in source.head})


def cards_of(note: Note) -> tuple[CardFace, ...]:
    """The cards of a note: one for each number of a cloze (`id.1`), two for a reverse (`id`, `id.r`)."""
    if note.kind == "cloze":
        pieces = cloze.parse(note.question)
        return tuple(
            CardFace(
                CardId(f"{note.id}.{number}"),
                number,
                cloze.hide(pieces, number),
                paragraphs(cloze.show(pieces, number), note.answer),
            )
            for number in cloze.numbers(pieces)
        )
    front = CardFace(CardId(note.id), 0, note.question, _back(note))
    if note.kind == "reverse":
        return front, CardFace(CardId(f"{note.id}.r"), 1, note.answer, note.question)
    return (front,)


def _back(note: Note) -> str:
    told = (accepted_line if note.kind == "typed" else value_line)(note.answer_value)
    return paragraphs(told, note.answer, note.model, *_points(note))


def _points(note: Note) -> list[str]:
    """The key points as lists, one for each stage of a case, below its name."""
    made: list[str] = []
    for name in [stage.name for stage in note.stages] or [""]:
        heading = [f"**{name[:1].upper()}{name[1:]}**"] if name else []
        lines = "\n".join(f"- {point.text}" for point in note.points if point.stage == name)
        made += [*heading, *([lines] if lines else [])]
    return made


def _head(source: Source, path: str, errors: list[DeckError]) -> tuple[str, str, str | None]:
    values: dict[str, str] = {}
    for field in source.head:
        if field.name in values:
            problem = f"{field.name}: stands twice in the front matter"
            errors.append(DeckError(path, field.line, problem, "keep one of them."))
        elif not field.text:
            errors.append(
                DeckError(path, field.line, f"{field.name}: is empty", "write its value, or delete it.")
            )
        values.setdefault(field.name, nfc(field.text))
    for name, example in (("deck", "attention/core"), ("title", "Attention, from the formula")):
        if source.has_head and name not in values:
            problem, fix = f"the front matter has no {name}", f"add a line {name}: {example}."
            errors.append(DeckError(path, 1, problem, fix))
    if values.get("deck"):
        line = next(field.line for field in source.head if field.name == "deck")
        try:
            values["deck"] = deck_name(values["deck"])
        except BadValue as bad:
            errors.append(DeckError(path, line, bad.problem, bad.fix))
    return values.get("deck", ""), values.get("title", ""), values.get("demo") or None
