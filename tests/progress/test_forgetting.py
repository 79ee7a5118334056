"""A card's forgetting curve: it falls between answers, each lifts it to 1, and undone or crammed ones are not in it."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.progress import forgetting
from app.progress.history import history
from app.study.cards import Event, EventId
from app.study.memory import DEFAULT_WEIGHTS, Grade, Memory, Model
from app.study.scheduling import CardId, CardState, SchedulerSettings, When, answers

RECALL = Model(DEFAULT_WEIGHTS, 0.9, 36500).retrievability
DAY = date(2026, 11, 1)
EASY = Memory(stability=8.2956, difficulty=1.0)


def after(days: int) -> date:
    return DAY + timedelta(days=days)


def test_recall_8_days_after_a_first_easy_is_the_reference_value() -> None:
    (stretch,) = forgetting.curve(forgetting.by_day([(DAY, True, EASY)]), after(8), after(8), RECALL)
    assert stretch.points[0] == (0, 1.0)
    assert stretch.points[-1] == (8, pytest.approx(0.9024733))


@given(
    gaps=st.lists(st.integers(-2, 90), max_size=8),
    ahead=st.integers(0, 60),
    stability=st.floats(0.1, 400),
)
def test_a_curve_falls_from_1_and_leaves_no_day_out(gaps: list[int], ahead: int, stability: float) -> None:
    days, at = [DAY], 0
    for gap in gaps:
        at += gap
        days.append(after(at))
    kept = forgetting.by_day([(day, True, Memory(stability, 5.0)) for day in days])
    today = kept[-1].day + timedelta(days=ahead // 2)
    found = forgetting.curve(kept, today, kept[-1].day + timedelta(days=ahead), RECALL)
    assert len(found) == len({one.day for one in kept})
    for one, following in pairwise(found):
        assert one.points[-1][0] == following.start
    for one in found:
        chances = [chance for _, chance in one.points]
        assert chances[0] == 1.0
        assert chances == sorted(chances, reverse=True)
        assert len(one.points) <= forgetting.POINTS + 2
    assert any(x == (today - kept[0].day).days for x, _ in found[-1].points)


def test_of_one_days_answers_the_first_says_what_was_recalled_and_the_last_what_was_learned() -> None:
    last = Memory(3.0, 6.0)
    (one,) = forgetting.by_day([(DAY, False, EASY), (DAY, True, last), (after(-3), True, last)])
    assert (one.day, one.recalled, one.memory) == (DAY, False, last)


def answered(*grades: Grade, kind: str = "review") -> list[Event]:
    """A spoken card's answers, each when it was due, newest first."""
    settings = SchedulerSettings(fuzz=False).without_steps()
    state, day, found = CardState(), DAY, []
    for at, grade in enumerate(grades):
        now = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
        ends = now + timedelta(hours=16)
        led_to = answers(state, settings, When(now, day, ends), CardId("a"))[grade].state
        found.append(
            Event(
                id=EventId(at + 1),
                card_id=CardId("a"),
                note_key="a",
                kind=kind,
                at=now,
                study_day=day,
                day_ends=ends,
                grade=grade,
                ms=4000,
                before=state,
                after=led_to,
                snapshot_id=1,
                algorithm="fsrs-6",
                buried=(),
                undone=False,
            )
        )
        assert led_to.due_day is not None
        state, day = led_to, led_to.due_day
    return found[::-1]


def test_an_answer_at_its_due_day_had_about_the_wanted_chance() -> None:
    events = answered(Grade.GOOD, Grade.GOOD, Grade.AGAIN, Grade.GOOD)
    found = history(events, events[0].after.due_day, after(30), RECALL, 0.9, {})
    assert [row.grade for row in found.rows] == ["Good", "Again", "Good", "Good"]
    assert [row.expected for row in found.rows][-1] == ""
    assert all(85 <= int(row.expected.split()[0]) <= 95 for row in found.rows[:-1])
    assert found.curve is not None
    assert [dot.recalled for dot in found.curve.dots] == [True, True, False, True]
    assert found.curve.y_ticks[0].text == "50 %"
    assert found.curve.y_ticks[-1].text == "100 %"


def test_undone_and_crammed_answers_are_listed_and_not_drawn() -> None:
    one, two = answered(Grade.GOOD, Grade.GOOD)
    found = history([replace(one, undone=True), two], two.after.due_day, after(1), RECALL, 0.9, {})
    assert len(found.rows) == 2
    assert found.rows[0].undone
    assert found.curve is not None
    assert len(found.curve.dots) == 1
    nothing = history(answered(Grade.GOOD, kind="cram"), None, DAY, RECALL, 0.9, {})
    assert (len(nothing.rows), nothing.curve) == (1, None)


def test_a_card_that_was_never_answered_has_no_history() -> None:
    assert history([], None, DAY, RECALL, 0.9, {}).rows == ()
