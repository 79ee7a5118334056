"""What the library tells the other rooms and its pages: decks, cards, and what could not be loaded."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from app.library import store, store_cards, store_search
from app.library.cards import CardPage, CardRow, DeckRow, FollowUp
from app.library.cursor import read_cursor, write_cursor
from app.library.expect import parse_expect
from app.library.values import LEVELS
from app.web.errors import Invalid, NotFound

MOST = 200


@dataclass(frozen=True)
class Wanted:
    """What somebody looks for among the cards; empty texts ask for nothing in particular."""

    q: str = ""
    tag: str = ""
    level: str = ""
    deck: str = ""


@dataclass(frozen=True)
class Found:
    """A page of cards, and the cursor that leads to the next one ("" at the end)."""

    cards: tuple[CardRow, ...]
    cursor: str


@dataclass(frozen=True)
class FileProblem:
    """A deck file that was skipped, and why."""

    path: str
    line: int
    problem: str
    fix: str


def decks(conn: Connection) -> list[DeckRow]:
    return store.decks(conn)


def tags(conn: Connection) -> list[str]:
    return store_cards.tags(conn)


def search(conn: Connection, wanted: Wanted, limit: int, cursor: str = "") -> Found:
    """At most `limit` (1 to 200) live cards in the library's order; raises Invalid with a sentence."""
    if not 1 <= limit <= MOST:
        raise Invalid(f"limit must be a whole number from 1 to {MOST}, not {limit}.")
    if wanted.level and wanted.level not in LEVELS:
        raise Invalid(f"There is no level {wanted.level[:20]!r}; choose one of {', '.join(LEVELS)}.")
    rows = store_search.search(
        conn,
        words=wanted.q[:200].split(),
        tag=wanted.tag,
        level=wanted.level,
        deck=wanted.deck,
        limit=limit + 1,
        after=read_cursor(cursor) if cursor else None,
    )
    more = len(rows) > limit
    return Found(tuple(rows[:limit]), write_cursor(rows[limit - 1].place) if more else "")


def card(conn: Connection, card_id: str) -> CardPage:
    """The card, retired or not; raises NotFound."""
    found = store_cards.one(conn, card_id)
    if found is None:
        raise NotFound(
            f"There is no card with the id {card_id[:80]!r}. The list of cards shows all there are."
        )
    return found


def on_demo(conn: Connection, demo: str) -> list[CardRow]:
    """The live cards that rest on this demo, with whatever parameters, in the library's order."""
    return store_cards.on_demo(conn, demo)


def cards_by_demo(conn: Connection) -> dict[str, int]:
    """How many live cards rest on each demo; a demo without cards is left out."""
    counted: Counter[str] = Counter()
    for line, count in store_cards.demo_lines(conn):
        counted[line.split()[0]] += count
    return dict(counted)


def claims(conn: Connection, card_id: str) -> tuple[str, ...]:
    """The ids of the blocks of its demo's result that the card's claims rest on, each once. Raises NotFound."""
    lines = card(conn, card_id).body.get("expects", [])
    assert isinstance(lines, list)
    return tuple(dict.fromkeys(parse_expect(str(line)).block for line in lines))


def words_of(conn: Connection, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """By each name the id and words of the live card or note that is called so; unknown names are left out."""
    return store_cards.words_of(conn, names)


def follow_ups(conn: Connection, names: Sequence[str]) -> tuple[FollowUp, ...]:
    """The live cards of these ids, in this order: what an interviewer asks next. Unknown ids are left out."""
    found = store_cards.words_of(conn, names)
    levels = store_cards.levels(conn, [card_id for card_id, _ in found.values()])
    cards = (found[name] for name in dict.fromkeys(names) if name in found)
    return tuple(FollowUp(card_id, words, levels[card_id]) for card_id, words in cards)


def problems(conn: Connection) -> tuple[FileProblem, ...]:
    """What keeps deck files from being loaded, in the order of files and lines."""
    return tuple(
        FileProblem(str(e["path"]), int(str(e["line"])), str(e["problem"]), str(e["fix"]))
        for _, errors in store.file_errors(conn)
        for e in errors
    )
