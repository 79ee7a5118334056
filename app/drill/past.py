"""What was said of a card over time: each take with its figures, and whether they rise. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from app.accounts.learner import Learner
from app.drill import words
from app.drill.pace import EASY
from app.drill.pitch import Take
from app.progress.drawing import Bars, bars
from app.study.memory import Grade
from app.study.scheduling import CardId

MOST_BARS = 30


@dataclass(frozen=True, slots=True)
class SaidCard:
    card_id: CardId
    words: str
    takes: int
    latest: datetime


@dataclass(frozen=True, slots=True)
class SaidRow:
    """A card in the history's list."""

    card_id: str
    title: str
    words: str


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
    """All takes of one card, the newest first, and their figures over time; None where one take shows no trend."""

    card_id: str
    title: str
    lead: str
    takes: tuple[PastTake, ...]
    points: Bars | None
    points_words: str
    pace: Bars | None
    pace_words: str


def rows(cards: Sequence[SaidCard], learner: Learner, today: date) -> tuple[SaidRow, ...]:
    return tuple(
        SaidRow(
            said.card_id,
            said.words,
            f"{_count(said.takes, 'take')}, the latest {words.ago_words(learner.day(said.latest), today)}",
        )
        for said in cards
    )


def past_view(
    card_id: CardId,
    title: str,
    history: Sequence[Take],
    sound: Collection[int],
    learner: Learner,
    today: date,
) -> PastView:
    """`history` newest first; `sound` are the recordings that are still kept."""
    counted = [take for take in reversed(history) if not take.undone][-MOST_BARS:]
    shares = [(learner.day(t.at), _share(t), _points(t)) for t in counted if t.points]
    paces = [(learner.day(t.at), float(wpm), f"{wpm} words a minute") for t in counted if (wpm := _wpm(t))]
    return PastView(
        card_id=card_id,
        title=title,
        lead=f"{_count(len(history), 'take')}." if history else "Not said yet.",
        takes=tuple(_past(take, sound, learner, today) for take in history),
        points=bars(shares, "% of points") if len(shares) > 1 else None,
        points_words=_trend("Points said", [share for _, share, _ in shares], " %"),
        pace=bars(paces, "words a minute") if len(paces) > 1 else None,
        pace_words=_trend("Pace", [wpm for _, wpm, _ in paces], "")
        + f" {EASY[0]} to {EASY[1]} words a minute are easy to follow.",
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


def _trend(what: str, values: Sequence[float], unit: str) -> str:
    """First and latest in a sentence, which is what the bars show."""
    if len(values) < 2:
        return ""
    return f"{what}, take by take: {values[0]:.0f}{unit} at first, {values[-1]:.0f}{unit} the latest time."


def _count(number: int, of: str) -> str:
    return f"{number} {of}{'' if number == 1 else 's'}"
