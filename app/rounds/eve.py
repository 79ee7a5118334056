"""Around a round's day: the sheet for its eve, and what was asked, put together from what the rooms tell."""

from dataclasses import dataclass
from datetime import datetime

from markupsafe import Markup
from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import service as drill
from app.drill.pitch import Listed
from app.library import service as library
from app.library.service import Wanted
from app.rounds import drafts, service
from app.rounds.cards import Round
from app.rounds.sheet import sheet
from app.rounds.views import count, first_words, path, when
from app.study.scheduling import CardId


@dataclass(frozen=True)
class SheetCard:
    """A card with both sides; `note` says in a few words why it is here."""

    id: str
    front: Markup
    back: Markup
    note: str


@dataclass(frozen=True)
class SheetPitch:
    """A pitch to say once more: its key points, and how the last take went."""

    id: str
    words: str
    seconds: int
    points: tuple[Markup, ...]
    note: str


@dataclass(frozen=True)
class SheetMissed:
    id: str
    words: str
    points: tuple[Markup, ...]


@dataclass(frozen=True)
class SheetView:
    path: str
    name: str
    when: str
    minutes: int
    pitches: tuple[SheetPitch, ...]
    slipping: tuple[SheetCard, ...]
    missed: tuple[SheetMissed, ...]
    numbers: tuple[SheetCard, ...]

    @property
    def empty(self) -> bool:
        return not (self.pitches or self.slipping or self.missed or self.numbers)


@dataclass(frozen=True)
class Draft:
    id: str
    words: str


@dataclass(frozen=True)
class DebriefView:
    """`early`: the round is still to come, so there is nothing to write down."""

    path: str
    name: str
    when: str
    early: bool
    typed: str
    problem: str
    done: bool
    drafts: tuple[Draft, ...]
    file: str
    next: str
    next_path: str
    next_words: str


def sheet_view(conn: Connection, learner: Learner, now: datetime, one: Round) -> SheetView:
    """What to read on the eve: seen cards and said pitches of the round alone."""
    held = service.on_the_eve(conn, learner, one)
    known = {found.card.id for found in held}
    said = [choice.pitch for choice in drill.choices(conn, learner, now) if choice.pitch.card_id in known]
    made = sheet(held, said)
    return SheetView(
        path(one),
        one.name,
        when(one.date, learner.day(now)),
        -(-made.seconds // 60),
        tuple(_pitch(conn, learner, listed) for listed in made.pitches),
        tuple(
            _card(conn, found.card.id, f"forgotten {count(found.lapses, 'time')}") for found in made.slipping
        ),
        tuple(
            SheetMissed(found.pitch.card_id, found.pitch.words, tuple(_safe(p.html) for p in found.points))
            for found in made.missed
        ),
        tuple(_card(conn, card.id, "") for card in made.numbers),
    )


def debrief_view(
    conn: Connection, learner: Learner, now: datetime, one: Round, typed: str, problem: str
) -> DebriefView:
    """The page that asks what was asked; the drafts that came of it, and what comes next."""
    found = library.search(conn, Wanted(deck=drafts.deck(one)), drafts.MOST_LINES)
    ahead = service.outlooks(conn, learner, now)
    coming = ahead[0] if ahead else None
    return DebriefView(
        path(one),
        one.name,
        when(one.date, learner.day(now)),
        one.date > learner.day(now),
        typed,
        problem,
        one.debriefed_at is not None,
        tuple(Draft(row.id, row.words) for row in found.cards),
        drafts.name(one),
        coming.plan.round.name if coming else "",
        path(coming.plan.round) if coming else "rounds/new",
        f"{when(coming.plan.round.date, coming.plan.today)}. {first_words(coming.whole)}" if coming else "",
    )


def _pitch(conn: Connection, learner: Learner, listed: Listed) -> SheetPitch:
    points = drill.pitch(conn, learner, listed.card_id).points
    last = listed.last
    made = f"last time {len(last.ticks)} of {len(last.points)} points" if last else ""
    return SheetPitch(
        listed.card_id, listed.words, listed.planned_s, tuple(_safe(p.html) for p in points), made
    )


def _card(conn: Connection, card_id: CardId, note: str) -> SheetCard:
    page = library.card(conn, card_id)
    return SheetCard(card_id, _safe(page.front), _safe(page.back), note)


def _safe(html: str) -> Markup:
    """HTML that was sanitised when its deck was read."""
    return Markup(html)  # noqa: S704
