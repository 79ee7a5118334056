"""What the cards of numerics teach as code: a softmax without overflow or 0/0, and a tolerance that is fair."""

import math

import pytest
import torch
from torch.nn import functional as F

from tests.content.taught import taught


def draw(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.parametrize("shift", [0.0, 1000.0, -1000.0])
def test_the_taught_softmax_is_torch_s_at_any_shift(shift: float) -> None:
    scores = draw(4, 7) * 5 + shift
    wanted = scores.double().softmax(-1)
    found = taught("stable-softmax")["stable_softmax"](scores)
    torch.testing.assert_close(found.double(), wanted, rtol=0, atol=1e-6)


def test_the_taught_softmax_gives_zeros_to_a_row_that_sees_nothing() -> None:
    scores = torch.tensor([[0.0, -math.inf, 1.0], [-math.inf] * 3])
    found = taught("stable-softmax")["stable_softmax"](scores)
    torch.testing.assert_close(found[0], scores[0].softmax(-1))
    assert found[1].tolist() == [0, 0, 0]


def test_one_maximum_for_the_whole_tensor_loses_rows_far_below_it() -> None:
    """A wrong answer that the card warns of."""
    scores = torch.tensor([[0.0, 1.0], [1000.0, 1001.0]])
    lifted = (scores - scores.max()).exp()
    assert (lifted / lifted.sum(-1, keepdim=True))[0].isnan().all()
    assert taught("stable-softmax")["stable_softmax"](scores)[0].tolist() == pytest.approx(
        [0.2689, 0.7311], abs=1e-4
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_the_taught_tolerance_passes_sdpa_and_catches_a_wrong_mask(dtype: torch.dtype) -> None:
    within_twice = taught("which-tolerance")["within_twice"]
    q, k, v = (draw(1, 1, 256, 64, seed=seed, dtype=dtype) for seed in range(3))
    plain = (q @ k.mT / math.sqrt(64)).softmax(-1) @ v
    exact = (q.double() @ k.double().mT / math.sqrt(64)).softmax(-1) @ v.double()
    fused = F.scaled_dot_product_attention(q, k, v)
    assert within_twice(fused, plain, exact)
    assert not within_twice(F.scaled_dot_product_attention(q, k, v, is_causal=True), plain, exact)
    assert not within_twice(F.scaled_dot_product_attention(q, k, v, scale=1 / 7), plain, exact)


def test_scores_rounded_to_bf16_are_lost_before_the_softmax() -> None:
    """What the card bf16-scores says of 1000, 1001, 1002."""
    scores = torch.tensor([1000.0, 1001.0, 1002.0])
    assert scores.bfloat16().float().tolist() == [1000.0] * 3
    found = taught("stable-softmax")["stable_softmax"](scores)
    assert found.tolist() == pytest.approx([0.0900, 0.2447, 0.6652], abs=1e-4)
