"""What leaves: a note with its texts in Markdown, as every format of the export begins from it. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qsl, quote, urlencode

from app.interchange.guids import guid
from app.library.cards import ASKS
from app.library.format import Note, cards_of
from app.library.source_notes import SourceDeck
from app.library.spotting import shuffled, wrong_letter
from app.library.text import paragraphs

Shape = Literal["plain", "both", "cloze"]


@dataclass(frozen=True)
class Outgoing:
    """A note for others. `front` of a cloze has its gaps in braces; `asks` is the line above a question.

    An estimate has the numbers of its canonical draw, a spot its sentences in their canonical order.
    """

    guid: str
    id: str
    deck: str
    kind: str
    shape: Shape
    asks: str
    front: str
    back: str
    answer: str
    source: str
    demo: str
    level: str
    core: bool
    tags: tuple[str, ...]


def outgoing(decks: Iterable[SourceDeck]) -> Iterator[Outgoing]:
    for source in decks:
        for found in source.notes:
            yield _note(found.key, found.note, found.deck)


def demo_path(line: str) -> str:
    """Where a demo line runs, below the app's root: "scaling d_k=64" gives "demos/scaling?d_k=64"."""
    name, _, rest = line.partition(" ")
    query = urlencode(parse_qsl("&".join(rest.split())))
    return f"demos/{quote(name)}" + (f"?{query}" if query else "")


def _note(key: str, note: Note, deck: str) -> Outgoing:
    front, back = _sides(note)
    shape: Shape = "cloze" if note.kind == "cloze" else "both" if note.kind == "reverse" else "plain"
    return Outgoing(
        guid=guid(key),
        id=key,
        deck=deck,
        kind=note.kind,
        shape=shape,
        asks=f"Say it aloud, in {note.time_s} s" if note.time_s else ASKS.get(note.kind, ""),
        front=front,
        back=back,
        answer=note.answer_value.text if note.answer_value else "",
        source=note.source,
        demo=note.demo or "",
        level=note.level or "",
        core=note.core,
        tags=note.tags,
    )


def _sides(note: Note) -> tuple[str, str]:
    if note.kind == "spot":
        sentences = shuffled(note.right, note.wrong[0], note.id)
        listed = "\n".join(f"- **{sentence.letter}.** {sentence.text}" for sentence in sentences)
        verdict = f"**{wrong_letter(sentences)} is wrong.**"
        return paragraphs(note.question, listed), paragraphs(verdict, note.answer)
    wrong = "\n".join(f"- {text}" for text in note.wrong)
    often = paragraphs("**Often said, and wrong**", wrong) if wrong else ""
    if note.kind == "cloze":
        return note.question, paragraphs(note.answer, often)
    return note.question, paragraphs(cards_of(note)[0].back_md, often)
