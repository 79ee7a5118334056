"""The small decoder: its cache changes nothing, in whatever pieces the tokens come, and its FLOP count is exact."""

from __future__ import annotations

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from kernels.decoder import Cache, Decoder, Positions, decoder, greedy, logits, norm
from kernels.decoder_size import Size, flops_per_new_token
from kernels.numerics import max_error

SIZE = Size(layers=2, h_q=4, h_kv=2, d_head=4, d_ff=12, vocab=11)
TOKENS = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])


def built(positions: Positions = "rope", size: Size = SIZE, *, tied: bool = False) -> Decoder:
    return decoder(size, 1, positions=positions, tied=tied, longest=16)


@pytest.mark.parametrize("positions", ["rope", "learned"])
@pytest.mark.parametrize("pieces", [[8], [1] * 8, [5, 3], [3, 1, 4]])
def test_tokens_that_come_in_pieces_score_as_in_one(positions: Positions, pieces: list[int]) -> None:
    model, cache = built(positions), Cache()
    whole = logits(model, TOKENS)
    scores = torch.cat([logits(model, piece, cache) for piece in TOKENS.split(pieces)])
    assert max_error(scores, whole) < 1e-12
    assert cache.tokens == 8
    assert cache.numbers == 8 * SIZE.cached_per_token


@pytest.mark.parametrize("positions", ["rope", "learned"])
def test_a_later_token_changes_no_earlier_score(positions: Positions) -> None:
    model, changed = built(positions), TOKENS.clone()
    changed[5] = 0
    moved = (logits(model, TOKENS) != logits(model, changed)).any(dim=-1)
    assert moved.tolist() == [False] * 5 + [True] * 3


def test_rotary_positions_tell_apart_what_stands_where_without_counting_from_zero() -> None:
    """The order of the tokens matters, the place where counting starts does not."""
    model = built("rope")
    swapped = TOKENS[torch.tensor([1, 0, 2, 3, 4, 5, 6, 7])]
    assert max_error(logits(model, swapped)[-1], logits(model, TOKENS)[-1]) > 1e-3


def test_a_tied_head_is_the_embedding() -> None:
    model = built(tied=True)
    assert torch.equal(model.head, model.embedding.T)
    assert logits(model, TOKENS).shape == (8, SIZE.vocab)


def test_the_norm_leaves_a_mean_square_of_one() -> None:
    x = torch.randn(5, 32, dtype=torch.float64) * 7
    assert max_error(norm(x).square().mean(-1), torch.ones(5)) < 1e-6


@pytest.mark.parametrize("d_ff", [0, 12])
@pytest.mark.parametrize(("h_q", "h_kv"), [(4, 4), (4, 2), (4, 1)])
def test_the_flop_count_is_what_pytorch_counts(h_q: int, h_kv: int, d_ff: int) -> None:
    size = Size(2, h_q, h_kv, 4, d_ff, 11)
    model, cache = built(size=size), Cache()
    for n_q, n_kv in ((5, 5), (1, 6), (2, 8)):
        with FlopCounterMode(display=False) as counter:
            logits(model, TOKENS[n_kv - n_q : n_kv], cache)
        assert counter.get_total_flops() == size.flops(n_q, n_kv)


def test_the_work_of_an_answer_is_that_of_its_passes() -> None:
    assert flops_per_new_token(SIZE, 3, 3, cached=False) == tuple(SIZE.flops(n, n) for n in (3, 4, 5))
    assert flops_per_new_token(SIZE, 3, 3, cached=True) == (
        SIZE.flops(3, 3),
        SIZE.flops(1, 4),
        SIZE.flops(1, 5),
    )


@pytest.mark.parametrize("positions", ["rope", "learned"])
def test_greedy_takes_the_likeliest_token_and_each_bug_moves_the_first_cached_step(
    positions: Positions,
) -> None:
    model, prompt = built(positions), TOKENS[:4].tolist()
    full, cached = greedy(model, prompt, 5, cached=False), greedy(model, prompt, 5)
    assert full.tokens == cached.tokens == tuple(full.scores.argmax(-1).tolist())
    assert max_error(full.scores, cached.scores) < 1e-12
    for broken in (greedy(model, prompt, 5, align="top-left"), greedy(model, prompt, 5, offset=False)):
        assert max_error(broken.scores[0], full.scores[0]) < 1e-12
        assert max_error(broken.scores[1], full.scores[1]) > 1e-3
