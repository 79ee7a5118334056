"""What the Cards pages show, ready to be drawn."""

from dataclasses import dataclass
from urllib.parse import parse_qsl

from markupsafe import Markup

from app.library.service import FileProblem, Found, Wanted
from app.library.store import DeckRow
from app.library.store_cards import CardPage, CardRow
from app.library.values import LEVELS

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
    front: Markup
    back: Markup
    wrong: tuple[Markup, ...]
    source: str
    standing: str
    demo: str | None
    demo_path: str
    demo_query: dict[str, str]
    siblings: tuple[str, ...]
    next: tuple[str, ...]
    retired: bool
    spoken: bool


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


def card_view(page: CardPage, standing: str) -> CardView:
    row = page.row
    name, _, rest = (row.demo or "").partition(" ")
    wrong, following = page.body.get("wrong", []), page.body.get("next", [])
    assert isinstance(wrong, list)
    assert isinstance(following, list)
    return CardView(
        row.id,
        row.words,
        (*chips(row), *page.tags),
        row.deck,
        row.deck_title,
        _safe(page.front),
        _safe(page.back),
        tuple(_safe(str(text)) for text in wrong),
        page.source,
        standing,
        row.demo,
        f"demos/{name}",
        dict(parse_qsl(rest.replace(" ", "&"))),
        page.siblings,
        tuple(str(one) for one in following),
        page.retired_at is not None,
        row.queue == "drill",
    )


def chips(card: CardRow) -> tuple[str, ...]:
    """The few words that say what a card is like."""
    words = (card.level, "core" if card.core else "", "" if card.kind == "question" else card.kind)
    return tuple(word for word in words if word)


def _safe(html: str) -> Markup:
    """HTML that was sanitised when its deck was read."""
    return Markup(html)  # noqa: S704
