"""The demo `speed`: every way gives one result, ratios are those of the medians, and what cannot run is told."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest
import torch

from kernels import memory
from kernels.catalog import BadParams, demo, parse, refusals
from kernels.demos import speed, speed_ways
from kernels.demos.speed_ways import FLEX, Inputs
from kernels.entries.speed import lengths
from kernels.result import Refused
from kernels.run import run
from kernels.timing import Times
from tests.kernels.demos.tools import broken, copied, data

pytestmark = pytest.mark.skipif(
    torch.cuda.is_available(), reason="tells what a machine without a GPU leaves out"
)
SHORT = {"longest": "1024", "heads": 2, "d": 16}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rounds of each, and no more."""
    monkeypatch.setattr(speed, "BUDGET_S", 1e-9)


@pytest.fixture(params=[{}, {"causal": True, "d": 80}, {"dtype": "bf16", "heads": 1, "seed": 3}], ids=str)
def params(request: pytest.FixtureRequest) -> dict[str, object]:
    return SHORT | request.param


def test_ratios_and_work_follow_from_the_medians(params: dict[str, object]) -> None:
    result = run("speed", params)
    assert broken(result) == []
    assert [row["n"] for row in data(result, "ratios").rows] == [512, 1024]
    medians = {(row["n"], row["way"]): row["median"] for row in data(result, "times").rows}
    for row in data(result, "ratios").rows:
        assert row["sdpa"] == pytest.approx(medians[row["n"], "unfused"] / medians[row["n"], "SDPA"])
        assert row.keys() == {"n", "unfused", "sdpa"}  # no column of dashes for what did not run
    n = 1024
    pairs = n * (n + 1) // 2 if result.params["causal"] else n * n
    flop = 4 * pairs * int(result.params["heads"]) * int(result.params["d"])
    last = data(result, "times").rows[-1]
    assert last["tflops"] == pytest.approx(flop / last["median"] / 1e9)
    assert all(row.flops == flop for row in data(result, "timing").rows)
    assert {line.label for line in data(result, "by-length").ys} == {"unfused", "SDPA"}


def test_an_interpreter_is_never_timed() -> None:
    result = run("speed", SHORT)
    assert (
        "This Triton kernel was left out: without a GPU Triton only interprets it"
        in data(result, "left-out").text
    )
    assert not any("Triton" in row["way"] for row in data(result, "times").rows)


@pytest.mark.parametrize(("ms", "ratio"), [(9.0, "3"), (2.4, "0.8"), (4115.0, "1,372")])
def test_a_clock_is_told_and_not_checked(monkeypatch: pytest.MonkeyPatch, ms: float, ratio: str) -> None:
    fixed = {"unfused": Times(5, ms, ms, ms), "SDPA": Times(5, 3.0, 3.0, 6.0)}
    monkeypatch.setattr(speed, "race", lambda *_, **__: fixed)
    result = run("speed", SHORT)
    assert f"SDPA 3: {ratio} times as long" in data(result, "faster").text
    assert "trust the ratio" in result.block("by-length").look_for
    assert [block.id for block in result.blocks if block.type == "check"] == ["same-result"]


def test_each_way_is_called_once_before_it_is_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, called = speed_ways.sdpa, []

    def counting(at: Inputs) -> Callable[[], torch.Tensor]:
        way = plain(at)
        return lambda: called.append(at.n) or way()  # type: ignore[func-returns-value]

    monkeypatch.setattr(speed_ways, "sdpa", counting)
    run("speed", SHORT)
    assert called == [512] * 4 + [1024] * 4  # and three rounds


def test_a_way_that_runs_out_of_memory_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = speed_ways.unfused

    def small(at: Inputs) -> Callable[[], torch.Tensor] | str:
        def fails() -> torch.Tensor:
            raise torch.OutOfMemoryError

        return plain(at) if at.n < 1024 else fails

    monkeypatch.setattr(speed_ways, "unfused", small)
    result = run("speed", SHORT)
    assert (
        "Unfused was left out: at 1,024 tokens it does not fit into the memory"
        in data(result, "left-out").text
    )
    assert [row["sdpa"] is None for row in data(result, "ratios").rows] == [False, True]
    assert "faster" not in {block.id for block in result.blocks}
    assert [line.label for line in data(result, "by-length").ys] == ["SDPA"]
    assert broken(result) == []


def test_memory_that_is_not_free_leaves_unfused_attention_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda _: 2**24)
    told = data(run("speed", SHORT), "left-out").text
    assert (
        "Unfused was left out: at 1,024 tokens its two n x n matrices a head take 17 MB, and 17 MB are free."
        in told
    )


def test_a_wrong_way_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed_ways, "sdpa", lambda at: lambda: at.v)
    assert broken(run("speed", SHORT)) == ["same-result"]


def test_flex_needs_a_compiler_and_stands_beside_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed_ways, "flex", speed_ways.sdpa)
    if any(map(shutil.which, speed_ways.COMPILERS)):
        result = run("speed", SHORT | {"flex": True})
        assert all(row["flex"] > 0 for row in data(result, "ratios").rows)
        assert FLEX in {row["way"] for row in data(result, "times").rows}
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(Refused, match=r"no C\+\+ compiler; install g\+\+ there, or set flex=false\."):
        run("speed", SHORT | {"flex": True})


def test_the_code_times_the_same_attention(params: dict[str, object]) -> None:
    result = run("speed", params)
    names = copied(result)
    assert names["n"] == data(result, "times").rows[0]["n"]
    assert names["error"] < (0.05 if result.params["dtype"] == "bf16" else 1e-5)
    assert names["ratio"] > 0


def test_lengths_start_where_a_call_is_long_enough() -> None:
    assert lengths(4096, "cpu") == (512, 1024, 2048, 4096)
    assert lengths(4096, "cuda") == (1024, 2048, 4096)
    assert lengths(16384, "cuda") == (2048, 4096, 8192, 16384)


def test_what_a_cpu_would_take_long_for_is_told() -> None:
    entry = demo("speed")
    assert refusals(entry, parse(entry, {"longest": "4096"}), interpreter=True) == ()
    for too_much in (
        {"longest": "8192"},
        {"longest": "16384", "heads": 1, "d": 16},
        {"longest": "4096", "d": 65},
    ):
        (slow,) = refusals(entry, parse(entry, too_much), interpreter=True)
        assert slow.endswith("as much as with d=64; lower one of the three.")
    (half,) = refusals(entry, parse(entry, {"dtype": "fp16"}), interpreter=True)
    assert "use dtype=fp32 or bf16" in half
    assert refusals(entry, parse(entry, {"longest": "16384", "dtype": "fp16"}), interpreter=False) == ()
    with pytest.raises(BadParams, match="limit 2 GiB"):
        parse(entry, {"longest": "16384", "heads": 64, "d": 256})
