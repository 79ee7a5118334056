"""The model gives the published figures; the traps of its package do not reach us."""

import pytest

from app.study.memory import DEFAULT_WEIGHTS, Grade, Memory, Model

MODEL = Model(DEFAULT_WEIGHTS, 0.9, 36500)


@pytest.mark.parametrize(
    ("grade", "stability", "difficulty"),
    [
        (Grade.AGAIN, 0.212, 6.4133),
        (Grade.HARD, 1.2931, 5.11217071),
        (Grade.GOOD, 2.3065, 2.11810397),
        (Grade.EASY, 8.2956, 1.0),
    ],
)
def test_first_grades(grade: Grade, stability: float, difficulty: float) -> None:
    memory = MODEL.after(None, grade, 0).memory
    assert memory.stability == pytest.approx(stability)
    assert memory.difficulty == pytest.approx(difficulty)


def test_six_answers_over_a_month() -> None:
    memory: Memory | None = None
    for grade, gap in zip((1, 3, 3, 3, 3, 3), (0, 0, 1, 3, 8, 21), strict=True):
        memory = MODEL.after(memory, Grade(grade), gap).memory
    assert memory is not None
    assert memory.stability == pytest.approx(53.62691, abs=1e-4)
    assert memory.difficulty == pytest.approx(6.3574867, abs=1e-4)


def test_recall_eight_days_after_a_first_easy() -> None:
    memory = MODEL.after(None, Grade.EASY, 0).memory
    assert MODEL.retrievability(memory, 8) == pytest.approx(0.9024733, abs=1e-6)


def test_days_elapsed_are_never_negative() -> None:
    memory = MODEL.after(None, Grade.GOOD, 0).memory
    assert MODEL.after(memory, Grade.GOOD, -3) == MODEL.after(memory, Grade.GOOD, 0)
    assert MODEL.retrievability(memory, -3) == 1.0


def test_two_study_days_count_as_two() -> None:
    """33 hours over two mornings: the package alone would call that one day (7.3 instead of 10.96)."""
    memory = MODEL.after(None, Grade.GOOD, 0).memory
    assert MODEL.after(memory, Grade.GOOD, 1).memory.stability == pytest.approx(7.3, abs=0.05)
    assert MODEL.after(memory, Grade.GOOD, 2).memory.stability == pytest.approx(10.96, abs=0.01)


@pytest.mark.parametrize("retention", [-1, 0, 0.69, 0.995, 1.5])
def test_a_retention_outside_the_range_is_told(retention: float) -> None:
    with pytest.raises(ValueError, match=r"between 0.70 and 0.99"):
        Model(DEFAULT_WEIGHTS, retention, 36500)


@pytest.mark.parametrize("retention", [0.70, 0.99])
def test_the_range_includes_its_ends(retention: float) -> None:
    assert Model(DEFAULT_WEIGHTS, retention, 36500).after(None, Grade.GOOD, 0).days >= 1


def test_weights_and_maximum_are_checked_at_once() -> None:
    with pytest.raises(ValueError, match="21 parameters"):
        Model(DEFAULT_WEIGHTS[:19], 0.9, 36500)
    with pytest.raises(ValueError, match="at least 1 day"):
        Model(DEFAULT_WEIGHTS, 0.9, 0)
