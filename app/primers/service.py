"""Primers for whoever reads them: the list, and one page with its figures, its demos' results and its questions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import groupby

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.demos import service as demos
from app.demos.records import Records
from app.demos.views import CardDemo, Shown
from app.library import service as library
from app.library.cards import DeckRow
from app.library.service import MOST, Wanted
from app.primers.format import DemoBlocks, Heading, Picture, Primer, Prose
from app.primers.shelf import Stock
from app.primers.views import DemoPanel, Drawing, PrimerList, PrimerPage, Row, Spoken
from app.web.errors import NotFound


def primer_list(conn: Connection, stock: Stock) -> PrimerList:
    """All primers in their order, and what keeps others from being read."""
    decks = {deck.name: deck for deck in library.decks(conn)}
    rows = tuple(_row(primer, at, decks) for at, primer in enumerate(stock.primers, start=1))
    return PrimerList(rows, sum(row.minutes for row in rows), tuple(_problems(stock)))


def _problems(stock: Stock) -> Iterator[str]:
    """A sentence on each file with mistakes: the first of them, and how many more there are."""
    for path, found in groupby(stock.errors, key=lambda error: error.path):
        first, *more = found
        rest = f" {len(more)} more: `aloud check` names them." if more else ""
        yield f"{path}, line {first.line}: {first.problem}. To mend it: {first.fix}{rest}"


def primer_page(conn: Connection, stock: Stock, records: Records, learner: Learner, name: str) -> PrimerPage:
    """One primer whole. Raises NotFound with the nearest one."""
    at = next((at for at, primer in enumerate(stock.primers) if primer.name == name), None)
    if at is None:
        raise _not_found(stock, name)
    primer = stock.primers[at]
    decks = {deck.name: deck for deck in library.decks(conn)}
    rows = [_row(one, place, decks) for place, one in enumerate(stock.primers, start=1)]
    return PrimerPage(
        row=rows[at],
        count=len(rows),
        parts=tuple(_parts(conn, stock, records, learner, primer)),
        ladder=library.follow_ups(conn, primer.ladder),
        spoken=_spoken(conn, primer.deck) if primer.deck in decks else (),
        source=primer.source,
        before=rows[at - 1] if at else None,
        after=rows[at + 1] if at + 1 < len(rows) else None,
    )


def _not_found(stock: Stock, name: str) -> NotFound:
    near = get_close_matches(name, [primer.name for primer in stock.primers], n=1)
    ways = [(f"primers/{one.name}", one.title) for one in stock.primers if one.name in near]
    return NotFound(f"There is no primer called {name[:80]!r}.", (*ways, ("primers", "All primers")))


def _row(primer: Primer, place: int, decks: dict[str, DeckRow]) -> Row:
    deck = decks.get(primer.deck)
    return Row(
        name=primer.name,
        title=primer.title,
        lead=primer.lead,
        place=place,
        minutes=primer.minutes,
        deck=primer.deck,
        deck_title=deck.title if deck else "",
        cards=deck.cards if deck else 0,
    )


def _parts(
    conn: Connection, stock: Stock, records: Records, learner: Learner, primer: Primer
) -> Iterator[Heading | Prose | Drawing | DemoPanel]:
    headed = False
    panels = 0
    for part in primer.parts:
        match part:
            case Picture():
                yield Drawing(stock.figures[part.name], part.alt, part.caption)
            case DemoBlocks():
                panels += 1
                found = demos.on_card(conn, records, learner, part.demo, part.show)
                yield DemoPanel(found and _fitted(found, part.show, panels), headed)
            case _:
                headed = headed or isinstance(part, Heading)
                yield part


def _fitted(demo: CardDemo, show: Sequence[str], panel: int) -> CardDemo:
    """The result with its blocks in the order that the primer names, and ids that no other panel has."""
    return demo if demo.result is None else replace(demo, result=_ordered(demo.result, show, f"panel{panel}"))


def _ordered(result: Shown, show: Sequence[str], scope: str) -> Shown:
    place = {block: at for at, block in enumerate(show)}
    blocks = sorted(result.view.blocks, key=lambda block: place.get(block.id, len(place)))
    return replace(result, scope=scope, view=replace(result.view, blocks=tuple(blocks)))


def _spoken(conn: Connection, deck: str) -> tuple[Spoken, ...]:
    found = library.search(conn, Wanted(deck=deck), MOST)
    return tuple(Spoken(card.id, card.words) for card in found.cards if card.queue == "drill")
