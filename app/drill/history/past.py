"""What was said of a card over time: each take with its figures, and whether they rise. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from app.accounts.learner import Learner
from app.drill import words
from app.drill.pitch import Take, TakeId
from app.drill.scoring.pace import EASY
from app.progress.drawing import Bars, bars, short_day
from app.study.memory import Grade
from app.study.scheduling import CardId

MOST_BARS = 30
EASILY = f"{EASY[0]} to {EASY[1]} words a minute are easy to follow."

Amount = tuple[date, float, str]  # what there is to draw of a take, and in words


@dataclass(frozen=True, slots=True)
class SaidCard:
    """A card with what there is of it; `newest` is its newest take, made at `latest`."""

    card_id: CardId
    words: str
    takes: int
    newest: TakeId
    latest: datetime


@dataclass(frozen=True, slots=True)
class SaidRow:
    """A card in the history's list."""

    card_id: str
    title: str
    words: str


@dataclass(frozen=True, slots=True)
class CardsView:
    """The cards that were said, a page of them; `before` leads to those that were said before, None at the end."""

    rows: tuple[SaidRow, ...]
    before: TakeId | None
    older: bool


@dataclass(frozen=True, slots=True)
class Trend:
    """A figure over time: drawn, in words, and as a table of day and value for whoever cannot see the drawing."""

    bars: Bars
    words: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PastTake:
    """A take as a row of the table: `sound` is the id of its recording, None where there is no sound."""

    id: int
    card_id: str
    day: str
    time: str
    at: str
    grade: str
    length: str
    points: str
    pace: str
    how: str
    sound: int | None
    ms: int


@dataclass(frozen=True, slots=True)
class PastView:
    """Takes of one card, the newest first, a page of them; `before` leads to older ones, None at the end.

    The newest page shows the figures over time; None where one take shows no trend.
    """

    card_id: str
    title: str
    lead: str
    takes: tuple[PastTake, ...]
    before: TakeId | None
    older: bool
    points: Trend | None
    pace: Trend | None


def cards_view(
    cards: Sequence[SaidCard], more: bool, learner: Learner, today: date, *, older: bool
) -> CardsView:
    """`more` cards follow; `older`: newer ones come before."""
    rows = tuple(
        SaidRow(
            said.card_id,
            said.words,
            f"{_count(said.takes, 'take')}, the latest {words.ago_words(learner.day(said.latest), today)}",
        )
        for said in cards
    )
    return CardsView(rows, cards[-1].newest if more else None, older)


def past_view(
    card_id: CardId,
    title: str,
    page: Sequence[Take],
    count: int,
    sound: Collection[int],
    learner: Learner,
    today: date,
    *,
    more: bool,
    older: bool,
) -> PastView:
    """`page` has some of `count` takes; `more` follow, and `older`: newer ones come before. `sound` is still kept."""
    standing = [] if older else [take for take in reversed(page) if not take.undone]
    counted = standing[-MOST_BARS:]
    begun = "earlier" if more or len(standing) > MOST_BARS else "at first"
    shares, paces = _shares(counted, learner), _paces(counted, learner)
    return PastView(
        card_id=card_id,
        title=title,
        lead=f"{_count(count, 'take')}{', older ones' if older else ''}." if count else "Not said yet.",
        takes=tuple(_past(take, sound, learner, today) for take in page),
        before=page[-1].id if more else None,
        older=older,
        points=_trend(
            shares, 100, "% of points", f"Points said, take by take: {{}} % {begun}, {{}} % the latest time."
        ),
        pace=_trend(
            paces, 0, "words a minute", f"Pace, take by take: {{}} {begun}, {{}} the latest time. {EASILY}"
        ),
    )


def _shares(takes: Sequence[Take], learner: Learner) -> list[Amount]:
    return [
        (learner.day(t.at), share := _share(t), f"{_points(t)}, {share:.0f} %") for t in takes if t.points
    ]


def _paces(takes: Sequence[Take], learner: Learner) -> list[Amount]:
    return [(learner.day(t.at), float(wpm), f"{wpm} words a minute") for t in takes if (wpm := _wpm(t))]


def _trend(amounts: Sequence[Amount], most: float, unit: str, sentence: str) -> Trend | None:
    """`sentence` has room for the first and the latest, which is what the bars show; None for less than two."""
    if len(amounts) < 2:
        return None
    return Trend(
        bars([(day, amount, f"{short_day(day)}: {said}") for day, amount, said in amounts], unit, most),
        sentence.format(*(f"{amount:.0f}" for _, amount, _ in (amounts[0], amounts[-1]))),
        tuple((f"{short_day(day)} {day.year}", said) for day, _, said in reversed(amounts)),
    )


def _past(take: Take, sound: Collection[int], learner: Learner, today: date) -> PastTake:
    wpm = _wpm(take)
    kept = take.recording_id if take.recording_id in sound else None
    return PastTake(
        id=take.id,
        card_id=take.card_id,
        day=words.ago_words(learner.day(take.at), today),
        time=f"{take.at.astimezone(ZoneInfo(learner.zone)):%H:%M}",
        at=take.at.isoformat(timespec="seconds"),
        grade=Grade(take.grade).word + (", undone" if take.undone else ""),
        length=words.length_words(take),
        points=_points(take),
        pace=f"{wpm} a minute" if wpm else "–",
        how=_how(take, kept is not None),
        sound=kept,
        ms=int(take.pace["ms"]) if take.pace else take.spoken_ms,
    )


def _how(take: Take, sound: bool) -> str:
    made = "typed" if take.typed else "quiet" if take.recording_id is None else "recorded"
    marks = [
        *(["sound deleted"] if take.recording_id is not None and not sound else []),
        *(["notes shown"] if take.notes_shown else []),
        *(["interrupted"] if take.interrupted else []),
    ]
    return ", ".join([made, *marks])


def _points(take: Take) -> str:
    return f"{len(take.ticks)} of {len(take.points)}"


def _share(take: Take) -> float:
    return round(100 * len(take.ticks) / len(take.points), 1)


def _wpm(take: Take) -> int | None:
    return take.pace["wpm"] if take.pace else None


def _count(number: int, of: str) -> str:
    return f"{number} {of}{'' if number == 1 else 's'}"
