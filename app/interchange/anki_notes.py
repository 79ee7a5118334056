"""The notes of an Anki package as cards of ours. Pure.

A cloze stays one. Two cards that mirror each other become one that is asked both ways. A card whose answer is typed
stays so where the answer is a line of text. Any other card becomes a question, answered by what Anki's back shows.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from app.interchange.anki_data import AnkiNote, AnkiPackage, Template
from app.interchange.anki_templates import filled, typed_field, without_gaps
from app.interchange.guids import note_id
from app.interchange.html_text import Taken, markdown, words
from app.interchange.incoming import Batch, Incoming, Left
from app.interchange.signs import escaped
from app.library.values import LEVELS

LONGEST_TYPED = 100  # characters
LONGEST = 60_000  # characters of a note with its markup: a card of ours holds a third of that
_ASKS = re.compile(r'<div class="asks">.*?</div>', re.DOTALL)
_OWN = {"leech", "marked"}  # tags that tell of the scheduling, which is not taken


def batch(package: AnkiPackage) -> Batch:
    left = Left()
    cards = tuple(card for note in package.notes for card in _cards(note, left))
    return Batch(cards, left, package.media, anki=True)


def _cards(note: AnkiNote, left: Left) -> Iterator[Incoming]:
    if sum(map(len, note.fields)) > LONGEST:
        left.skip(words(note.fields[0][:1000]), f"it has more than {LONGEST:,} characters")
        return
    if note.type.cloze and "image-occlusion:" in note.fields[0]:
        left.skip(words(" ".join(note.fields[1:])), "it asks with a picture")
        return
    fields, source = _ours(note, dict(zip(note.type.fields, note.fields, strict=False)))
    fields |= {"Tags": " ".join(note.tags), "Deck": "::".join(note.deck), "Type": note.type.name}
    templates = [note.type.templates[ord_] for ord_ in note.ords if 0 <= ord_ < len(note.type.templates)]
    if note.type.cloze:
        made = [_cloze(note, note.type.templates[0], fields, left)] if note.type.templates else []
    else:
        made = [_plain(note, each, fields, left) for each in templates]
    cards = [replace(card, source=source) for card in made if card]
    if len(cards) == 2 and _mirror(*cards):
        cards = [replace(cards[0], kind="reverse")]
    for at, card in enumerate(cards):
        yield replace(card, id=f"{card.id}-{at + 1}") if at else card


def _ours(note: AnkiNote, fields: dict[str, str]) -> tuple[dict[str, str], str]:
    """The fields without what our own export added to them, and the note's source, which it set apart."""
    if note.type.fields[-4:] != ("Source", "Proof", "Card", "Id"):
        return fields, ""
    bare = {name: _ASKS.sub("", html) for name, html in fields.items()}
    return bare | {"Source": "", "Proof": "", "Card": ""}, words(fields.get("Source", ""))


def _mirror(one: Incoming, other: Incoming) -> bool:
    return (one.front, one.back) == (other.back, other.front) and one.kind == other.kind == "question"


def _cloze(note: AnkiNote, template: Template, fields: Mapping[str, str], left: Left) -> Incoming | None:
    asked = filled(template.question, fields, answer=False)
    told = filled(template.answer, fields, answer=True)
    front, back = markdown(asked, gaps=True), markdown(told)
    if not front.text:
        left.skip(words(" ".join(note.fields)), "its front is empty")
        return None
    _count(left, front, back)
    plainly = escaped(words(asked), gaps=True), escaped(words(told))
    return replace(_card(note, "cloze", front.text, back.text), plainly=plainly)


def _plain(note: AnkiNote, template: Template, fields: Mapping[str, str], left: Left) -> Incoming | None:
    asked = filled(template.question, fields, answer=False)
    told = without_gaps(filled(template.answer, fields, answer=True))
    front, back = markdown(without_gaps(asked)), markdown(told)
    if not front.text or not back.text:
        side = "back" if front.text else "front"
        left.skip(words(" ".join(note.fields)), f"its {side} is empty")
        return None
    _count(left, front, back)
    made = _card(note, "question", front.text, back.text)
    typed = typed_field(template.question)
    answer = words(fields.get(typed, "")) if typed else ""
    if answer and len(answer) <= LONGEST_TYPED and "\\" not in answer:
        rest = "" if words(told) == answer else back.text
        made = replace(made, kind="typed", answer=answer, back=rest)
    return replace(made, plainly=(escaped(words(asked)), escaped(words(told))))


def _card(note: AnkiNote, kind: str, front: str, back: str) -> Incoming:
    levels = [level for level in LEVELS if f"level::{level}" in note.tags]
    gone = {*_OWN, "core", *(f"level::{level}" for level in levels)}
    return Incoming(
        guid=note.guid,
        id=note_id(note.guid),
        deck=note.deck or ("Default",),
        kind=kind,
        front=front,
        back=back,
        tags=tuple(tag for tag in note.tags if tag not in gone),
        level=levels[0] if levels else "",
        core="core" in note.tags,
    )


def _count(left: Left, *taken: Taken) -> None:
    for each in taken:
        left.pictures += len(each.media)
        left.as_code += each.as_code
        left.merged += each.merged
