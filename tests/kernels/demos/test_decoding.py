"""The demo `decoding`: one answer with a cache and without, bugs that show, and work that is counted exactly."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kernels.catalog import BadParams, parse_line
from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled

SMALL: dict[str, Any] = {"layers": 2, "h_q": 4, "h_kv": 2, "d_head": 4, "d_ff": 16}


def column(result: Result, key: str) -> list[int]:
    return [row[key] for row in data(result, "tokens").rows]


@pytest.fixture(scope="module")
def default() -> Result:
    return run("decoding", {})


def test_twelve_tokens_and_twenty_more_are_the_same_with_a_cache(default: Result) -> None:
    assert len(column(default, "full")) == 20
    assert column(default, "full") == column(default, "cached")
    assert data(default, "same-scores").got < 1e-12
    assert broken(default) == []


def test_both_bugs_show_in_the_tokens_of_the_default_run(default: Result) -> None:
    _, top_left, no_offset = data(default, "bugs").rows
    for row, key in ((top_left, "top_left"), (no_offset, "no_offset")):
        wrong, right = column(default, key), column(default, "full")
        assert wrong[: row["first"]] == right[: row["first"]]
        assert wrong[row["first"]] != right[row["first"]]
        assert row["first"] >= 1
        assert row["differ"] == sum(a != b for a, b in zip(wrong, right, strict=True))
    assert default.block("bugs").look_for.startswith("Both bugs show")


def test_attention_and_head_alone_do_the_known_work() -> None:
    flops = data(run("decoding", {"d_ff": 0}), "flops").rows
    assert [row["flops"] for row in flops] == [36_782_080, 2_534_656]
    assert flops[0]["ratio"] == pytest.approx(14.5, abs=0.05)


def test_without_a_cache_a_token_costs_as_many_times_as_much_as_there_are_tokens(default: Result) -> None:
    without, cached = (line.y for line in data(default, "per-step").ys)
    assert without[0] == cached[0]
    assert [round(a / b, 9) for a, b in zip(without[1:], cached[1:], strict=True)] == list(range(13, 32))
    assert sum(without) * 1e6 == pytest.approx(data(default, "flops").rows[0]["flops"])


def test_the_cache_grows_by_one_token_a_step(default: Result) -> None:
    rows = data(default, "growth").rows
    assert [row["tokens"] for row in rows] == list(range(12, 32))
    assert {row["numbers"] // row["tokens"] for row in rows} == {2 * 3 * 2 * 8}
    assert sum(row["added"] for row in rows) == rows[-1]["numbers"]
    assert [bar.n for bar in data(default, "cache-size").rows] == [2 * 2976, 4 * 2 * 2976]


@pytest.mark.parametrize("positions", ["rope", "learned"])
@pytest.mark.parametrize("d_ff", [0, 128])
def test_a_tied_head_does_not_repeat_one_token_and_shows_the_bugs(positions: str, d_ff: int) -> None:
    result = run("decoding", {"tied": True, "positions": positions, "d_ff": d_ff})
    assert len(set(column(result, "full"))) > 1
    assert result.block("bugs").look_for.startswith("Both bugs show")
    assert broken(result) == []


def test_where_too_few_tokens_hide_the_bugs_the_scores_still_show_them() -> None:
    result = run("decoding", {**SMALL, "new": 2, "seed": 2})
    assert [row["first"] for row in data(result, "bugs").rows] == [None, None, None]
    assert result.block("bugs").look_for.startswith("Neither bug shows")
    assert broken(result) == []


def test_only_rotary_positions_need_pairs() -> None:
    result = run("decoding", {**SMALL, "d_head": 3, "positions": "learned", "new": 3})
    assert broken(result) == []
    assert copied(result)["apart"] < 1e-9


def test_one_of_each_is_told_in_the_singular() -> None:
    said = run("decoding", {**SMALL, "layers": 1, "h_kv": 1, "new": 2}).block("growth").look_for
    assert said.startswith("2 x 1 layer x 1 key/value head x 4 = 8 numbers a token")


def test_checks_and_sentences_hold_for_any_parameters() -> None:
    for result in sampled("decoding", 8, layers=2, d_head=4, new=5, d_ff=24):
        assert broken(result) == [], result.params
        hidden = sum(row["first"] is None for row in data(result, "bugs").rows[1:])
        said = result.block("bugs").look_for
        assert said.startswith(("Both bugs show", "One bug does not show", "Neither bug shows")[hidden])
        ratio = re.match(r"([\d.]+) times the work", result.block("flops").look_for)
        assert ratio is not None
        assert float(ratio[1]) == pytest.approx(data(result, "flops").rows[0]["ratio"], abs=0.051)
        last = re.search(r"costs (\d+) times as much", result.block("per-step").look_for)
        assert last is not None
        without, cached = (line.y[-1] for line in data(result, "per-step").ys)
        assert int(last[1]) == pytest.approx(without / cached)
        repeated, shared = (bar.n for bar in reversed(data(result, "cache-size").rows))
        assert ("nothing to repeat" in result.block("cache-size").look_for) == (repeated == shared)


def test_a_longer_answer_makes_the_ratio_larger() -> None:
    ratios = [data(run("decoding", {**SMALL, "new": n}), "flops").rows[0]["ratio"] for n in (2, 3, 9)]
    assert ratios == sorted(ratios)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"positions": "learned", "d_ff": 0},
        {"tied": True, "positions": "learned"},
        {"h_kv": 4, "prompt": 1, "new": 2, "seed": 9},
    ],
)
def test_the_code_shown_writes_the_same(params: dict[str, Any]) -> None:
    result = run("decoding", {**SMALL, "seed": 3, **params})
    names = copied(result)
    assert names["answers"] == {"no cache": column(result, "full"), "cache": column(result, "cached")}
    assert names["apart"] < 1e-9
    assert list(names["flops"].values()) == [row["flops"] for row in data(result, "flops").rows]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("decoding h_q=8 h_kv=3", "multiple of h_kv"),
        ("decoding d_head=7", "d_head must be even"),
        ("decoding prompt=64 new=64 layers=8 d_head=32 h_q=16 d_ff=1024", "GFLOP (limit 4)"),
    ],
)
def test_combinations_that_make_no_sense_get_one_sentence(line: str, words: str) -> None:
    with pytest.raises(BadParams) as caught:
        parse_line(line)
    (sentence,) = caught.value.sentences
    assert words in sentence
