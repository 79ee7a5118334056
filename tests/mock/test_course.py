"""What is asked next: up the ladder after a good answer, else the next that was drawn, while there is time."""

from datetime import UTC, datetime, timedelta

import pytest

from app.mock.course import Question, Turn, following, is_left, left_s, spent_s
from app.study.scheduling import CardId

NOON = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
DRAWN = [Question(CardId(name), "IC4", 60) for name in ("a", "b", "c")]
UP = [
    Question(CardId("same"), "IC4", 60),
    Question(CardId("six"), "IC6", 60),
    Question(CardId("five"), "IC5", 60),
]


def turn(
    position: int, name: str, grade: int | None, level: str = "IC4", took: int = 100, **more: int
) -> Turn:
    return Turn(
        position, CardId(name), level, 60, more.get("follows"), NOON, NOON + timedelta(seconds=took), grade
    )


def asked(turns: list[Turn], ladder: list[Question] = UP, minutes: int = 20) -> tuple[str, int | None] | None:
    found = following(turns, DRAWN, ladder, minutes)
    return (found[0].card_id, found[1]) if found else None


def test_the_first_question_is_the_first_drawn() -> None:
    assert asked([]) == ("a", None)


@pytest.mark.parametrize(("grade", "expected"), [(1, "b"), (2, "b"), (3, "five"), (4, "five"), (None, "b")])
def test_after_good_or_easy_the_interviewer_goes_on_a_level_up(grade: int | None, expected: str) -> None:
    found = asked([turn(1, "a", grade)])
    assert found == (expected, 1 if expected == "five" else None)


def test_ladders_end_after_two_steps_and_at_their_top() -> None:
    turns = [turn(1, "a", 3), turn(2, "five", 3, "IC5", follows=1)]
    assert asked(turns) == ("six", 2)
    turns.append(turn(3, "six", 4, "IC6", follows=2))
    assert asked(turns, [Question(CardId("seven"), "IC6", 60)]) == ("b", None)
    assert asked([turn(1, "a", 3, "IC6")], UP[:1] + UP[2:]) == ("b", None)


def test_nothing_is_asked_twice() -> None:
    assert asked([turn(1, "a", 3), turn(2, "b", 3)], [Question(CardId("a"), "IC5", 60)]) == ("c", None)


def test_what_no_longer_fits_into_the_time_is_not_begun() -> None:
    spent = [turn(1, "a", 2, took=130) for _ in range(4)]
    assert asked(spent, minutes=10) is None
    assert left_s(spent, 10) == 80
    assert asked(spent, minutes=11) == ("b", None)


def test_the_first_question_is_asked_however_short_the_interview_is() -> None:
    assert asked([], minutes=1) == ("a", None)


def test_a_question_that_was_left_overnight_costs_a_bounded_time() -> None:
    assert spent_s([turn(1, "a", 3, took=40_000)]) == 15 + 2 * (60 + 45)


def test_an_answer_that_runs_on_and_on_was_left() -> None:
    assert not is_left(179_000, 60)
    assert is_left(181_000, 60)
    assert not is_left(-15_000, 60)
