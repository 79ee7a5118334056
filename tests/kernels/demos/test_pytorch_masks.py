"""The demo `pytorch-masks`: what this version of PyTorch does with boolean masks, told as it is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from kernels.catalog import BadParams
from kernels.demos.pytorch_masks import FAST, INVERTED, SDPA, TRAINING, WEIGHTS
from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


@pytest.fixture(scope="module")
def five_tokens() -> Result:
    return run("pytorch-masks", {})


def calls(result: Result) -> dict[str, Any]:
    return {row["call"]: row for row in data(result, "conventions").rows}


def test_the_same_tril_is_the_past_for_one_and_the_future_for_the_other(five_tokens: Result) -> None:
    rows = calls(five_tokens)
    assert {call: row["moved"] for call, row in rows.items()} == {
        SDPA: 0, WEIGHTS: 3, TRAINING: 3, FAST: 3, INVERTED: 0
    }  # fmt: skip
    assert rows[INVERTED]["error"] <= 1e-6
    assert data(five_tokens, "weights").stages[0].values[0] == (1, 0, 0, 0, 0)
    assert data(five_tokens, "weights").stages[1].values[0][0] == 0


def test_the_last_row_is_nan_with_weights_and_on_the_fast_path(five_tokens: Result) -> None:
    """As torch 2.13 does; another version may take other paths, and the sentence counts them."""
    rows = calls(five_tokens)
    assert {call for call, row in rows.items() if row["last"]} == {WEIGHTS, FAST}
    assert "of its 3 calls 2 make NaN of it" in five_tokens.block("conventions").look_for


def test_weights_by_two_masks_are_hatched_by_neither(five_tokens: Result) -> None:
    matrix = data(five_tokens, "weights")
    assert matrix.mask is None
    past, future = (stage.values for stage in matrix.stages)
    assert not any(
        a > 0 and b > 0 for rows in zip(past, future, strict=True) for a, b in zip(*rows, strict=True)
    )


def test_both_masks_at_once_are_combined_or_refused(five_tokens: Result) -> None:
    default, math = data(five_tokens, "both").rows
    assert (default["does"], default["both"]) == ("applies both", 0)
    assert min(default["mask"], default["causal"]) > 0.01
    assert (math["does"], math["both"]) == ("raises an error", None)
    assert five_tokens.block("both").look_for.endswith("default applies both; MATH raises an error.")


def test_is_causal_is_in_the_upper_left_corner(five_tokens: Result) -> None:
    rows = {row["way"]: row for row in data(five_tokens, "corner").rows}
    assert [way for way, row in rows.items() if row["v0"]] == ["is_causal=True", "causal_upper_left"]
    assert [way for way, row in rows.items() if row["error"] <= 1e-6] == [
        "causal_lower_right",
        "tril(n_kv - n_q)",
    ]


def test_checks_and_sentences_hold_for_any_parameters() -> None:
    for result in sampled("pytorch-masks", 15):
        assert broken(result) == [], result.params
        told = re.search(r"; of its 3 calls (\d) makes? NaN", result.block("conventions").look_for)
        assert told is not None
        assert int(told[1]) == sum(row["last"] for row in calls(result).values())
        assert not calls(result)[SDPA]["last"]
        assert not calls(result)[INVERTED]["last"]
        alike = result.params["n_q"] == result.params["n"]
        assert ("both corners give one mask" in result.block("corner").look_for) == alike
        assert all((row["error"] <= 1e-5) >= alike for row in data(result, "corner").rows)
        for name in ("sdpa-reads", "mha-reads"):
            cells = data(result, name).cells
            seen = re.fullmatch(
                rf"Of {len(cells) ** 2:,} cells, ([\d,]+) (?:is|are) visible\.", result.block(name).alt
            )
            assert seen is not None
            assert int(seen[1].replace(",", "")) == sum(map(sum, cells))


@pytest.mark.parametrize("params", [{}, {"n": 9, "perturb": 4, "h": 3, "d_k": 4, "seed": 7}])
def test_the_code_shown_finds_the_same(params: dict[str, int]) -> None:
    result = run("pytorch-masks", params)
    moved = copied(result)["rows"]
    rows = calls(result)
    assert list(moved.values()) == [rows[call]["moved"] for call in (SDPA, WEIGHTS, INVERTED)]


@pytest.mark.parametrize(
    ("params", "words"),
    [({"perturb": 5}, "perturb must be at most 4 with n=5."), ({"n_q": 6}, "n_q must be at most n=5.")],
)
def test_what_does_not_fit_together_is_told(params: dict[str, int], words: str) -> None:
    with pytest.raises(BadParams, match=words.replace(".", r"\.")):
        run("pytorch-masks", params)
