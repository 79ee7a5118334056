"""Cards as the text of a deck file: new ones written, those that are there changed in what an import says. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from app.interchange.incoming import Incoming
from app.library.errors import DeckError, DeckErrors
from app.library.fields import DECK_FIELDS, STARTS, TEXTS, VALUES, Block, Field, take_apart
from app.library.format import parse_deck
from app.library.spans import FENCE, closes
from app.library.text import canonical, nfc
from app.library.values import parts

TOLD = (
    "kind",
    *STARTS,
    "answer",
    "A",
)  # what an import changes of a card; all else is the learner's from then on
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NAMES = "|".join((*STARTS, *TEXTS, *VALUES))
_LIKE_A_FIELD = re.compile(rf"(?i:{_NAMES}|tag|expects|point[ \t]+\S+)[ \t]*:")
_HEAD = "---\ndeck: check\ntitle: check\n---\n"


def written(card: Incoming) -> tuple[str, str]:
    """A card's text, and "" or why there is none: first as it came, then in plain words."""
    plain = card.kind if card.kind == "cloze" else "question"
    tries = ((card.kind, card.front, card.back), (plain, *card.plainly), ("question", *card.plainly))
    why = "" if card.front.strip() else "its front is empty"
    for kind, front, back in tries:
        if front.strip():
            text = _text(card, kind, front, back)
            found = mistake(_HEAD + text)
            if found is None:
                return text, ""
            why = why or (found.problem if back.strip() or kind == "cloze" else "its back is empty")
    return "", why


def mistake(deck: str) -> DeckError | None:
    """The first mistake in the text of a deck, if there is one."""
    try:
        parse_deck(deck, "")
    except DeckErrors as found:
        return found.errors[0]
    return None


def head(name: str, title: str) -> str:
    return f"---\ndeck: {name}\ntitle: {_line(title) or name}\n---\n"


def _text(card: Incoming, kind: str, front: str, back: str) -> str:
    start = "C" if kind == "cloze" else "Q"
    lines = [f"{start}: {_guarded(front)}"]
    lines += [f"kind: {kind}"] if kind not in ("cloze", "question") else []
    lines += [f"answer: {_line(card.answer)}"] if kind in ("typed", "number") else []
    lines += [f"A: {_guarded(back)}"] if back.strip() else []
    lines.append(f"id: {card.id}")
    lines += [f"level: {card.level}"] if card.level else []
    lines += ["core: yes"] if card.core else []
    lines += [f"tags: {', '.join(_tags(card.tags))}"] if card.tags else []
    lines += [f"source: {_line(card.source)}"] if card.source else []
    return "\n".join(lines)


def _tags(tags: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(nfc(_line(tag).lower()) for tag in tags))


def _line(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", text).split())


def _guarded(text: str) -> str:
    """The text of a field: outside of code no line of it begins like a field."""
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    made = []
    fence: str | None = None
    for at, line in enumerate(text.split("\n")):
        guard = " " if at and fence is None and _LIKE_A_FIELD.match(line) else ""
        made.append(guard + line)
        if fence is not None:
            fence = None if closes(line, fence) else fence
        elif opening := FENCE.match(line):
            fence = opening["mark"]
    return "\n".join(made)


@dataclass(frozen=True)
class Found:
    """A card in the text of a deck: its lines, from `start` to `end`, and its fields."""

    start: int
    end: int
    block: Block

    @property
    def told(self) -> str:
        """Stands for what an import tells of it: the same as long as nobody changes that."""
        texts = {field.name: canonical(field.text) for field in self.block.fields if field.name in TOLD}
        texts.pop("kind", None) if texts.get("kind") == "question" else None
        return sha256(repr(sorted(texts.items())).encode()).hexdigest()[:20]


def cards(text: str) -> Mapping[str, Found]:
    """The cards of a deck by their ids, former ones included."""
    blocks = take_apart(text, "").blocks
    ends = [block.line for block in blocks[1:]] + [len(text.split("\n")) + 1]
    found = (Found(block.line - 1, end - 1, block) for block, end in zip(blocks, ends, strict=True))
    return {name: each for each in found for name in _ids(each.block)}


def told(card_text: str) -> str:
    """The same of a card that `written` gave."""
    return next(iter(cards(_HEAD + card_text).values())).told


def changed(text: str, found: Found, card_text: str) -> str:
    """The deck with what an import tells of a card put in place; its other fields stay."""
    fresh = take_apart(_HEAD + card_text, "").blocks[0]
    kept = [field for field in found.block.fields if field.name not in TOLD]
    given = [field for field in fresh.fields if field.name in TOLD]
    body = [*(f for f in given if f.name in STARTS), *(f for f in given if f.name not in STARTS)]
    lines = text.split("\n")
    put = [line for field in (*body, *kept) for line in _lines(field)]
    blank = [""] if found.end < len(lines) else lines[found.end - 1 : found.end] if lines[-1] == "" else []
    return "\n".join((*lines[: found.start], *put, *blank, *lines[found.end :]))


def _lines(field: Field) -> Iterator[str]:
    name = f"{field.name} {field.arg}" if field.arg else field.name
    lines = field.text.split("\n")
    yield f"{name}: {lines[0]}".rstrip()
    yield from lines[1:]


def _ids(block: Block) -> list[str]:
    return [nfc(name) for field in block.fields if field.name in ("id", "was") for name in parts(field.text)]


def deck_fields(text: str) -> Mapping[str, str]:
    """The front matter of a deck."""
    return {field.name: field.text for field in take_apart(text, "").head if field.name in DECK_FIELDS}
