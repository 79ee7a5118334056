"""The choice of a setting, without a GPU: times are given, and so are the failures."""

from __future__ import annotations

import threading

import pytest
import torch

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from triton.runtime.errors import OutOfResources

from kernels.result import Refused
from kernels.tuning import Chip, Config, Problem, Tried, candidates, config, fastest

A, B, C = (Config(64, bn, 4, 2) for bn in (16, 32, 64))
HOPPER, AMPERE, SMALL = Chip(90, 232_448), Chip(80, 166_912), Chip(120, 101_376)


def too_much() -> OutOfResources:
    return OutOfResources(300_000, 232_448, "shared memory")


def given(times: dict[Config, float | None]):
    """A clock that tells these times, None standing for a setting that does not fit the chip."""

    def time(setting: Config) -> float:
        if (ms := times[setting]) is None:
            raise too_much()
        return ms

    return time


def no_build(_: Config) -> None:
    pass


def test_the_fastest_wins_and_all_that_were_tried_are_told() -> None:
    choice = fastest((A, B, C), build=no_build, time=given({A: 2.0, B: 0.5, C: 1.0}))
    assert choice.setting == B
    assert choice.tried == (Tried(A, 2.0), Tried(B, 0.5), Tried(C, 1.0))


def test_the_first_of_equals_wins() -> None:
    assert fastest((C, A, B), build=no_build, time=given({A: 1.0, B: 1.0, C: 1.0})).setting == C


def test_what_does_not_fit_is_passed_over_with_its_reason() -> None:
    choice = fastest((A, B), build=no_build, time=given({A: None, B: 3.0}))
    assert choice.setting == B
    assert choice.tried[0].ms is None
    assert "shared memory" in choice.tried[0].why


def test_what_cannot_be_built_is_never_timed() -> None:
    timed: list[Config] = []

    def build(setting: Config) -> None:
        if setting == A:
            raise too_much()

    def time(setting: Config) -> float:
        timed.append(setting)
        return 1.0

    assert fastest((A, B), build=build, time=time).setting == B
    assert timed == [B]


def test_where_nothing_runs_the_learner_is_told_why() -> None:
    with pytest.raises(
        Refused, match=r"None of the kernel's 2 settings .* runs on this GPU\. .*shared memory"
    ):
        fastest((A, B), build=no_build, time=given({A: None, B: None}))
    with pytest.raises(Refused, match="None of the kernel's 0 settings"):
        fastest((), build=no_build, time=given({}))


def test_other_errors_are_not_taken_for_a_bad_setting() -> None:
    def time(_: Config) -> float:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    with pytest.raises(RuntimeError, match="illegal memory access"):
        fastest((A,), build=no_build, time=time)


def test_all_are_built_before_one_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    together = threading.Barrier(3)  # passed only if three builds are under way at once
    built: list[Config] = []

    def build(setting: Config) -> None:
        together.wait(timeout=30)
        built.append(setting)

    def time(setting: Config) -> float:
        assert len(built) == 3
        return 1.0

    fastest((A, B, C), build=build, time=time)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("chip", [HOPPER, AMPERE, SMALL], ids=["sm_90", "sm_80", "sm_120"])
@pytest.mark.parametrize("d", [16, 59, 64, 80, 128, 129, 256])
def test_there_are_one_to_twelve_candidates_the_first_being_the_fixed_one(
    d: int, chip: Chip, dtype: torch.dtype
) -> None:
    found = candidates(Problem(d, dtype, True, False, describable=True), chip)
    assert 1 <= len(found) <= 12
    assert len(set(found)) == len(found)
    assert found[0] == config(d, dtype)


def test_tma_is_tried_where_the_chip_has_it_and_memory_allows_it() -> None:
    def by_tma(chip: Chip, describable: bool) -> set[bool]:
        problem = Problem(128, torch.bfloat16, True, False, describable)
        return {setting.tma for setting in candidates(problem, chip)}

    assert by_tma(HOPPER, True) == {True, False}
    assert by_tma(HOPPER, False) == by_tma(AMPERE, True) == {False}


def test_what_cannot_fit_the_shared_memory_is_not_tried() -> None:
    problem = Problem(128, torch.bfloat16, True, False, describable=True)
    wide = {setting for setting in candidates(problem, HOPPER) if setting.bn == 128 and setting.stages == 3}
    assert wide
    assert not wide & set(candidates(problem, SMALL))
