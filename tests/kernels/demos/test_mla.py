"""The demo `mla`: absorbed is explicit, 32 numbers stand for 128, and a step's cost is told as it is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kernels.catalog import BadParams, parse_line
from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


def test_four_heads_and_a_latent_of_32_cache_32_numbers_for_128() -> None:
    result = run("mla", {})
    assert data(result, "absorbed-same").got < 1e-14
    assert [row["numbers"] for row in data(result, "cached").rows] == [128, 32, 128 * 320, 576]
    assert data(result, "rope-in-the-way").got > 0.01
    assert data(result, "intensity-deepseek").got == pytest.approx(241.778, abs=5e-4)
    assert [bar.n for bar in data(result, "cache").rows] == [24 * 256, 24 * 64]
    assert broken(result) == []


def test_work_on_a_cached_byte_is_one_for_each_query_with_keys_and_twice_the_heads_with_a_latent() -> None:
    """F26: heads times queries times (d_k + d_v) / d_k, in 16 bits."""
    every, _, latent = data(run("mla", {}), "step-cost").rows
    assert (every["intensity"], latent["intensity"]) == (1.0, 2 * 4)
    every, _, latent = data(run("mla", {"h": 16, "latent": 64, "d_rope": 8, "n_q": 3}), "step-cost").rows
    assert every["intensity"] == 3.0
    assert latent["intensity"] == pytest.approx(16 * 3 * (72 + 64) / 72)


def test_the_ribbons_end_in_the_same_shape() -> None:
    result = run("mla", {"d_rope": 8, "n_q": 2})
    ends = [
        [dim.n for dim in data(result, f"shapes-{way}").steps[-1].dims] for way in ("explicit", "absorbed")
    ]
    assert ends == [[4, 2, 16]] * 2
    assert data(result, "shapes-absorbed").head_map == (0, 0, 0, 0)


def told(result: Result, block: str, pattern: str) -> list[float]:
    match = re.search(pattern, result.block(block).look_for)
    assert match is not None, result.block(block).look_for
    return [float(x.replace(",", "")) for x in match.groups()]


def test_checks_and_sentences_hold_for_any_parameters() -> None:
    for result in sampled("mla", 12):
        assert broken(result) == [], result.params
        mha, kept, *_ = (row["numbers"] for row in data(result, "cached").rows)
        assert told(result, "cached", r"([\d,]+) numbers? a token against ([\d,]+)") == [kept, mha]
        assert ("saves nothing" in result.block("cached").look_for) == (kept >= mha)
        every, expanded, absorbed = data(result, "step-cost").rows
        assert told(result, "step-cost", r"costs ([\d.,]+) times .* read ([\d.,]+) times") == [
            pytest.approx(expanded["flops"] / absorbed["flops"], abs=0.051),
            pytest.approx(every["read"] / absorbed["read"], abs=0.051),
        ]


@pytest.mark.parametrize(
    "params",
    [{}, {"d_rope": 8, "n_q": 3, "seed": 4}, {"h": 1, "d_head": 2, "latent": 7, "n_kv": 2, "n_q": 2}],
)
def test_the_code_shown_finds_the_same(params: dict[str, Any]) -> None:
    result = run("mla", params)
    names = copied(result)
    assert names["error"] < 1e-11
    assert list(names["cached"].values()) == [row["numbers"] for row in data(result, "cached").rows[:2]]
    assert names["explicit"].shape == (result.params["n_q"], names["m"])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mla n_q=5 n_kv=4", "n_q must be at most n_kv=4"),
        ("mla d_head=3", "d_head must be even"),
        ("mla d_rope=5", "d_rope must be even"),
        ("mla h=32 d_head=64 latent=512 n_kv=1024", "GFLOP (limit 2)"),
    ],
)
def test_combinations_that_make_no_sense_get_one_sentence(line: str, words: str) -> None:
    with pytest.raises(BadParams) as caught:
        parse_line(line)
    (sentence,) = caught.value.sentences
    assert words in sentence
