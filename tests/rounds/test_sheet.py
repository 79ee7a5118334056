"""The sheet for the eve: half an hour, what went worst first, nothing new."""

from dataclasses import replace
from datetime import UTC, datetime

from app.drill.pitch import Listed, Point, Take, TakeId
from app.rounds.sheet import MINUTES, Held, missing, sheet
from app.study.cards import EventId
from app.study.scheduling import CardId
from tests.rounds.made import a_card

POINTS = tuple(Point(f"p{at}", f"point {at}", f"point {at}") for at in range(4))


def a_pitch(name: str, ticked: int | None, seconds: int = 90) -> Listed:
    """A pitch whose last take made so many of its four points; None: it was never said."""
    last = None
    if ticked is not None:
        last = Take(
            id=TakeId(1),
            card_id=CardId(name),
            event_id=EventId(1),
            at=datetime(2026, 11, 1, tzinfo=UTC),
            planned_s=seconds,
            spoken_ms=80_000,
            ticks=tuple(p.id for p in POINTS[:ticked]),
            points=POINTS,
            interrupted=False,
            notes_shown=False,
            grade=3,
            undone=False,
        )
    return Listed(card_id=CardId(name), level="IC4", words=name, planned_s=seconds, last=last)


def held(name: str, lapses: int = 0, kind: str = "question", **values: object) -> Held:
    card = a_card(name, stability=5.0, ago=3, due=2, **values)  # type: ignore[arg-type]
    return Held(replace(card, kind=kind), lapses)


def test_three_pitches_that_went_worst_and_none_that_was_never_said() -> None:
    made = sheet(
        [],
        [a_pitch("good", 4), a_pitch("new", None), a_pitch("bad", 0), a_pitch("fair", 2), a_pitch("so", 3)],
    )
    assert [p.card_id for p in made.pitches] == ["bad", "fair", "so"]
    assert [(m.pitch.card_id, len(m.points)) for m in made.missed] == [("bad", 4), ("fair", 2), ("so", 1)]
    assert missing(a_pitch("good", 4)) == ()


def test_what_slips_most_comes_first_and_numbers_follow_once() -> None:
    cards = [
        held("once", 1),
        held("twice", 2),
        held("often", 9),
        held("figure", 3, kind="number"),
        held("core", kind="estimate", core=True, place=9),
        held("plain", kind="number"),
        held("said", 5, spoken=True),
    ]
    made = sheet(cards, [])
    assert [one.card.id for one in made.slipping] == ["often", "figure", "twice"]
    assert [card.id for card in made.numbers] == ["core", "plain"]


def test_it_takes_half_an_hour_at_most() -> None:
    cards = [held(f"c{at}", 4) for at in range(50)] + [held(f"n{at}", kind="number") for at in range(50)]
    pitches = [a_pitch(f"s{at}", 0, seconds=400) for at in range(9)]
    made = sheet(cards, pitches)
    assert made.seconds <= MINUTES * 60
    assert len(made.pitches) == 3
    assert made.slipping
    assert sheet([], []).seconds == 0
