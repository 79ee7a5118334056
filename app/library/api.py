"""Decks and cards as JSON."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from app.library import service
from app.library.bodies import FollowUpOut
from app.library.cards import CardPage, CardRow, FollowUp
from app.library.views import drawn_page, texts
from app.web.api import PREFIX, Body, Its, errors

router = APIRouter(prefix=PREFIX, tags=["library"])


class DeckOut(Body):
    name: str
    title: str
    origin: str
    cards: int


class DecksOut(Body):
    decks: list[DeckOut]
    problems: list[str]


class CardOut(Body):
    """A card as it is listed; `queue` says whether it is studied or said aloud."""

    id: str
    question: str
    kind: str
    queue: str
    level: str
    core: bool
    deck: str
    demo: str | None

    @classmethod
    def of(cls, row: CardRow) -> "CardOut":
        return cls(
            id=row.id,
            question=row.words,
            kind=row.kind,
            queue=row.queue,
            level=row.level,
            core=row.core,
            deck=row.deck,
            demo=row.demo,
        )


class CardsOut(Body):
    cards: list[CardOut]
    cursor: str | None


class CardWhole(CardOut):
    """A card with both sides as HTML, where it comes from, and its revision, which grows with its text."""

    question_html: str
    answer_html: str
    source: str
    tags: list[str]
    siblings: list[str]
    text_revision: int
    retired: bool
    sentences: list[str] = Field(
        description="What a spot card lists, in the order of the letters; else empty."
    )
    drawn: dict[str, int | float | str] = Field(
        description="What was drawn, by name: the numbers of an estimate."
    )
    next: list[FollowUpOut] = Field(description="What an interviewer asks next.")

    @classmethod
    def whole(cls, page: CardPage, draw: int, following: Sequence[FollowUp]) -> "CardWhole":
        drawn = drawn_page(page, draw)
        row = CardOut.of(page.row).model_dump()
        if drawn:
            row |= {"question": drawn.words, "demo": drawn.demo or page.row.demo}
        return cls(
            **row,
            question_html=drawn.front() if drawn else page.front,
            answer_html=drawn.answer if drawn else page.back,
            sentences=[sentence.words for sentence in drawn.sentences] if drawn else [],
            drawn=drawn.values if drawn else {},
            next=[FollowUpOut.of(found) for found in following],
            source=page.source,
            tags=list(page.tags),
            siblings=list(page.siblings),
            text_revision=page.revision,
            retired=page.retired_at is not None,
        )


@router.get("/decks")
def list_decks(its: Its) -> DecksOut:
    """The decks that have cards, and what is wrong in the files that were skipped."""
    with its.db.read() as conn:
        decks, problems = service.decks(conn), service.problems(conn)
    return DecksOut(
        decks=[DeckOut(name=d.name, title=d.title, origin=d.origin, cards=d.cards) for d in decks],
        problems=[f"{p.path}:{p.line}: {p.problem}. Fix: {p.fix}" for p in problems],
    )


@router.get("/cards", responses=errors(422))
def list_cards(
    its: Its,
    q: Annotated[str, Query(description="Words that the card must hold, in any order.")] = "",
    tag: str = "",
    level: str = "",
    deck: str = "",
    limit: int = 50,
    cursor: str = "",
) -> CardsOut:
    """Cards in the library's order; `cursor` of one answer asks for the next page, null says there is none."""
    with its.db.read() as conn:
        found = service.search(conn, service.Wanted(q, tag, level, deck), limit, cursor)
    return CardsOut(cards=[CardOut.of(row) for row in found.cards], cursor=found.cursor or None)


@router.get("/cards/{card_id}", responses=errors(404, 422))
def one_card(its: Its, card_id: str, draw: Annotated[int, Query(ge=0, le=9999)] = 0) -> CardWhole:
    """One card, retired ones too. `draw` counts draws of an estimate's numbers; 0 is the canonical one."""
    with its.db.read() as conn:
        page = service.card(conn, card_id)
        return CardWhole.whole(page, draw, service.follow_ups(conn, texts(page, "next")))
