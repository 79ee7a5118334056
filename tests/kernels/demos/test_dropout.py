"""The demo `dropout`: rows that do not sum to 1, a mean that does, and SDPA that does not know eval()."""

from __future__ import annotations

import math

import pytest
import torch

from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


@pytest.mark.parametrize("seed", range(4))
def test_half_of_the_weights_gone_no_row_sums_to_one_but_the_mean_does(seed: int) -> None:
    rows = data(run("dropout", {"seed": seed}), "rows").rows
    assert len(rows) == 4
    assert max(abs(row["sum"] - 1) for row in rows) > 0.1
    for row in rows:
        assert row["mean"] == pytest.approx(1, abs=6 * row["formula"] / math.sqrt(1000))
        assert row["spread"] == pytest.approx(row["formula"], rel=0.1)


def test_a_row_with_one_key_is_lost_or_doubled() -> None:
    sums = {data(run("dropout", {"causal": True, "seed": seed}), "rows").rows[0]["sum"] for seed in range(8)}
    assert sums == {0.0, 2.0}


def test_only_the_guarded_call_knows_eval() -> None:
    always_train, always_eval, guarded_train, guarded_eval = data(run("dropout", {"p": 0.1}), "calls").rows
    assert min(row["differ"] for row in (always_train, always_eval, guarded_train)) > 0.01
    assert guarded_eval["differ"] == 0
    assert (always_eval["mode"], guarded_eval["mode"]) == ("eval()", "eval()")


def test_each_weight_is_dropped_or_grown() -> None:
    softmax, mean, draw = (
        torch.tensor(s.values) for s in data(run("dropout", {"p": 0.25}), "weights").stages
    )
    kept = draw > 0
    torch.testing.assert_close(draw[kept], softmax[kept] / 0.75, atol=1e-5, rtol=0)
    assert 0 < int(kept.sum()) < softmax.numel()
    torch.testing.assert_close(mean, softmax, atol=0.06, rtol=0)


def test_noise_falls_with_the_root_of_the_keys() -> None:
    measured, formula = data(run("dropout", {"draws": 2000}), "noise-by-keys").ys
    assert measured.y == pytest.approx(formula.y, rel=0.1)
    assert formula.y[0] / formula.y[2] == pytest.approx(2)


def test_the_global_generator_is_left_as_it_was() -> None:
    before = torch.random.get_rng_state()
    run("dropout", {})
    assert torch.equal(before, torch.random.get_rng_state())


def test_checks_hold_and_sentences_are_true_of_random_parameters() -> None:
    for result in sampled("dropout", 12):
        assert broken(result) == []
        weights = data(result, "weights")
        left = sum(x > 0 for row in weights.stages[2].values for x in row)
        whole = sum(x > 0 for row in weights.stages[0].values for x in row)
        assert f"left {left} of {whole} weights" in result.block("weights").look_for
        assert weights.row_sum == pytest.approx([row["sum"] for row in data(result, "rows").rows], abs=1e-5)
        noise = data(result, "noise-by-keys").ys[0].y
        assert min(noise) > 0
        assert (
            f"From {noise[0]:.2g} with one key to {noise[-1]:.2g} with 256"
            in result.block("noise-by-keys").look_for
        )


@pytest.mark.parametrize("params", [{}, {"causal": True, "n": 6, "p": 0.3, "seed": 8, "draws": 250}])
def test_the_code_drops_the_same_weights(params: dict[str, object]) -> None:
    result = run("dropout", params)
    with torch.random.fork_rng(devices=()):
        names = copied(result)
    rows = data(result, "rows").rows
    assert names["sums"][0].tolist() == pytest.approx([row["sum"] for row in rows], abs=1e-5)
    assert names["sums"].double().mean(0).tolist() == pytest.approx([row["mean"] for row in rows], abs=1e-5)
    assert not torch.equal(names["a"], names["b"])
