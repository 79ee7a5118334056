"""The code that the deck attention/flash teaches, run from the cards' own text and held against float64."""

import math

import pytest
import torch

from tests.content.taught import taught


def drawn(n_q: int, n_kv: int, d_k: int, d_v: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Random q, k and v in float64."""
    g = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(*shape, generator=g).double() for shape in ((n_q, d_k), (n_kv, d_k), (n_kv, d_v)))
    return q, k, v


def whole(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention over whole rows, and each row's log-sum-exp."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    return scores.softmax(dim=-1) @ v, scores.logsumexp(dim=-1)


@pytest.mark.parametrize("tile", [1, 7, 64, 257, 1000])
@pytest.mark.parametrize("shape", [(5, 257, 16, 16), (128, 128, 64, 32), (1, 1, 8, 8)])
def test_the_online_softmax_of_any_tile_is_that_of_the_whole_row(shape: tuple[int, ...], tile: int) -> None:
    q, k, v = drawn(*shape)
    got = taught("online-softmax-code")["online_attention"](q, k, v, tile)
    torch.testing.assert_close(got, whole(q, k, v)[0], rtol=0, atol=1e-12)


def test_the_online_softmax_stands_scores_that_no_exponential_holds() -> None:
    q, k, v = drawn(3, 96, 4, 4)
    got = taught("online-softmax-code")["online_attention"](q.float() * 300, k.float() * 300, v.float(), 16)
    assert (q.float() * 300 @ (k.float() * 300).mT / 2).max() > 1000
    torch.testing.assert_close(got.double(), whole(q * 300, k * 300, v)[0], rtol=0, atol=0.01)


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_merged_parts_are_one_pass_over_all_keys(parts: int) -> None:
    q, k, v = drawn(6, 70, 16, 8)
    cut = [whole(q, *pair) for pair in zip(k.tensor_split(parts), v.tensor_split(parts), strict=True)]
    out, lse = taught("split-kv-code")["merge"](*map(torch.stack, zip(*cut, strict=True)))
    expected_out, expected_lse = whole(q, k, v)
    torch.testing.assert_close(out, expected_out, rtol=0, atol=1e-13)
    torch.testing.assert_close(lse, expected_lse, rtol=0, atol=1e-13)


def test_parts_of_parts_can_be_merged_and_large_log_sum_exps_do_not_overflow() -> None:
    merge = taught("split-kv-code")["merge"]
    outs, lses = (
        drawn(4, 4, 24, 1)[0].view(4, 3, 8).float(),
        torch.tensor([100.0, 200.0, 150.0, 199.0])[:, None].expand(4, 3),
    )
    halves = [merge(outs[:2], lses[:2]), merge(outs[2:], lses[2:])]
    nested = merge(*map(torch.stack, zip(*halves, strict=True)))
    for got, expected in zip(nested, merge(outs, lses), strict=True):
        torch.testing.assert_close(got, expected)
        assert got.isfinite().all()
