"""What the Cards pages show, ready to be drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl

from markupsafe import Markup

from app.library.cards import CardPage, CardRow, DeckRow
from app.library.service import FileProblem, Found, Wanted
from app.library.values import LEVELS
from app.study.cards import Event

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
class Answer:
    """A row of a card's history."""

    day: str
    grade: str
    led_to: str
    seconds: str
    undone: bool


@dataclass(frozen=True)
class CardView:
    id: str
    words: str
    chips: tuple[str, ...]
    deck: str
    deck_title: str
    front: Markup
    back: Markup
    source: str
    standing: str
    demo: str | None
    demo_path: str
    demo_query: dict[str, str]
    siblings: tuple[tuple[str, str], ...]
    next: tuple[tuple[str, str], ...]
    history: tuple[Answer, ...]
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


def card_view(
    page: CardPage, standing: str, history: Sequence[Event], words: Mapping[str, tuple[str, str]]
) -> CardView:
    """`words` gives id and words of the cards that this one names, by the name it uses."""
    row = page.row
    name, _, rest = (row.demo or "").partition(" ")
    return CardView(
        row.id,
        row.words,
        (*chips(row), *page.tags),
        row.deck,
        row.deck_title,
        _safe(page.front),
        _safe(page.back),
        page.source,
        standing,
        row.demo,
        f"demos/{name}",
        dict(parse_qsl(rest.replace(" ", "&"))),
        tuple(words[name] for name in page.siblings if name in words),
        tuple(words[name] for name in texts(page, "next") if name in words),
        tuple(_answer(event) for event in history),
        page.retired_at is not None,
        row.queue == "drill",
    )


def texts(page: CardPage, name: str) -> tuple[str, ...]:
    """The texts that a note's body holds under `name`."""
    found = page.body.get(name, [])
    assert isinstance(found, list)
    return tuple(str(text) for text in found)


def _answer(event: Event) -> Answer:
    interval = event.after.interval
    led_to = f"{interval} day{'' if interval == 1 else 's'}" if interval else "a step of minutes"
    seconds = "" if event.ms is None else f"{event.ms / 1000:.0f} s"
    return Answer(event.study_day.isoformat(), event.grade.word, led_to, seconds, event.undone)


def chips(card: CardRow) -> tuple[str, ...]:
    """The few words that say what a card is like."""
    words = (card.level, "core" if card.core else "", "" if card.kind == "question" else card.kind)
    return tuple(word for word in words if word)


def _safe(html: str) -> Markup:
    """HTML that was sanitised when its deck was read."""
    return Markup(html)  # noqa: S704
