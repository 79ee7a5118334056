"""The parts that several of the drill's pages show: the question, points, figures, takes in a list."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from app.accounts.learner import Learner
from app.drill import words
from app.drill.pitch import Pitch, Point, Take
from app.drill.timing import clock_text, planned_words
from app.study.memory import Grade


@dataclass(frozen=True, slots=True)
class Head:
    """The question above every page of one pitch; `focus`: it is what is new on the page; `aloud`: as it is read."""

    card_id: str
    title: str
    question: Markup
    chips: tuple[str, ...]
    deck: str
    retired: bool
    focus: bool
    aloud: str


@dataclass(frozen=True, slots=True)
class PointShown:
    id: str
    html: Markup
    ticked: bool
    stage: str = ""  # a heading above it: the part of a case that begins with it


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class TakeRow:
    """A take in a pitch's history."""

    id: int
    card_id: str
    grade: str
    words: str
    at: str
    day: str


def head(pitch: Pitch, *, focus: bool = False) -> Head:
    return Head(
        card_id=pitch.card_id,
        title=pitch.words,
        question=html(pitch.front),
        chips=chips(pitch.planned_s, pitch.level),
        deck=pitch.deck,
        retired=pitch.retired,
        focus=focus,
        aloud=pitch.aloud,
    )


def points(given: Sequence[Point], ticks: Collection[str] = ()) -> tuple[PointShown, ...]:
    return tuple(
        PointShown(p.id, html(p.html), p.id in ticks, stage)
        for p, stage in zip(given, headings(given), strict=True)
    )


def headings(given: Sequence[Point]) -> tuple[str, ...]:
    """For each point the stage of the case that begins with it, or ""."""
    before = ["", *(point.stage for point in given)]
    return tuple(p.stage if p.stage != last else "" for p, last in zip(given, before, strict=False))


def takes(history: Sequence[Take], learner: Learner, today: date) -> tuple[TakeRow, ...]:
    return tuple(
        TakeRow(
            id=take.id,
            card_id=take.card_id,
            grade=Grade(take.grade).word + (", undone" if take.undone else ""),
            words=words.take_words(take),
            at=take.at.isoformat(timespec="seconds"),
            day=words.ago_words(learner.day(take.at), today),
        )
        for take in history
    )


def figures(spoken_ms: int, planned_s: int, *, typed: bool = False) -> tuple[Figure, ...]:
    """Spoken, or written, planned, and the difference, in the whole seconds that are shown. 0 was not measured."""
    planned_ms = planned_s * 1000
    if not spoken_ms:
        return (Figure("planned", clock_text(planned_ms)),)
    over_ms = spoken_ms // 1000 * 1000 - planned_ms  # of what is shown, so that the three add up
    return (
        Figure("written" if typed else "spoken", clock_text(spoken_ms)),
        Figure("planned", clock_text(planned_ms)),
        Figure("over", clock_text(over_ms)) if over_ms >= 1000 else Figure("left", clock_text(-over_ms)),
    )


def chips(planned_s: int, level: str) -> tuple[str, ...]:
    return (planned_words(planned_s), level) if level else (planned_words(planned_s),)


def html(text: str) -> Markup:
    return Markup(text)  # noqa: S704  (sanitised when the deck was read)
