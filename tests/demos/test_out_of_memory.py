"""What becomes of a card's claim when memory ran out in the run that it rests on."""

import torch

import kernels.run
from app.library.expect import evaluate, parse_expect

FAR_TOO_MUCH = 2**50  # floats: more than a process can address


def test_a_cards_claim_does_not_hold(monkeypatch) -> None:
    monkeypatch.setattr(kernels.run, "_body", lambda name: lambda job: (torch.empty(FAR_TOO_MUCH),))
    data = kernels.run.run("kv-cache", {}).to_json()
    outcome = evaluate(parse_expect("bytes-per-token.got >= 0"), data["blocks"])
    assert not outcome.holds
    assert "bytes-per-token" in outcome.sentence
