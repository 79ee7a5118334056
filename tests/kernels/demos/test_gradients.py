"""The demo `gradients`: the backward pass by hand, and exact zeros to the future."""

from __future__ import annotations

import pytest
import torch

from kernels.backward import backward
from kernels.catalog import BadParams, demo, parse
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


@pytest.mark.parametrize("seed", range(3))
def test_ten_tokens_of_eight_match_autograd(seed: int) -> None:
    result = run("gradients", {"n": 10, "d_k": 8, "seed": seed})
    assert broken(result) == []
    assert [row["gradient"] for row in data(result, "match").rows] == ["dQ", "dK", "dV", "dX"]
    for row in data(result, "match").rows:
        assert row["error"] < 1e-13 < 0.1 < row["norm"]


@pytest.mark.parametrize("seed", range(3))
def test_output_2_of_6_has_no_gradient_to_the_three_after_it(seed: int) -> None:
    result = run("gradients", {"n": 6, "token": 2, "seed": seed})
    for line in data(result, "by-token").ys:
        assert line.y[3:] == (0, 0, 0)
        assert min(line.y[:3]) > 0
    assert data(result, "future").got == 0
    open_ = run("gradients", {"n": 6, "token": 2, "seed": seed, "causal": False})
    assert min(data(open_, "by-token").ys[0].y) > 0
    assert data(open_, "future").got > 0


def test_the_matrices_are_those_of_the_formula() -> None:
    result = run("gradients", {"n": 5, "seed": 4})
    p, dp, less, ds = (torch.tensor(s.values, dtype=torch.float64) for s in data(result, "backward").stages)
    d = (p * dp).sum(-1, keepdim=True)
    torch.testing.assert_close(less, dp - d, atol=1e-4, rtol=0)
    torch.testing.assert_close(ds, p * (dp - d), atol=1e-4, rtol=0)
    torch.testing.assert_close(d[:, 0], torch.tensor([row["output"] for row in data(result, "delta").rows],
                                                     dtype=torch.float64), atol=1e-4, rtol=0)  # fmt: skip
    assert ds.triu(1).abs().max() == 0


def test_backward_takes_batches_and_other_lengths() -> None:
    g = torch.Generator().manual_seed(0)
    q, k, v, d_out = (torch.randn(2, 3, n, 4, generator=g, dtype=torch.float64) for n in (5, 7, 7, 5))
    for x in (q, k, v):
        x.requires_grad_()
    weights = (q @ k.mT * 0.5).softmax(-1)
    out = weights @ v
    found = torch.autograd.grad(out, (q, k, v), d_out)
    by_hand = backward(q.detach(), k.detach(), v.detach(), weights.detach(), out.detach(), d_out, 0.5)
    for mine, wanted in zip((by_hand.dq, by_hand.dk, by_hand.dv), found, strict=True):
        torch.testing.assert_close(mine, wanted)


def test_checks_hold_for_random_parameters() -> None:
    lengths = set()
    for result in sampled("gradients", 15):
        assert broken(result) == []
        lengths.add(result.params["n"])
        causal = bool(result.params["causal"])
        assert ("above the diagonal" in result.block("reach").look_for) is causal
        norms = data(result, "by-token").ys[0].y
        assert result.block("by-token").look_for.startswith(f"Token {norms.index(max(norms))} has the most.")
        assert ("future" in {b.id for b in result.blocks}) is (result.params["n"] > 1)
    assert {1, 32} <= lengths


@pytest.mark.parametrize(
    "params", [{}, {"causal": False, "n": 9, "d_k": 5, "token": 8, "seed": 6}, {"n": 1, "token": 0}]
)
def test_the_code_gives_the_same_gradients(params: dict[str, int]) -> None:
    result = run("gradients", params)
    names = copied(result)
    assert max(names["error"]) < 1e-12
    assert names["reach"][int(result.params["token"])].tolist() == pytest.approx(
        data(result, "by-token").ys[0].y
    )
    ds = torch.tensor(data(result, "backward").stages[3].values, dtype=torch.float64)
    torch.testing.assert_close(names["dS"].detach(), ds, atol=1e-4, rtol=0)


def test_an_output_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadParams, match="it must be at most 3"):
        parse(demo("gradients"), {"n": 4, "token": 4})
