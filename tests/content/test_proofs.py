"""What the cards claim is what the demos show, and the code that a card teaches does what it says."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from app.library.check import check_decks, prove
from app.library.format import Deck, Note
from app.library.spans import spans
from kernels.attention import causal_mask, reference
from kernels.catalog import parse_line
from kernels.device import settle
from kernels.run import run

settle()
DECKS = check_decks([Path(__file__).resolve().parents[2] / "content" / "decks"], parse_line).decks
CLAIMING = [(deck, note) for deck in DECKS for note in deck.notes if note.expects]


@cache
def result(line: str) -> Mapping[str, object]:
    """Each demo line is run once, however many cards rest on it."""
    entry, params = parse_line(line)
    return run(entry.name, params).to_json()


@pytest.mark.parametrize(("deck", "note"), CLAIMING, ids=[note.id for _, note in CLAIMING])
def test_the_demo_shows_what_the_card_claims(deck: Deck, note: Note) -> None:
    missing = [library for library in parse_line(note.demo or "")[0].needs if find_spec(library) is None]
    if missing:
        pytest.skip(f"This claim's demo needs {missing[0]}, which is not installed here.")
    proofs = prove([replace(deck, notes=(note,))], result)
    assert len(proofs) == len(note.expects)
    assert [str(proof) for proof in proofs if not proof.outcome.holds] == []


@pytest.mark.parametrize(("n_q", "n_kv"), [(6, 6), (3, 6), (1, 6)])
def test_the_code_to_recall_is_right_for_a_cache_too(n_q: int, n_kv: int) -> None:
    taught = next(note for deck in DECKS for note in deck.notes if note.id == "attention-code")
    code = next(span.body for span in spans(taught.answer) if span.kind == "fence")
    names: dict[str, object] = {"math": math, "torch": torch}
    exec(code, names)  # the card's own text, which this test is about
    attention = names["attention"]
    assert callable(attention)

    q, k, v = (torch.randn(2, n, 8, generator=torch.Generator().manual_seed(n)) for n in (n_q, n_kv, n_kv))
    wanted, _ = reference(q, k, v, 1 / math.sqrt(8), causal_mask(n_q, n_kv))
    torch.testing.assert_close(attention(q, k, v).double(), wanted, rtol=0, atol=1e-6)
