"""What an import does to the deck files: which cards are new, which have changed, and which stay as they are. Pure.

Three texts decide: the card as it comes, as it came last (by its hash), and as it stands in the file. The same file
imported again changes nothing, also where the learner has edited a card since.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from app.interchange.deck_text import cards, changed, deck_fields, head, told, written
from app.interchange.guids import PREFIX, guid
from app.interchange.incoming import Batch, Incoming, Left
from app.library.text import nfc

ROOT = "imported"
LONGEST = 60  # characters of a part of a deck's name
LONGEST_FILE = 160  # bytes of its name; file systems take 255
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
    gone: int = 0  # cards that the learner has taken out of their deck
    kept: list[str] = field(default_factory=list)  # ids of cards that both sides changed
    decks: dict[str, str] = field(default_factory=dict)  # name and title of those that were touched


def plan(batch: Batch, known: Known) -> Plan:
    merge = _Merge(batch.left, known)
    for card in batch.cards:
        merge.take(card)
    return merge.finished()


class _Merge:
    """A plan in the making: cards are taken one after the other, then the files are put together."""

    def __init__(self, left: Left, known: Known) -> None:
        self.left, self.known = left, known
        self.made = Plan(last=dict(known.last))
        self.names = {deck_fields(text).get("deck", ""): path for path, text in known.files.items()}
        self.found = {
            card_id: (path, card)
            for path, text in known.files.items()
            for card_id, card in cards(text).items()
        }
        ours = (name for name in (*known.shipped, *self.found) if not name.startswith(PREFIX))
        self.guids = set(map(guid, ours))
        self.seen: set[str] = set()
        self.fresh: dict[str, list[str]] = {}
        self.edits: dict[str, dict[str, str]] = {}

    def take(self, card: Incoming) -> None:
        if card.id in self.seen:
            self.made.twice += 1
        elif card.guid in self.guids:
            self.made.here += 1
        else:
            self.seen.add(card.id)
            text, why = written(card)
            if not text:
                self.left.skip(card.front, why)
            elif card.id in self.found:
                self._compare(card.id, text)
            else:
                self._add(card, text)

    def _compare(self, card_id: str, text: str) -> None:
        path, stands = self.found[card_id]
        comes, came = told(text), self.known.last.get(card_id)
        if comes in (stands.told, came):
            self.made.same += 1
        elif stands.told != came:
            self.made.kept.append(card_id)
            return
        else:
            self.made.changed += 1
            self.edits.setdefault(path, {})[card_id] = text
            fields = deck_fields(self.known.files[path])
            self.made.decks.setdefault(fields.get("deck", ""), fields.get("title", ""))
        self.made.last[card_id] = comes

    def _add(self, card: Incoming, text: str) -> None:
        name, title = deck_of(card)
        if card.id in self.known.last and name in self.names:
            self.made.gone += 1
            return
        self.made.added += 1
        self.made.last[card.id] = told(text)
        self.fresh.setdefault(name, []).append(text)
        self.made.decks.setdefault(name, title)

    def finished(self) -> Plan:
        files = self.made.files
        for path, edits in self.edits.items():
            files[path] = _edited(self.known.files[path], edits)
        for name, new in self.fresh.items():
            path = self.names.get(name) or file_name(name)
            before = files.get(path) or self.known.files.get(path) or head(name, self.made.decks[name])
            files[path] = "\n\n".join((before.rstrip("\n"), *new)) + "\n"
        return self.made


def _edited(text: str, edits: Mapping[str, str]) -> str:
    """The deck with these cards changed, from the last one up, so that lines above keep their numbers."""
    places = cards(text)
    for card_id in sorted(edits, key=lambda each: places[each].start, reverse=True):
        text = changed(text, places[card_id], edits[card_id])
    return text


def deck_of(card: Incoming) -> tuple[str, str]:
    """The name and title of the deck that a card goes to: ("imported/ml/attention", "ML: Attention")."""
    way = card.deck[:DEEPEST]
    return "/".join((ROOT, *map(plain_name, way))), ": ".join(way)


def file_name(deck: str) -> str:
    """The deck file's path below decks/; a long one ends with a hash, so that two stay two."""
    name = deck.replace("/", "-")
    if len(name.encode()) > LONGEST_FILE:
        kept = name.encode()[: LONGEST_FILE - 9].decode(errors="ignore")
        name = f"{kept}-{sha256(name.encode()).hexdigest()[:8]}"
    return f"{name}.md"


def plain_name(text: str) -> str:
    """A part of a deck's name: small letters and digits, joined by hyphens."""
    name = "-".join("".join(sign if sign.isalnum() else " " for sign in nfc(text.lower())).split())
    if len(name) > LONGEST:
        name = f"{name[: LONGEST - 9]}-{sha256(name.encode()).hexdigest()[:8]}"
    return name.strip("-") or "deck"
