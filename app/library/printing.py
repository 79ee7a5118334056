"""Cards on paper: all that fit a search, front beside back, deck by deck."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup
from sqlalchemy import Connection

from app.library import service, store_print, store_search
from app.library.cards import CardRow
from app.library.service import Wanted
from app.library.spoken_answer import labelled
from app.library.store_print import Sides
from app.library.values import LEVELS
from app.web.errors import Invalid

_KINDS = {"question": "", "estimate": "estimate, whose numbers are drawn anew at each showing"}
MOST = 5000  # cards, far more than anybody prints
CUT = f"These are the first {MOST:,} cards; the rest was left out. Ask for a deck, a level or a tag to print it."


@dataclass(frozen=True)
class PrintCard:
    """`notes` are the few words of its head: level, core, kind, time, tags."""

    id: str
    front: Markup
    back: Markup
    notes: tuple[str, ...]
    source: str
    demo: str


@dataclass(frozen=True)
class PrintDeck:
    name: str
    title: str
    cards: tuple[PrintCard, ...]

    @property
    def anchor(self) -> str:
        return f"deck-{self.name}"


@dataclass(frozen=True)
class PrintView:
    wanted: Wanted
    core: bool
    decks: tuple[PrintDeck, ...]
    count_words: str
    cut: str  # what was left out, if anything was
    level_options: list[tuple[str, str]]
    tag_options: list[tuple[str, str]]
    deck_options: list[tuple[str, str]]


def print_view(conn: Connection, wanted: Wanted, *, core: bool) -> PrintView:
    """Every live card that fits, in the library's order. Raises Invalid with a sentence.

    What is drawn anew at each showing has the numbers that are stored.
    """
    if wanted.level and wanted.level not in LEVELS:
        raise Invalid(f"There is no level {wanted.level[:20]!r}; choose one of {', '.join(LEVELS)}.")
    found = _search(conn, wanted, core)
    rows = found[:MOST]
    texts = store_print.sides(conn, [row.id for row in rows])
    tags = store_print.tags(conn)
    decks = tuple(_decks(rows, texts, tags))
    return PrintView(
        wanted,
        core,
        decks,
        f"{_number(len(rows), 'card')} in {_number(len(decks), 'deck')}",
        CUT if len(found) > MOST else "",
        [(level, level) for level in LEVELS],
        [(tag, tag) for tag in service.tags(conn)],
        [(deck.name, deck.title) for deck in service.decks(conn)],
    )


def _search(conn: Connection, wanted: Wanted, core: bool) -> list[CardRow]:
    """One card more than is printed, where there are more."""
    return store_search.search(
        conn,
        words=wanted.q[:200].split(),
        tag=wanted.tag,
        level=wanted.level,
        deck=wanted.deck,
        limit=MOST + 1,
        after=None,
        core=core,
    )


def _decks(
    rows: list[CardRow], texts: Mapping[str, Sides], tags: Mapping[str, tuple[str, ...]]
) -> Iterator[PrintDeck]:
    for (name, title), cards in groupby(rows, key=lambda row: (row.deck, row.deck_title)):
        printed = (_card(row, texts[row.id], tags) for row in cards)
        yield PrintDeck(name, title, tuple(printed))


def _card(row: CardRow, sides: Sides, tags: Mapping[str, tuple[str, ...]]) -> PrintCard:
    seconds = sides.body.get("time_s")
    told = (
        row.level,
        "core" if row.core else "",
        _KINDS.get(row.kind, row.kind),
        f"{seconds} s" if seconds else "",
        *tags.get(sides.note, ()),
    )
    return PrintCard(
        id=row.id,
        front=_safe(sides.front),
        back=labelled(sides.back, sides.body),
        notes=tuple(dict.fromkeys(word for word in told if word)),
        source=sides.source,
        demo=row.demo or "",
    )


def _safe(html: str) -> Markup:
    """HTML that was sanitised when its deck was read."""
    return Markup(html)  # noqa: S704


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
