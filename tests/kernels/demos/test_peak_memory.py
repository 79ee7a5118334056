"""The demo `memory`: two n x n matrices, calculated exactly and found again in what is measured."""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context

import pytest

from kernels import memory
from kernels.catalog import BadParams, demo, parse
from kernels.entries.memory import HELD_LIMIT, held_bytes, score_bytes
from kernels.params import Value
from kernels.result import Refused, Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data

MEASURED = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
SMALL = (
    {"longest": "2048"},
    {"longest": "2048", "dtype": "bf16", "heads": 3, "d": 16},
    {"longest": "2048", "d": 256, "seed": 5},
)


@cache
def once(**params: Value) -> Result:
    """A run that several tests look at, in a process that has done nothing else, as a worker's child is one."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(run, "memory", params).result()


def test_two_matrices_of_float32_are_the_published_bytes() -> None:
    assert [score_bytes(n, 1, "fp32") for n in (4096, 8192, 16384)] == [
        134_217_728,
        536_870_912,
        2_147_483_648,
    ]
    rows = data(once(longest="4096"), "peaks").rows
    assert [row["predicted"] for row in rows] == [8_388_608, 33_554_432, 134_217_728]


@MEASURED
@pytest.mark.parametrize("params", SMALL, ids=str)
def test_they_are_found_in_what_is_measured_and_fused_they_are_not(params: dict[str, Value]) -> None:
    result = once(**params)
    assert broken(result) == []
    last = data(result, "peaks").rows[-1]
    assert last["unfused_mb"] == pytest.approx(last["predicted_mb"], rel=0.1, abs=17)
    assert [bar.n / 1e6 for bar in data(result, "longest").rows] == [
        last["predicted_mb"],
        last["unfused_mb"],
        last["fused_mb"],
    ]


@MEASURED
def test_one_head_of_4096_tokens_is_fused_in_a_few_megabytes() -> None:
    last = data(once(longest="4096"), "peaks").rows[-1]
    assert last["fused_mb"] < 0.2 * last["unfused_mb"]


def test_where_nothing_can_be_measured_the_matrices_are_still_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "peak", lambda call, device: None)
    result = run("memory", {"longest": "2048"})
    assert "34 MB at 2,048 tokens." in data(result, "unmeasured").text
    assert data(result, "peaks").rows[-1]["unfused_mb"] is None
    assert not {"growth", "longest", "unfused-peak", "fused-peak"} & {block.id for block in result.blocks}


def test_the_theorem_is_applied_where_it_holds() -> None:
    rows = data(run("memory", {"longest": "2048", "d": 64, "sram": 51_200}), "moved").rows
    assert [row["theorem"] is None for row in rows] == [True, False, False]
    assert rows[-1]["theorem"] == 2048**2 * 64**2 / 51_200


@pytest.mark.parametrize("d", [16, 64, 256])
def test_fusing_never_moves_more(d: int) -> None:
    rows = data(run("memory", {"longest": "2048", "d": d}), "moved").rows
    assert rows[-1]["ratio"] == pytest.approx(d / 256, rel=0.15)
    for row in rows:
        assert row["fused"] == 2 * row["n"] * d * (1 + row["n"] / 128) < row["unfused"]


def test_each_head_has_two_matrices_of_its_own() -> None:
    result = run("memory", {"longest": "2048", "heads": 3})
    assert data(result, "peaks").cols[1].label == "Two n x n matrices for each head"
    assert data(result, "peaks").rows[-1]["predicted"] == 6 * 2048**2 * 4
    if "longest" in {block.id for block in result.blocks}:
        assert data(result, "longest").rows[0].label == "6 n x n matrices, calculated"


@pytest.mark.parametrize("params", SMALL, ids=str)
def test_the_code_weighs_the_same_matrices(params: dict[str, Value]) -> None:
    result = once(**params)
    assert copied(result)["held"] == data(result, "peaks").rows[0]["predicted"]


def test_what_does_not_fit_is_told_before_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = demo("memory")
    assert held_bytes(parse(entry, {"longest": "16384"})) <= HELD_LIMIT
    with pytest.raises(
        BadParams, match=r"would hold 4\.\d+ GiB \(limit 2\.25 GiB\); lower longest or heads\."
    ):
        parse(entry, {"longest": "16384", "heads": 2, "d": 16})
    with pytest.raises(BadParams, match="more than 17 billion multiply-adds"):
        parse(entry, {"longest": "16384", "d": 128, "dtype": "bf16"})
    monkeypatch.setattr(memory, "available", lambda _: 2**27)
    with pytest.raises(Refused, match="are free"):
        run("memory", {})
