"""Sentences as they are printed: powers raised, exponents and minus signs in one style, and code left alone."""

import json
from dataclasses import replace

import pytest

from app.demos import drawing
from app.demos.drawing.prose import printed
from app.settings import ROOT
from kernels.result import Block, Check, Code, Column, Note, Result, Table

EVERY = Result.from_json(json.loads((ROOT / "tests/fixtures/results/every-block.json").read_text()))


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("1 GiB is 2^30 bytes, 1 GB is 10^9.", "1\u00a0GiB is 2³⁰ bytes, 1\u00a0GB is 10⁹."),
        ("tiles of 8192 x 64 x 2, 56 % of them", "tiles of 8,192 × 64 × 2, 56\u00a0% of them"),
        ("2 x 32 x 4,096 = 262144", "2 × 32 × 4,096 = 262144"),
        ("64 queries x 64 keys, 3 x 4.5, 0.8192 x 3", "64 queries x 64 keys, 3 x 4.5, 0.8192 x 3"),
        ("Theorem: n^2·d^2 / M", "Theorem: n²·d² / M"),
        ("until e^s overflows", "until eˢ overflows"),
        ("the weight e^-inf = 0", "the weight e^−∞ = 0"),
        ("off by 4.2e-08.", "off by 4.2e−8."),
        ("up to 1e+09, or -1e9.", "up to 1e9, or −1e9."),
        ("a log-sum-exp of -inf.", "a log-sum-exp of −∞."),
        ("inf/inf is NaN, exp is inf above", "∞/∞ is NaN, exp is ∞ above"),
        ("exp(-10) = 4.5e-5", "exp(−10) = 4.5e−5"),
        ("tokens are (1, -1) or (-1, 1)", "tokens are (1, −1) or (−1, 1)"),
        ("from -3 to 4", "from −3 to 4"),
        ("so use fill=-inf.", "so use fill=-inf."),
        ("atol=1e-5 holds in fp32.", "atol=1e-5 holds in fp32."),
        ("DeepSeek-67B and GPT-3-175B, 2024-01-05", "DeepSeek-67B and GPT-3-175B, 2024-01-05"),
        ("fill--1e9 and triu-2, h100-sxm, ms^x", "fill--1e9 and triu-2, h100-sxm, ms^x"),
        ("info, inference, 3e and e3", "info, inference, 3e and e3"),
        ("a^(m - n), 0x1e5, v1.2e3", "a^(m - n), 0x1e5, v1.2e3"),
    ],
)
def test_what_is_typed_is_printed(typed: str, shown: str) -> None:
    assert printed(typed) == shown
    assert printed(shown) == shown


def test_all_words_of_a_block_are_printed_and_its_code_is_as_it_was() -> None:
    code = "fill = -1e9  # 2^30"
    table = Table((Column("way", "Up to 2^30"),), ({"way": "scores + hide * -1e9"},))
    blocks = (
        Block("note", Note("10^9 bytes"), title="2^30"),
        Block("check", Check("No -inf.", "=", 0.0, 0.0, 0.0, holds=True), look_for="-inf", alt="1e-08"),
        Block("table", table),
        Block("code", Code("python", code)),
    )
    note, check, drawn, listing = drawing.result(replace(EVERY, blocks=blocks).to_json()).blocks
    assert (note.title, note.body.text) == ("2³⁰", "10⁹ bytes")
    assert (check.look_for, check.alt, check.body.claim) == ("−∞", "1e−8", "No −∞.")
    assert drawn.body.cols[0].label == "Up to 2³⁰"
    assert "scores + hide * -1e9" in str(drawn.body)
    assert "2^30" in listing.body.html
