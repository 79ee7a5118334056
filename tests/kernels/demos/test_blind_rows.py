"""The demo `blind-rows`: what a row that sees nothing gives, and how far a hidden NaN gets."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from kernels.blind_rows import WAYS
from kernels.catalog import demo
from kernels.demos.blind_rows import DEFAULT, LENGTHS
from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


def by_way(result: Result, block: str) -> dict[str, Any]:
    return {row["way"]: row for row in data(result, block).rows}


@pytest.fixture(scope="module")
def two_by_three() -> Result:
    return run("blind-rows", {})


def test_the_summary_counts_the_implementations_of_both_halves(two_by_three: Result) -> None:
    assert "by ten implementations; and a NaN in the last value, by five." in demo("blind-rows").summary
    assert (len(data(two_by_three, "blind").rows), len(data(two_by_three, "nan-value").rows)) == (10, 5)


def test_two_queries_three_keys(two_by_three: Result) -> None:
    rows = by_way(two_by_three, "blind")
    assert list(rows) == list(WAYS)
    assert {way: row["result"] for way, row in rows.items()} == {
        "-inf, softmax": "NaN",
        "-inf, softmax, output's NaN set to 0": "zeros",
        "-inf added, softmax, hidden weights set to 0": "zeros",
        "-1e9, softmax": "mean of all values",
        "finfo.min, softmax": "mean of all values",
        "finfo.min, softmax, hidden weights set to 0": "zeros",
        "kernels.attention.softmax": "zeros",
        "F.sdpa, boolean mask": "zeros",
        "F.sdpa, boolean mask, MATH": "zeros",
        "F.sdpa, finfo.min added": "mean of all values",
    }
    assert math.isnan(rows["-inf, softmax"]["least"])
    assert rows["finfo.min, softmax"]["least"] == pytest.approx(1 / 3, abs=1e-7)


def test_a_clean_output_can_hide_a_gradient_that_is_not(two_by_three: Result) -> None:
    rows = by_way(two_by_three, "blind")
    assert rows["-inf, softmax, output's NaN set to 0"]["gradient"] == "v"
    assert rows["-inf added, softmax, hidden weights set to 0"]["gradient"] == "q, k"
    assert rows["finfo.min, softmax, hidden weights set to 0"]["gradient"] == "none"
    assert rows["F.sdpa, boolean mask"]["gradient"] == "none"


def test_fp16_refuses_minus_1e9_and_its_own_minimum_is_within_reach() -> None:
    rows = by_way(run("blind-rows", {"dtype": "fp16"}), "blind")
    assert (rows["-1e9, softmax"]["result"], rows["-1e9, softmax"]["least"]) == ("RuntimeError", None)
    assert rows["finfo.min, softmax"]["result"] == "mean of all values"
    assert rows["F.sdpa, finfo.min added"]["result"] == "as if nothing were hidden"


def test_a_nan_in_the_last_value_reaches_all_rows_of_a_short_sequence(two_by_three: Result) -> None:
    counts = {way: row["nan"] for way, row in by_way(two_by_three, "nan-value").items()}
    assert counts.pop("plain, NaN in v set to 0 first") == 0
    assert set(counts.values()) == {6}


def test_of_a_long_sequence_the_fused_kernel_spares_half() -> None:
    result = run("blind-rows", {"n": 1024})
    counts = {way: row["nan"] for way, row in by_way(result, "nan-value").items()}
    assert counts[DEFAULT] == 512
    assert counts["plain"] == counts["F.sdpa, boolean mask"] == counts["F.sdpa, is_causal, MATH"] == 1024
    assert "512 of 1,024 rows are NaN" in result.block("nan-value").look_for


def test_checks_and_sentences_hold_for_any_parameters() -> None:
    for result in sampled("blind-rows", 6):
        assert broken(result) == [], result.params
        default, n = by_way(result, "nan-value")[DEFAULT]["nan"], result.params["n"]
        said = result.block("nan-value").look_for
        skips = re.search(r"so ([\d,]+) of ([\d,]+) rows are NaN", said)
        assert (skips is None) == (default == n)
        if skips is not None:
            assert [int(x.replace(",", "")) for x in skips.groups()] == [default, n]
        gradients = {way: row["gradient"] for way, row in by_way(result, "blind").items()}
        assert gradients["-inf, softmax, output's NaN set to 0"] == "v"  # what `blind` says beside the table
        assert gradients["-inf added, softmax, hidden weights set to 0"] == "q, k"
        all_rows, skipping = data(result, "by-length").ys
        spared = [n for n, count in zip(LENGTHS, skipping.y, strict=True) if count < n]
        assert all_rows.y == LENGTHS
        told = re.search(r"spares early rows with (.+?) tokens", result.block("by-length").look_for)
        assert ([int(n.replace(",", "")) for n in told[1].split(", ")] if told else []) == spared


@pytest.mark.parametrize(
    "params", [{}, {"dtype": "fp16", "n_kv": 64, "seed": 3}, {"dtype": "bf16", "n": 700, "n_kv": 1}]
)
def test_the_code_shown_finds_the_same(params: dict[str, Any]) -> None:
    result = run("blind-rows", params)
    names, rows = copied(result), by_way(result, "blind")
    shown = {"-inf": "-inf, softmax", "finfo.min": "finfo.min, softmax", "F.sdpa": "F.sdpa, boolean mask"}
    for short, way in shown.items():
        assert names["blind"][short] == pytest.approx(rows[way]["most"], abs=1e-6, nan_ok=True)
    counts = by_way(result, "nan-value")
    assert names["nan_rows"] == {"by hand": counts["plain"]["nan"], "F.sdpa": counts[DEFAULT]["nan"]}
