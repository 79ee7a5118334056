"""The demo `rank`: logits of rank d_k, weights well above it, whatever the seed."""

from __future__ import annotations

import re

import pytest
import torch

from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


@pytest.mark.parametrize("seed", range(4))
def test_forty_tokens_with_heads_of_eight(seed: int) -> None:
    result = run("rank", {"seed": seed})
    fp64, fp32, *_ = data(result, "ranks").rows
    assert [row["dtype"] for row in data(result, "ranks").rows] == ["fp64", "fp32", "fp16", "bf16"]
    for row in (fp64, fp32):
        assert (row["logits"], row["output"]) == (8, 8)
        assert row["weights"] >= 25
    logits, weights = data(result, "singular-values").ys
    assert logits.y[7] > 0.05 > 1e-13 > logits.y[8]
    assert weights.y[8] > 0.05


def test_tolerance_and_data_type_decide_what_counts() -> None:
    result = run("rank", {})
    counts = [row["weights"] for row in data(result, "by-tolerance").rows]
    assert counts == sorted(counts)
    assert counts[0] < 20 < 36 < counts[-1]
    ranks = [row["weights"] for row in data(result, "ranks").rows]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[-1] < ranks[0]


@pytest.mark.parametrize("params", [{"n": 128}, {"n": 128, "causal": True, "d_k": 4}])
def test_weights_whose_rows_sum_to_1_have_a_rank_of_1_at_least_in_every_type(
    params: dict[str, object],
) -> None:
    for row in data(run("rank", params), "ranks").rows:
        assert min(row["logits"], row["weights"], row["output"]) >= 1
        assert row["tolerance"] <= 0.5


def test_without_the_root_the_weights_spread_further() -> None:
    kept = [data(run("rank", {"scale": scale}), "ranks").rows[0]["kept"] for scale in ("sqrt", "none")]
    assert kept[0] > kept[1]


def test_checks_hold_and_sentences_are_true_of_random_parameters() -> None:
    seen = set()
    for result in sampled("rank", 20):
        assert broken(result) == []
        seen |= {block.id for block in result.blocks}
        _sentences_are_true(result)
    assert {"weights-rank", "triangular"} <= seen


def _sentences_are_true(result: Result) -> None:
    n, limit, above = map(int, re.findall(r"\d+", result.block("singular-values").look_for))
    rows = data(result, "ranks").rows
    assert n == result.params["n"]
    assert rows[0]["logits"] <= limit == min(n, result.params["d_model"], result.params["d_k"])
    assert above == rows[0]["weights"]
    some, many = re.findall(r"(\d+) above", result.block("by-tolerance").look_for)
    steps = data(result, "by-tolerance").rows
    assert (int(some), int(many)) == (steps[0]["weights"], steps[-1]["weights"])
    assert max(row["logits"] for row in steps) <= limit
    first, last = re.findall(r"(\d+) in (?:fp64|bf16)", result.block("ranks").look_for)
    assert (int(first), int(last)) == (rows[0]["weights"], rows[-1]["weights"])
    for line in data(result, "singular-values").ys:
        assert list(line.y) == sorted(line.y, reverse=True)
        assert line.y[0] == 1
        assert line.y[-1] > 0  # else the axis could not be logarithmic


@pytest.mark.parametrize(
    "params", [{}, {"causal": True, "seed": 2}, {"scale": "none", "n": 17, "d_k": 3, "d_model": 9, "seed": 5}]
)
def test_the_code_finds_the_same_ranks(params: dict[str, object]) -> None:
    result = run("rank", params)
    names = copied(result)
    row = data(result, "ranks").rows[0]
    assert names["ranks"] == [row["logits"], row["weights"], row["output"]]
    singular = torch.linalg.svdvals(names["weights"])
    assert (singular / singular[0]).tolist() == pytest.approx(
        data(result, "singular-values").ys[1].y, abs=1e-12
    )
