"""What an import does to the deck files: which cards are new, which have changed, and which stay as they are. Pure.

Three texts decide: the card as it comes, as it came last (by its hash), and as it stands in the file. The same file
imported again changes nothing, also where the learner has edited a card since.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from app.interchange.deck_text import cards, changed, deck_fields, head, told, written
from app.interchange.guids import PREFIX, guid
from app.interchange.incoming import Batch, Incoming
from app.library.text import nfc

ROOT = "imported"
LONGEST = 60  # characters of a part of a deck's name
DEEPEST = 8


@dataclass(frozen=True)
class Known:
    """What there is before an import: the learner's own deck files by their path below decks/, the ids of the cards
    that ship with Aloud, and what each imported card said when it last came.
    """

    files: Mapping[str, str]
    shipped: Collection[str] = ()
    last: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Plan:
    """The deck files to write, whole, and what to remember of each card; and what to tell."""

    files: dict[str, str] = field(default_factory=dict)
    last: dict[str, str] = field(default_factory=dict)
    added: int = 0
    changed: int = 0
    same: int = 0
    here: int = 0  # cards that Aloud has of its own
    twice: int = 0  # guids that came more than once
    kept: list[str] = field(default_factory=list)  # ids of cards that both sides changed
    decks: dict[str, str] = field(default_factory=dict)  # name and title of those that were touched


def plan(batch: Batch, known: Known) -> Plan:
    made = Plan(last=dict(known.last))
    texts = dict(known.files)
    names = {deck_fields(text).get("deck", ""): path for path, text in texts.items()}
    found = {path: cards(text) for path, text in texts.items()}
    places = {card_id: path for path, of in found.items() for card_id in of}
    theirs = {guid(name) for name in (*known.shipped, *places) if not name.startswith(PREFIX)}
    fresh: dict[str, list[str]] = {}
    edits: dict[str, dict[str, str]] = {}
    seen: set[str] = set()
    for card in batch.cards:
        if card.id in seen:
            made.twice += 1
            continue
        seen.add(card.id)
        if card.guid in theirs:
            made.here += 1
            continue
        text, why = written(card)
        if not text:
            batch.left.skip(card.front, why)
            continue
        if card.id in places:
            at = places[card.id]
            if _edits(card, text, found[at][card.id].told, made):
                edits.setdefault(at, {})[card.id] = text
                made.decks.setdefault(*_deck(texts[at]))
        else:
            name, title = deck_of(card)
            made.added += 1
            made.last[card.id] = told(text)
            fresh.setdefault(name, []).append(text)
            made.decks.setdefault(name, title)
    for path, of in edits.items():
        made.files[path] = _edited(texts[path], of)
    for name, new in fresh.items():
        path = names.get(name) or file_name(name)
        before = made.files.get(path, texts.get(path)) or head(name, made.decks[name])
        made.files[path] = "\n\n".join((before.rstrip("\n"), *new)) + "\n"
    return made


def _edits(card: Incoming, text: str, stands: str, made: Plan) -> bool:
    """Whether the card that stands in a file is to be changed; counts it."""
    comes, came = told(text), made.last.get(card.id)
    if comes in (stands, came):
        made.same += 1
        made.last[card.id] = comes
        return False
    if stands != came:
        made.kept.append(card.id)
        return False
    made.changed += 1
    made.last[card.id] = comes
    return True


def _edited(text: str, edits: Mapping[str, str]) -> str:
    """The deck with these cards changed, from the last one up, so that lines above keep their numbers."""
    places = cards(text)
    for card_id in sorted(edits, key=lambda each: places[each].start, reverse=True):
        text = changed(text, places[card_id], edits[card_id])
    return text


def _deck(text: str) -> tuple[str, str]:
    fields = deck_fields(text)
    return fields.get("deck", ""), fields.get("title", "")


def deck_of(card: Incoming) -> tuple[str, str]:
    """The name and title of the deck that a card goes to: ("imported/ml/attention", "ML: Attention")."""
    way = card.deck[:DEEPEST]
    return "/".join((ROOT, *map(plain_name, way))), ": ".join(way)


def file_name(deck: str) -> str:
    """The deck file's path below decks/; a long one ends with a hash, so that two stay two."""
    name = deck.replace("/", "-")
    if len(name) > 120:
        name = f"{name[:110]}-{sha256(name.encode()).hexdigest()[:8]}"
    return f"{name}.md"


def plain_name(text: str) -> str:
    """A part of a deck's name: small letters and digits, joined by hyphens."""
    name = "-".join("".join(sign if sign.isalnum() else " " for sign in nfc(text.lower())).split())
    if len(name) > LONGEST:
        name = f"{name[: LONGEST - 9]}-{sha256(name.encode()).hexdigest()[:8]}"
    return name.strip("-") or "deck"
