"""What the Cards pages show, ready to be drawn."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from markupsafe import Markup

from app.library import drawing, spoken_text
from app.library.cards import ASKS, CardPage, CardRow, DeckRow, FollowUp
from app.library.drawing import Drawn
from app.library.service import FileProblem, Found, Wanted
from app.library.spoken_answer import labelled
from app.library.values import LEVELS

DRAWN_WORDS: Mapping[str, str] = {
    "estimate": "Its numbers are drawn anew each time the card is shown.",
    "spot": "Its sentences are shuffled anew each time the card is shown.",
}

Options = list[tuple[str, str]]


@dataclass(frozen=True)
class Row:
    id: str
    words: str
    deck_title: str
    chips: tuple[str, ...]
    standing: str


@dataclass(frozen=True)
class ListView:
    wanted: Wanted
    rows: tuple[Row, ...]
    cursor: str
    count_words: str
    level_options: Options
    tag_options: Options
    deck_options: Options
    problems: tuple[FileProblem, ...]
    decks_exist: bool


@dataclass(frozen=True)
class CardView:
    id: str
    words: str
    chips: tuple[str, ...]
    deck: str
    deck_title: str
    asks: str
    front: Markup
    sentences: Markup
    back: Markup
    drawn_words: str
    next_draw: int
    source: str
    standing: str
    demo: str | None
    demo_path: str
    demo_query: dict[str, str]
    siblings: tuple[tuple[str, str], ...]
    follow_ups: tuple[FollowUp, ...]
    retired: bool
    spoken: bool
    aloud: str


def list_view(
    wanted: Wanted,
    found: Found,
    standings: dict[str, str],
    *,
    decks: list[DeckRow],
    tags: list[str],
    problems: tuple[FileProblem, ...],
) -> ListView:
    rows = tuple(
        Row(card.id, card.words, card.deck_title, chips(card), standings[card.id]) for card in found.cards
    )
    number = f"{len(rows)} card{'' if len(rows) == 1 else 's'}"
    return ListView(
        wanted,
        rows,
        found.cursor,
        f"{number} on this page, more follow" if found.cursor else number,
        [(level, level) for level in LEVELS],
        [(tag, tag) for tag in tags],
        [(deck.name, deck.title) for deck in decks],
        problems,
        bool(decks),
    )


def card_view(
    page: CardPage,
    standing: str,
    *,
    siblings: Mapping[str, tuple[str, str]],
    follow_ups: tuple[FollowUp, ...],
    draw: int,
) -> CardView:
    """`siblings` gives id and words by id; `draw` counts draws of numbers, 0 is the canonical one."""
    row, drawn = page.row, drawn_page(page, draw)
    demo = (drawn.demo if drawn else None) or row.demo
    name, _, rest = (demo or "").partition(" ")
    return CardView(
        row.id,
        drawn.words if drawn else row.words,
        (*(chip for chip in chips(row) if chip != row.kind or row.kind not in ASKS), *page.tags),
        row.deck,
        row.deck_title,
        ASKS.get(row.kind, ""),
        drawn.question if drawn else _safe(page.front),
        drawn.listed(marked=True) if drawn else Markup(),
        drawn.answer if drawn else labelled(page.back, page.body),
        DRAWN_WORDS[row.kind] if drawn else "",
        draw + 1,
        page.source,
        standing,
        demo,
        f"demos/{name}",
        dict(parse_qsl(rest.replace(" ", "&"))),
        tuple(siblings[name] for name in page.siblings if name in siblings),
        follow_ups,
        page.retired_at is not None,
        row.queue == "drill",
        _aloud(page, drawn),
    )


def _aloud(page: CardPage, drawn: Drawn | None) -> str:
    """Both sides as they are read aloud."""
    told = (drawn.say if drawn else str(page.body.get("say", "")), page.row.kind, page.row.id)
    asked = drawn.front() if drawn else page.front
    return "\n".join(
        (spoken_text.question(asked, *told), spoken_text.answer(drawn.answer if drawn else page.back, *told))
    )


def drawn_page(page: CardPage, draw: int) -> Drawn | None:
    """The card with the numbers of a draw, counted from 0, the canonical one; None: nothing in it is drawn."""
    kept = page.body.get("drawn")
    return drawing.show(kept, str(draw) if draw else None) if isinstance(kept, Mapping) else None


def texts(page: CardPage, name: str) -> tuple[str, ...]:
    """The texts that a note's body holds under `name`."""
    found = page.body.get(name, [])
    assert isinstance(found, list)
    return tuple(str(text) for text in found)


def chips(card: CardRow) -> tuple[str, ...]:
    """The few words that say what a card is like."""
    words = (card.level, "core" if card.core else "", "" if card.kind == "question" else card.kind)
    return tuple(word for word in words if word)


def _safe(html: str) -> Markup:
    """HTML that was sanitised when its deck was read."""
    return Markup(html)  # noqa: S704
