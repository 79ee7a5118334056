from datetime import date, timedelta

import pytest

from app.drill.words import ago_words, delete_all_words, delete_words, due_words

TODAY = date(2026, 11, 29)


@pytest.mark.parametrize(
    ("days", "due", "ago"),
    [
        (0, "due", "today"),
        (1, "tomorrow", "yesterday"),
        (9, "in 9 days", "9 days ago"),
    ],
)
def test_near_days_are_counted(days: int, due: str, ago: str) -> None:
    assert due_words(TODAY + timedelta(days), TODAY) == due
    assert ago_words(TODAY - timedelta(days), TODAY) == ago


def test_far_days_are_dates() -> None:
    assert due_words(date(2027, 3, 3), TODAY) == "on 3 March 2027"
    assert ago_words(date(2025, 3, 3), TODAY) == "on 3 March 2025"


def test_what_was_never_said_is_new_and_what_is_overdue_is_due() -> None:
    assert due_words(None, TODAY) == "new"
    assert due_words(TODAY - timedelta(5), TODAY) == "due"


def test_who_deletes_all_sound_is_told_of_the_takes_that_go_with_it() -> None:
    assert delete_all_words(0).endswith("your ratings stay.")
    assert delete_all_words(1).endswith("stay, but the take that was never rated will be listed no more.")
    assert delete_all_words(6).endswith("stay, but the 6 takes that were never rated will be listed no more.")
    assert "nothing else is lost" in delete_words(rated=False)
    assert "your rating stay" in delete_words(rated=True)
