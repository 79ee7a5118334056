"""The code on the cards of the pitfalls: the leak test finds leaks and nothing else, and the loss is shifted."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tests.content.taught import taught

VOCAB = 11
N = 6


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


TOKENS = torch.tensor([[1, 4, 2, 9, 0, 7], [3, 3, 8, 1, 10, 5]])
LATER = torch.ones(N, N, dtype=torch.bool).triu(1)

Weights = Callable[[torch.Tensor], torch.Tensor]


def model(weights: Weights) -> Callable[[torch.Tensor], torch.Tensor]:
    """Embedding, one head whose weights `weights` makes of the scores, and the logits."""
    embed, head = drawn(VOCAB, 8, seed=1), drawn(8, VOCAB, seed=2)

    def forward(tokens: torch.Tensor) -> torch.Tensor:
        x = embed[tokens]
        return weights(x @ x.mT / math.sqrt(8)) @ x @ head

    return forward


def hidden_by(fill: float, hide: torch.Tensor = LATER) -> Weights:
    return lambda scores: scores.masked_fill(hide, fill).softmax(dim=-1)


AT_ONE_BORDER = LATER.clone()
AT_ONE_BORDER[1, 2] = False

LEAKS: dict[str, Weights] = {
    "no mask": lambda scores: scores.softmax(dim=-1),
    "fill 0": hidden_by(0),
    "fill -10": hidden_by(-10),
    "after the softmax": lambda scores: scores.softmax(dim=-1).masked_fill(LATER, 0),
    "over the queries": lambda scores: scores.masked_fill(LATER, -torch.inf).softmax(dim=-2),
    "triu(2)": hidden_by(-torch.inf, LATER.triu(2)),
    "at one border": hidden_by(-torch.inf, AT_ONE_BORDER),
}


def test_the_leak_test_passes_a_causal_model() -> None:
    leak = taught("causality-test-code")["future_leak"](model(hidden_by(-torch.inf)), TOKENS, VOCAB)
    assert leak < 1e-12


@pytest.mark.parametrize("weights", LEAKS.values(), ids=LEAKS)
def test_the_leak_test_finds_a_leak(weights: Weights) -> None:
    assert taught("causality-test-code")["future_leak"](model(weights), TOKENS, VOCAB) > 1e-9


def test_the_leak_test_does_not_pass_a_model_that_makes_nan() -> None:
    """Hiding the diagonal, too, leaves row 0 blind; a worst case gathered by Python's max would still be 0."""
    blind = model(hidden_by(-torch.inf, torch.ones(N, N, dtype=torch.bool).triu(0)))
    assert math.isnan(taught("causality-test-code")["future_leak"](blind, TOKENS, VOCAB))
    assert max(0.0, math.nan) == 0.0


def test_a_fresh_model_with_tied_embeddings_recognises_unshifted_targets() -> None:
    """What initial-loss says of a first loss far below the logarithm of the vocabulary."""
    vocab, width = 2_000, 256
    embed = 0.06 * drawn(vocab, width, seed=4)
    tokens = torch.arange(64).reshape(2, 32) * 7
    logits = F.layer_norm(embed[tokens], (width,)) @ embed.mT
    assert F.cross_entropy(logits.flatten(0, 1), tokens.flatten()) < math.log(vocab) / 2
    assert taught("lm-loss")["lm_loss"](logits, tokens) > math.log(vocab)


def test_the_loss_asks_each_position_for_the_next_token() -> None:
    logits = drawn(2, N, VOCAB, seed=3)
    probabilities = logits.softmax(dim=-1)
    expected = [-math.log(probabilities[b, i, TOKENS[b, i + 1]]) for b in range(2) for i in range(N - 1)]
    got = taught("lm-loss")["lm_loss"](logits, TOKENS)
    assert got.item() == pytest.approx(sum(expected) / len(expected), abs=1e-12)


def test_a_model_that_repeats_its_token_is_not_rewarded() -> None:
    repeats = 50.0 * F.one_hot(TOKENS, VOCAB).double()
    assert taught("lm-loss")["lm_loss"](repeats, TOKENS) > 10
    assert F.cross_entropy(repeats.flatten(0, 1), TOKENS.flatten()) < 1e-6


@pytest.mark.parametrize("vocab", [11, 50_257])
def test_the_first_loss_is_the_logarithm_of_the_vocabulary(vocab: int) -> None:
    loss = taught("lm-loss")["lm_loss"](torch.zeros(2, N, vocab, dtype=torch.float64), TOKENS)
    assert loss.item() == pytest.approx(math.log(vocab), abs=1e-9)


def test_scaling_q_before_sdpa_divides_by_d_k() -> None:
    q, k, v = drawn(1, 1, 4, 16, seed=1), drawn(1, 1, 6, 16, seed=2), drawn(1, 1, 6, 16, seed=3)
    twice = F.scaled_dot_product_attention(q * 16**-0.5, k, v)
    torch.testing.assert_close(twice, (q @ k.mT / 16).softmax(dim=-1) @ v, rtol=0, atol=1e-12)
    once = F.scaled_dot_product_attention(q * 16**-0.5, k, v, scale=1.0)
    torch.testing.assert_close(once, (q @ k.mT / 4).softmax(dim=-1) @ v, rtol=0, atol=1e-12)


def test_a_registered_mask_is_saved_and_a_float_one_cast() -> None:
    """What whiteboard-missing says of a mask of maximal length."""
    layer = nn.Module()
    layer.register_buffer("stored", torch.ones(4, 4))
    layer.register_buffer("kept", torch.ones(4, 4, dtype=torch.bool), persistent=False)
    layer.half()
    assert list(layer.state_dict()) == ["stored"]
    assert layer.get_buffer("stored").dtype == torch.float16
    assert layer.get_buffer("kept").dtype == torch.bool
