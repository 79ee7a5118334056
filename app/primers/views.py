"""What the primer pages show, ready to be drawn."""

from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from app.demos.views import CardDemo
from app.library.cards import FollowUp
from app.primers.figures import Figure
from app.primers.format import Heading, Prose


@dataclass(frozen=True)
class Drawing:
    """A figure where it stands: `alt` says what it shows here."""

    kind: ClassVar = "figure"
    figure: Figure
    alt: str
    caption: Markup


@dataclass(frozen=True)
class DemoPanel:
    """Blocks of a demo; `demo` is None where this code has no such demo. `headed`: a heading stands above it."""

    kind: ClassVar = "demo"
    demo: CardDemo | None
    headed: bool


@dataclass(frozen=True)
class Row:
    """A primer in the list, or beside another; `place` counts from 1."""

    name: str
    title: str
    lead: Markup
    place: int
    minutes: int
    deck: str
    deck_title: str
    cards: int


@dataclass(frozen=True)
class PrimerList:
    rows: tuple[Row, ...]
    minutes: int
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Spoken:
    """A card of the deck to say aloud."""

    id: str
    words: str


@dataclass(frozen=True)
class PrimerPage:
    row: Row
    count: int
    parts: tuple[Heading | Prose | Drawing | DemoPanel, ...]
    ladder: tuple[FollowUp, ...]
    spoken: tuple[Spoken, ...]
    source: Markup
    before: Row | None
    after: Row | None
