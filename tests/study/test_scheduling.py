"""What the four grades do: the reference vectors (no fuzz), then the rules, then properties over random lives."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.study.memory import Grade, Memory
from app.study.scheduling import CardId, CardState, Next, SchedulerSettings, When, answers

EXACT = SchedulerSettings(fuzz=False)
A = CardId("a")
DAY0 = date(2026, 11, 29)


def at(day: date, hour: int = 9, minute: int = 0) -> When:
    """A moment of the study day `day`, which runs from 04:00 to 04:00 UTC."""
    now = datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)
    now += timedelta(days=1 if hour < 4 else 0)
    return When(now, day, datetime(day.year, day.month, day.day, 4, tzinfo=UTC) + timedelta(days=1))


def graded(
    state: CardState, grade: Grade, when: When | None = None, settings: SchedulerSettings = EXACT
) -> Next:
    return answers(state, settings, when or at(DAY0), A)[grade]


def seconds(*moved: Next) -> list[float | None]:
    return [n.delay.total_seconds() if n.delay else None for n in moved]


def test_thirteen_answers_each_at_its_due_time() -> None:
    grades = [Grade.GOOD] * 6 + [Grade.AGAIN] * 2 + [Grade.GOOD] * 5
    state, day, days = CardState(), DAY0, []
    for grade in grades:
        moved = graded(state, grade, at(day))
        state = moved.state
        assert state.due_day is not None
        days.append((state.due_day - day).days)
        day = state.due_day
    assert days == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21]
    assert (state.lapses, state.reps, state.state) == (1, 13, "review")


def test_three_steps() -> None:
    settings = replace(EXACT, learning_steps=(1, 10, 100))
    state, table = CardState(), []
    for _ in range(3):
        four = answers(state, settings, at(DAY0), A)
        table.append(seconds(four[Grade.AGAIN], four[Grade.HARD], four[Grade.GOOD]))
        assert four[Grade.EASY].state.state == "review"
        state = four[Grade.GOOD].state
    assert table == [[60, 330, 600], [60, 600, 6000], [60, 6000, None]]
    assert state.state == "review"


def test_hard_on_a_single_step() -> None:
    one = replace(EXACT, learning_steps=(10,))
    assert seconds(graded(CardState(), Grade.HARD, settings=one)) == [900]
    three_days = replace(EXACT, learning_steps=(3 * 1440,))
    assert graded(CardState(), Grade.HARD, settings=three_days).days == 4


def test_a_step_that_crosses_the_rollover_counts_in_days() -> None:
    late = at(DAY0, 3, 55)
    again, good = (graded(CardState(), g, late) for g in (Grade.AGAIN, Grade.GOOD))
    assert (again.delay, again.days) == (timedelta(minutes=1), None)
    assert (good.delay, good.days) == (None, 1)
    assert (good.state.state, good.state.due_day, good.state.due_at) == (
        "learning",
        DAY0 + timedelta(days=1),
        None,
    )
    edge = at(DAY0, 3, 50)
    assert graded(CardState(), Grade.GOOD, edge).days == 1


def test_steps_fewer_than_when_the_card_was_last_answered() -> None:
    far = CardState("learning", Memory(2.0, 5.0), DAY0, last_day=DAY0, step=4, reps=4)
    assert seconds(graded(far, Grade.HARD)) == [600]
    assert graded(far, Grade.GOOD).state.state == "review"
    assert graded(far, Grade.AGAIN, settings=EXACT.without_steps()).state.state == "review"


def reviewed(stability: float = 10.0, interval: int = 10, last: date = DAY0) -> CardState:
    return CardState(
        "review", Memory(stability, 5.0), last + timedelta(days=interval), None, last, interval, None, 0, 5
    )


def test_hard_good_and_easy_never_tie() -> None:
    weak = CardState("review", Memory(0.3, 9.9), DAY0, None, DAY0 - timedelta(days=1), 1, None, 0, 5)
    four = answers(weak, EXACT, at(DAY0), A)
    assert [four[g].days for g in (Grade.HARD, Grade.GOOD, Grade.EASY)] == [1, 2, 3]


def test_order_holds_below_the_maximum() -> None:
    four = answers(
        reviewed(400.0, 400, DAY0 - timedelta(days=400)), replace(EXACT, maximum_interval=30), at(DAY0), A
    )
    assert [four[g].days for g in (Grade.HARD, Grade.GOOD, Grade.EASY)] == [28, 29, 30]


def test_a_lapse_keeps_its_count_and_forgets_its_interval() -> None:
    state = graded(reviewed(), Grade.AGAIN, at(DAY0 + timedelta(days=10))).state
    assert (state.state, state.step, state.lapses, state.interval) == ("relearning", 0, 1, None)
    again = graded(state, Grade.AGAIN, at(DAY0 + timedelta(days=10))).state
    assert again.lapses == 1


def test_spoken_cards_have_no_minutes() -> None:
    four = answers(CardState(), EXACT.without_steps(), at(DAY0), A)
    assert all(n.delay is None and n.days and n.state.state == "review" for n in four.values())
    lapsed = graded(reviewed(), Grade.AGAIN, at(DAY0 + timedelta(days=10)), EXACT.without_steps())
    assert (lapsed.state.state, lapsed.state.lapses) == ("review", 1)


def test_a_clock_set_back_elapses_nothing_and_moves_nothing_back() -> None:
    state = reviewed(last=DAY0)
    back = at(DAY0 - timedelta(days=5))
    moved = graded(state, Grade.GOOD, back)
    assert moved.state.last_day == DAY0
    assert moved.state.memory == graded(state, Grade.GOOD, at(DAY0)).state.memory
    assert moved.state.due_day is not None
    assert moved.state.due_day > DAY0


def test_after_midnight_belongs_to_the_evening_before() -> None:
    evening = graded(CardState(), Grade.EASY, at(DAY0, 23)).state
    night = graded(CardState(), Grade.EASY, at(DAY0, 2)).state
    assert evening.due_day == night.due_day


def test_fuzz_is_never_shorter_than_the_last_interval() -> None:
    state = reviewed(30.0, 40, DAY0 - timedelta(days=40))
    for reps in range(50):
        four = answers(replace(state, reps=reps), SchedulerSettings(), at(DAY0), A)
        assert (four[Grade.HARD].days or 0) >= 40


@pytest.mark.parametrize("steps", [(0.0,), (1.0, -10.0)])
def test_steps_are_positive(steps: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="longer than 0"):
        SchedulerSettings(learning_steps=steps)


def test_settings_and_states_survive_json() -> None:
    settings = SchedulerSettings(retention=0.85, learning_steps=(1.0, 10.0, 100.0))
    assert SchedulerSettings.from_json(json.loads(json.dumps(settings.to_json()))) == settings
    state = graded(CardState(), Grade.GOOD).state
    for one in (CardState(), state, reviewed()):
        assert CardState.from_json(json.loads(json.dumps(one.to_json()))) == one


lives = st.lists(
    st.tuples(st.sampled_from(list(Grade)), st.integers(-3, 90), st.integers(0, 23), st.integers(0, 59)),
    max_size=12,
)
schedulers = st.builds(
    SchedulerSettings,
    retention=st.floats(0.70, 0.99),
    maximum_interval=st.sampled_from([1, 2, 3, 5, 30, 36500]),
    learning_steps=st.sampled_from([(), (1.0,), (1.0, 10.0), (1.0, 10.0, 100.0), (1440.0, 4320.0)]),
    relearning_steps=st.sampled_from([(), (10.0,), (10.0, 60.0)]),
)


@given(lives, schedulers, st.text(min_size=1, max_size=8))
def test_random_lives(
    life: list[tuple[Grade, int, int, int]], settings: SchedulerSettings, name: str
) -> None:
    state, day, card = CardState(), DAY0, CardId(name)
    for grade, gap, hour, minute in life:
        day += timedelta(days=gap)
        when = at(day, hour, minute)
        four = answers(state, settings, when, card)
        assert four == answers(state, settings, when, card)
        _ordered(four, settings)
        after = four[grade].state
        assert after.reps == state.reps + 1
        assert after.last_day is not None
        assert after.last_day >= (state.last_day or after.last_day)
        state = after


def _ordered(four: dict[Grade, Next], settings: SchedulerSettings) -> None:
    waits = [n.delay or timedelta(days=n.days or 0) for n in four.values()]
    assert waits == sorted(waits)
    graduated = [n.days or 0 for g, n in four.items() if n.state.state == "review" and g > Grade.AGAIN]
    assert all(1 <= days <= settings.maximum_interval for days in graduated)
    if settings.maximum_interval >= 5:
        assert graduated == sorted(set(graduated))
    for n in four.values():
        assert (n.state.due_at is None) == (n.days is not None)
        assert n.state.due_day is not None


def test_a_step_of_days_keeps_below_the_maximum_and_the_grades_above() -> None:
    settings = replace(EXACT, learning_steps=(1440, 4320), maximum_interval=3)
    four = answers(CardState(), settings, at(DAY0), A)
    assert [n.days for n in four.values()] == [1, 1, 2, 3]
