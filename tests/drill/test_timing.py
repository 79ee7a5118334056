"""The clock's rules, and that the browser's copy of them says the same."""

import pytest

from app.drill.timing import Face, clock_text, face_at, planned_words, stage_at


@pytest.mark.parametrize(
    ("elapsed_ms", "stage"),
    [
        (0, "start"),
        (59_999, "start"),
        (60_000, "green"),
        (74_999, "green"),
        (75_000, "yellow"),
        (89_999, "yellow"),
        (90_000, "red"),
        (3_600_000, "red"),
    ],
)
def test_stages_change_at_two_thirds_five_sixths_and_the_end(elapsed_ms: int, stage: str) -> None:
    assert stage_at(elapsed_ms, 90) == stage


def test_a_stage_is_never_late_where_the_time_has_no_whole_thirds() -> None:
    # 2/3 of 100 s is 66,666.67 ms: yellow and green must not wait for the next whole second.
    assert [stage_at(ms, 100) for ms in (66_666, 66_667, 83_333, 83_334)] == [
        "start",
        "green",
        "green",
        "yellow",
    ]


def test_overtime_counts_on_and_says_how_much_it_is() -> None:
    assert face_at(90_000, 90) == Face("red", "1:30", "time is up", 100)
    assert face_at(90_999, 90) == Face("red", "1:30", "time is up", 100)
    assert face_at(95_000, 90) == Face("red", "1:35", "over by 0:05", 100)
    assert face_at(3_690_000, 90) == Face("red", "61:30", "over by 60:00", 100)


def test_each_stage_has_words_of_its_own() -> None:
    assert len({face_at(s * 1000, 90).word for s in (0, 60, 75, 90)}) == 4


@pytest.mark.parametrize(
    ("ms", "text"), [(-1, "0:00"), (0, "0:00"), (999, "0:00"), (59_999, "0:59"), (60_000, "1:00")]
)
def test_the_clock_shows_whole_seconds_that_have_passed(ms: int, text: str) -> None:
    assert clock_text(ms) == text


def test_planned_time_is_said_in_seconds_or_minutes() -> None:
    assert [planned_words(s) for s in (30, 90, 120, 150, 600)] == [
        "30 seconds",
        "90 seconds",
        "2 minutes",
        "150 seconds",
        "10 minutes",
    ]
