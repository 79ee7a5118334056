"""The demo `precision`: right but not equal, by type and by way; and fp16's overflow before the scale."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import torch

from kernels.demos.precision import FUSED, MATH, PLAIN, TYPES
from kernels.numerics import DTYPES
from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


@pytest.fixture(scope="module")
def usual() -> Result:
    return run("precision", {})


def errors(result: Result) -> dict[tuple[str, str], Any]:
    return {(row["dtype"], row["way"]): row for row in data(result, "errors").rows}


def test_the_error_is_that_of_the_type_and_no_two_ways_have_the_same_bits(usual: Result) -> None:
    rows = errors(usual)
    assert list(rows) == [(dtype, way) for dtype in TYPES for way in (PLAIN, FUSED, MATH)]
    bounds = {"fp32": (1e-7, 1e-6), "fp16": (1e-4, 3e-3), "bf16": (1e-3, 2e-2)}
    for (dtype, _), row in rows.items():
        assert bounds[dtype][0] < row["error"] < bounds[dtype][1]
    assert [rows[dtype, FUSED]["same_bits"] for dtype in TYPES] == [False] * 3
    for dtype in ("bf16", "fp16"):
        assert rows[dtype, FUSED]["error"] < rows[dtype, PLAIN]["error"]


def test_what_fp32_inside_is_worth(usual: Result) -> None:
    nothing, softmax, scores, everything = (row["rms"] for row in data(usual, "kept").rows)
    assert everything < scores < nothing
    assert softmax == pytest.approx(nothing, rel=0.05)
    assert nothing / scores > 1.5


def test_the_product_overflows_and_scaled_first_it_does_not(usual: Result) -> None:
    fp16, bf16, fp32 = data(usual, "overflow").rows
    assert (fp16["raw"], fp16["late"], fp16["early"]) == (math.inf, math.inf, 10184)
    assert bf16["raw"] == fp32["raw"] == 115_200
    assert fp32["exact"] == pytest.approx(10182.34, abs=0.01)


@pytest.mark.parametrize(("entry", "fits"), [(22.61, True), (22.62, False)])
def test_the_entry_from_which_the_product_overflows_is_the_one_named(entry: float, fits: bool) -> None:
    result = run("precision", {"n": 16, "entry": entry})
    assert math.isfinite(data(result, "overflow").rows[0]["raw"]) is fits
    assert ("from an entry of 22.62 on" in result.block("overflow").look_for) is fits


def test_the_bare_ratio_stands_beside_the_rule_that_gives_it_room(usual: Result) -> None:
    rows = errors(usual)
    for dtype in TYPES:
        assert rows[dtype, PLAIN]["ratio"] == 1
        ratio = rows[dtype, FUSED]["error"] / rows[dtype, PLAIN]["error"]
        assert rows[dtype, FUSED]["ratio"] == pytest.approx(ratio)
        assert "with room for one rounding" in data(usual, f"twice-{dtype}").claim


def test_checks_and_sentences_hold_for_any_parameters() -> None:
    for result in [*sampled("precision", 2), *sampled("precision", 8, n=40)]:
        assert broken(result) == [], result.params
        same = [row["same_bits"] for row in data(result, "errors").rows].count(True)
        told = re.match(r"(\d) of 6 outputs", result.block("errors").look_for)
        assert (int(told[1]) if told else 0) == same
        lines = {line.label: line.y for line in data(result, "by-length").ys}
        fp32 = [y for label, line in lines.items() if label.startswith("fp32") for y in line]
        bf16 = [y for label, line in lines.items() if label.startswith("bf16") for y in line]
        assert 10 * max(fp32) < min(bf16)  # two bands
        nothing, _, scores, _ = (row["rms"] for row in data(result, "kept").rows)
        divides = re.search(r"divide the error by (\S+):", result.block("kept").look_for)
        assert (divides is not None) == (scores < nothing)
        if divides is not None:
            assert float(divides[1]) == pytest.approx(nothing / scores, abs=0.051)
        fits = math.isfinite(data(result, "overflow").rows[0]["raw"])
        assert ("still fits" in result.block("overflow").look_for) == fits
        assert fits == (float(torch.tensor(result.params["entry"]).half()) ** 2 * 128 < 65520)


@pytest.mark.parametrize("params", [{"n": 40}, {"n": 33, "d_k": 20, "causal": True, "entry": 3.5, "seed": 8}])
def test_the_code_shown_finds_the_same(params: dict[str, Any]) -> None:
    result = run("precision", params)
    names, rows = copied(result), errors(result)
    for dtype in TYPES:
        shown = names["errors"][DTYPES[dtype]]
        step = 4 * torch.finfo(DTYPES[dtype]).eps  # a batch of one may be added up in another order
        assert shown == pytest.approx([rows[dtype, way]["error"] for way in (PLAIN, FUSED)], abs=step)
    overflow = data(result, "overflow").rows[0]
    assert names["scores"] == (overflow["raw"], overflow["early"])
