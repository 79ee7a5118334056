"""The plan: every card seen with time for two reviews, no day over its minutes, and what does not fit is said."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.rounds.cards import RoundCard
from app.rounds.course import Look, due
from app.rounds.plan import SETTLE, RoundPlan, plans
from app.rounds.readiness import chances, forecast, readiness
from tests.rounds.made import MODEL, PACE_S, TODAY, a_card, a_round, unseen

LEVELS = ("eli5", "IC4", "IC5", "IC6")


def plan(cards: list[RoundCard], days: int, minutes: int = 30, level: str = "IC5") -> RoundPlan:
    (made,) = plans([a_round(days, minutes, level)], cards, TODAY, PACE_S, MODEL)
    return made


def test_a_month_for_220_cards_is_level_where_fifteen_a_day_would_pile_up() -> None:
    made = plan(unseen(220), 30, minutes=30)
    new = [len(day.new) for day in made.days]
    assert made.misses == ()
    assert sum(new) == 220
    assert len(set(new[:20])) == 1  # the same share each day
    assert all(count == 0 for count in new[-SETTLE:])
    assert max(day.minutes for day in made.days) <= 30


def test_what_does_not_fit_is_what_is_worth_least() -> None:
    cards = [
        *(a_card(f"core{at}", core=True, place=at) for at in range(30)),
        *(a_card(f"deep{at}", level="IC5", place=30 + at) for at in range(100)),
        *(a_card(f"plain{at}", level="IC4", place=130 + at) for at in range(100)),
        a_card("above", level="IC6", place=500),
    ]
    made = plan(cards, 7, minutes=20)
    assert made.misses[0].id == "deep99"
    assert not any(card.core for card in made.misses)
    assert [card.id for card in made.above] == ["above"]
    placed = {card.id for day in made.days for card in day.new}
    assert {f"core{at}" for at in range(30)} <= placed


def test_the_eve_brings_no_new_card() -> None:
    made = plan(unseen(5), 1)
    assert made.share == ()
    assert len(made.misses) == 5


def test_a_round_that_is_over_has_no_plan() -> None:
    assert plans([a_round(0), a_round(-3)], unseen(3), TODAY, PACE_S, MODEL) == ()


def test_cards_of_two_rounds_are_new_once() -> None:
    cards = unseen(40, deck="attention/mask")
    near, far = plans(
        [a_round(40, number=2), a_round(15, topics=("attention/mask",))], cards, TODAY, PACE_S, MODEL
    )
    assert near.days_left == 15
    assert sum(len(day.new) for day in near.days) == 40
    assert sum(len(day.new) for day in far.days) == 0
    assert far.misses == ()
    assert max(day.minutes for day in far.days[:8]) < 1  # until the first round they are charged to it


def test_a_pitch_comes_now_and_then() -> None:
    cards = [*unseen(40), *(a_card(f"s{at}", spoken=True, place=100 + at) for at in range(4))]
    made = plan(cards, 30)
    days = [at for at, day in enumerate(made.days) if any(card.spoken for card in day.new)]
    assert len(days) == 4
    assert days[-1] - days[0] >= 10


def test_reviews_that_no_day_holds_are_told() -> None:
    overdue = [a_card(f"r{at}", place=at, stability=20.0, ago=40, due=-20) for at in range(400)]
    made = plan(overdue, 2, minutes=10)
    assert made.late_minutes > 50
    assert max(day.minutes for day in made.days) <= 10


@given(
    st.lists(
        st.tuples(
            st.sampled_from(LEVELS),
            st.booleans(),
            st.booleans(),
            st.none() | st.floats(0.5, 200),
            st.integers(0, 60),
            st.integers(-20, 60),
        ),
        max_size=60,
    ),
    st.integers(1, 40),
    st.integers(5, 60),
)
@settings(max_examples=60)
def test_no_day_is_over_its_minutes_and_no_card_is_lost(
    given: list[tuple[str, bool, bool, float | None, int, int]], days: int, minutes: int
) -> None:
    cards = [
        a_card(f"c{at}", level=level, core=core, spoken=spoken, place=at, stability=s, ago=ago, due=due)
        for at, (level, core, spoken, s, ago, due) in enumerate(given)
    ]
    made = plan(cards, days, minutes)
    assert len(made.days) == days
    assert all(day.minutes <= minutes + 1e-6 for day in made.days)
    placed = [card.id for day in made.days for card in day.new]
    assert len(placed) == len(set(placed))
    wanted = {card.id for card in made.cards if not card.seen}
    assert {*placed, *(card.id for card in made.misses)} == wanted
    assert len(made.above) + len(made.cards) == len(cards)
    whole, topics = readiness(made, chances(made, MODEL))
    assert whole.cards == sum(topic.cards for topic in topics) == len(made.cards)
    for told in (whole.forecast, *(topic.forecast for topic in topics)):
        assert told is None or 0 <= told.low <= told.recall <= told.high <= 1


@pytest.mark.parametrize(
    ("due_day", "last", "look", "shown"),
    [
        (40, 3, Look(27, 29), 29),
        (28, 3, Look(27, 29), 28),
        (40, 27, Look(27, 29), 40),  # answered in the last days: looked at already
        (40, 3, None, 40),
    ],
)
def test_the_queue_rule_of_a_last_look(due_day: int, last: int, look: Look | None, shown: int) -> None:
    assert due(due_day, last, look) == shown


def test_the_core_is_looked_at_last() -> None:
    cards = [*unseen(60), *(a_card(f"k{at}", core=True, place=100 + at) for at in range(20))]
    made = plan(cards, 30, minutes=10)
    looks = made.looks
    eve = TODAY + timedelta(days=29)
    assert {name for name, day in looks.days.items() if day == eve} >= {f"k{at}" for at in range(20)}
    assert set(looks.days) == {card.id for card in cards}
    assert made.unlooked == 0


def test_a_last_look_lifts_the_forecast() -> None:
    forgotten = [a_card(f"c{at}", place=at, stability=30.0, ago=10, due=25) for at in range(30)]
    made = plan(forgotten, 20)
    whole, _ = readiness(made, chances(made, MODEL))
    assert whole.forecast is not None
    unlooked = MODEL.retrievability(forgotten[0].memory, 30)  # type: ignore[arg-type]
    assert whole.forecast.recall > unlooked + 0.03


def test_the_range_of_a_forecast_narrows_with_the_number_of_cards() -> None:
    few, many = forecast([0.8] * 10), forecast([0.8] * 1000)
    assert few is not None
    assert many is not None
    assert few.high - few.low > many.high - many.low > 0.06
    assert forecast([]) is None
