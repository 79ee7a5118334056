"""Times are quantiles of calls that were warmed up, taken in turn where they are compared."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from kernels import timing
from kernels.timing import Times, measure, race, summary


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """time.perf_counter, moved by hand."""
    now = itertools.count()
    state = {"at": float(next(now))}
    monkeypatch.setattr(timing.time, "perf_counter", lambda: state["at"])

    def advance(seconds: float) -> None:
        state["at"] += seconds

    return advance


def test_the_first_call_is_not_counted(clock: Callable[[float], None]) -> None:
    durations = iter([60.0, *[0.001] * 100])
    times = measure(lambda: clock(next(durations)), "cpu")
    assert times == Times(50, *[pytest.approx(1.0)] * 3)
    assert not times.wide


def test_calls_are_taken_in_turn_so_that_a_slow_spell_meets_them_all(clock: Callable[[float], None]) -> None:
    order: list[str] = []

    def way(label: str, seconds: float) -> Callable[[], None]:
        def call() -> None:
            order.append(label)
            clock(seconds * (10 if 6 < len(order) <= 10 else 1))

        return call

    times = race({"a": way("a", 0.004), "b": way("b", 0.001)}, "cpu", least=5, most=5)
    assert order == ["a", "b"] * 6
    assert times["a"].wide
    assert times["a"].median / times["b"].median == pytest.approx(4)


def test_a_budget_ends_it_but_never_before_the_least(clock: Callable[[float], None]) -> None:
    assert measure(lambda: clock(3.0), "cpu", budget_s=2.0, least=4).n == 4
    assert measure(lambda: clock(0.5), "cpu", budget_s=2.9, least=4).n == 6


def test_how_far_it_is_is_told_after_every_round(clock: Callable[[float], None]) -> None:
    told: list[float] = []
    measure(lambda: clock(3.0), "cpu", budget_s=2.0, least=4, each=told.append)
    measure(lambda: clock(1.0), "cpu", budget_s=3.9, least=1, each=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0, *(pytest.approx(n / 3.9) for n in (1, 2, 3)), 1.0]


def test_warm_calls_are_not_called_once_more(clock: Callable[[float], None]) -> None:
    called: list[int] = []
    race({"": lambda: called.append(1)}, "cpu", least=3, most=3, warm=True)
    assert len(called) == 3


def test_one_slow_call_does_not_move_the_median() -> None:
    times = summary([1.0] * 9 + [100.0])
    assert (times.n, times.median, times.p10) == (10, 1.0, 1.0)
    assert times.p90 > times.median
