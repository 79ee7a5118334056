"""The figures against slow, straightforward counts."""

import math
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.progress import stats
from app.progress.stats import Day, Group, Share, Standing

TODAY = date(2026, 11, 29)
offsets = st.integers(-400, 40)


def day(offset: int, answers: int = 1) -> Day:
    return Day(TODAY + timedelta(days=offset), answers, 0, 10.0)


@pytest.mark.parametrize(
    ("kept", "of", "low", "high"), [(0, 10, 0.0, 0.2775), (81, 263, 0.2553, 0.3662), (10, 10, 0.7225, 1.0)]
)
def test_wilsons_interval_has_the_published_values(kept: int, of: int, low: float, high: float) -> None:
    """Newcombe 1998, table I: 81 of 263 gives 0.2553 to 0.3662; 0 of 10 and 10 of 10 stay within 0 and 1."""
    assert Share(kept, of).interval == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


@given(of=st.integers(1, 10_000), part=st.floats(0, 1))
def test_an_interval_holds_the_rate_and_narrows_with_more_answers(of: int, part: float) -> None:
    kept = math.floor(of * part)
    (low, high), (closer, below) = Share(kept, of).interval or (), Share(4 * kept, 4 * of).interval or ()
    assert 0 <= low <= kept / of + 1e-12
    assert kept / of - 1e-12 <= high <= 1
    assert below - closer < high - low


def test_of_nothing_there_is_no_rate() -> None:
    assert Share().interval is None


@given(st.sets(offsets))
def test_days_in_a_row(found: set[int]) -> None:
    slow = 0
    start = 0 if 0 in found else -1
    while start - slow in found:
        slow += 1
    assert stats.in_a_row([day(at) for at in found], TODAY) == slow


@given(st.lists(st.integers(1, 500), min_size=1, max_size=60))
def test_every_day_with_an_answer_has_a_shade_and_more_answers_no_lighter_one(answers: list[int]) -> None:
    cuts = stats.shades([day(-at, count) for at, count in enumerate(answers)])
    ranked = [stats.shade(count, cuts) for count in sorted(answers)]
    assert ranked == sorted(ranked)
    assert ranked[0] == 1
    assert ranked[-1] <= stats.SHADES
    assert stats.shade(0, cuts) == 0
    assert list(cuts) == sorted(set(cuts))
    assert all(cut > 1 for cut in cuts)


@given(st.dictionaries(offsets, st.tuples(st.integers(0, 99), st.integers(0, 9))))
def test_the_forecast_has_every_card_up_to_its_end_once_and_the_overdue_today(
    due: dict[int, tuple[int, int]],
) -> None:
    found = stats.forecast({TODAY + timedelta(days=at): counts for at, counts in due.items()}, TODAY, 30)
    assert [one.day for one in found] == [TODAY + timedelta(days=at) for at in range(30)]
    for one in found[1:]:
        assert (one.read, one.spoken) == due.get((one.day - TODAY).days, (0, 0))
    assert found[0].read == sum(read for at, (read, _) in due.items() if at <= 0)
    assert found[0].spoken == sum(spoken for at, (_, spoken) in due.items() if at <= 0)


standings = st.builds(
    Standing,
    *[st.integers(0, 50)] * 5,
    st.builds(Share, st.integers(0, 5), st.integers(5, 9)),
)


@given(st.lists(st.builds(Group, st.sampled_from("abc"), st.sampled_from(["IC4", "IC5"]), standings)))
def test_decks_and_levels_each_sum_up_to_all(groups: list[Group]) -> None:
    whole = sum((group.standing for group in groups), Standing())
    for sums in (stats.by_deck(groups), stats.by_level(groups)):
        assert sum(sums.values(), Standing()) == whole
    assert all(one.young == one.seen - one.mature for one in stats.by_deck(groups).values())
