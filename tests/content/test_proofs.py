"""What the cards claim is what the demos show, and the code that a card teaches does what it says."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

import pytest
import torch
from torch.nn import functional as F

from app.library.check import prove
from app.library.format import Deck, Note
from app.worker.oneshot import Bench
from kernels.attention import reference
from kernels.catalog import parse_line
from kernels.device import settle
from kernels.masks import causal_mask
from tests.content.shipped import DECKS
from tests.content.taught import taught

settle()
CLAIMING = [(deck, note) for deck in DECKS for note in deck.notes if note.expects]


@pytest.fixture(scope="module")
def result() -> Iterator[Callable[[str], Mapping[str, object]]]:
    """Runs a demo line, once, however many cards rest on it; one warm child for all, as `aloud check --prove` has."""
    with Bench() as bench:
        yield cache(bench.run)


@pytest.mark.parametrize(("deck", "note"), CLAIMING, ids=[note.id for _, note in CLAIMING])
def test_the_demo_shows_what_the_card_claims(
    deck: Deck, note: Note, result: Callable[[str], Mapping[str, object]]
) -> None:
    missing = [library for library in parse_line(note.demo or "")[0].needs if find_spec(library) is None]
    if missing:
        pytest.skip(f"This claim's demo needs {missing[0]}, which is not installed here.")
    proofs = prove([replace(deck, notes=(note,))], result)
    assert len(proofs) >= len(note.expects)
    assert [str(proof) for proof in proofs if not proof.outcome.holds] == []


def taught_attention() -> Callable[..., torch.Tensor]:
    """The function that the card attention-code asks for, from the card's own text."""
    attention = taught("attention-code")["attention"]
    assert callable(attention)
    return attention


@pytest.mark.parametrize(("n_q", "n_kv"), [(6, 6), (3, 6), (1, 6)])
def test_the_code_to_recall_is_right_for_a_cache_too(n_q: int, n_kv: int) -> None:
    attention = taught_attention()
    q, k, v = (torch.randn(2, n, 8, generator=torch.Generator().manual_seed(n)) for n in (n_q, n_kv, n_kv))
    wanted, _ = reference(q, k, v, 1 / math.sqrt(8), causal_mask(n_q, n_kv))
    torch.testing.assert_close(attention(q, k, v).double(), wanted, rtol=0, atol=1e-6)


def test_rows_that_see_nothing_are_nan_in_the_taught_code_the_mean_under_a_finite_fill_and_zero_in_sdpa() -> (
    None
):
    """What the cards attention-code and blind-rows say of five queries on two keys."""
    q, k, v = (torch.randn(1, n, 8, generator=torch.Generator().manual_seed(n)) for n in (5, 2, 2))
    assert taught_attention()(q, k, v).isnan().all(dim=-1).tolist() == [[True, True, True, False, False]]

    visible = causal_mask(5, 2)
    scores = (q @ k.mT / math.sqrt(8)).masked_fill(~visible, torch.finfo(torch.float32).min)
    torch.testing.assert_close((scores.softmax(-1) @ v)[0, :3], v.mean(dim=1).expand(3, 8))
    assert (F.scaled_dot_product_attention(q, k, v, attn_mask=visible)[0, :3] == 0).all()


def test_a_large_negative_number_is_refused_or_becomes_infinite_in_fp16() -> None:
    """What the card mask-filled-with-zero says of -1e9."""
    scores = torch.zeros(2, dtype=torch.float16)
    with pytest.raises(RuntimeError, match="overflow"):
        scores.masked_fill(torch.tensor([True, False]), -1e9)
    with pytest.raises(RuntimeError, match="overflow"):
        torch.full((2,), -1e9, dtype=torch.float16)
    assert (scores + -1e9 == -math.inf).all()
    assert (torch.full((2,), -1e9, dtype=torch.bfloat16) < -9e8).all()


def test_in_plain_attention_no_mask_stops_a_nan_and_skipped_blocks_do() -> None:
    """What the card blind-rows says: 0 times NaN is NaN, and what is never read cannot spread."""
    q, k, v = (torch.randn(1, 1024, 16, generator=torch.Generator().manual_seed(n)) for n in range(3))
    v[:, -1] = math.nan
    assert taught_attention()(q, k, v).isnan().any(dim=-1).all()
    skipping = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)
    spoilt = int(skipping.isnan().any(dim=-1).sum())
    assert 0 < spoilt < 1024
