"""The demo `fusing`: bytes by exact formulas, errors by the 2x rule, words that follow from the figures."""

from __future__ import annotations

import re

import pytest

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.catalog import BadParams
from kernels.device import settle
from kernels.result import Refused
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled

NAME = "fusing"
INTERPRETED = settle().interpreter


def test_the_bytes_of_a_small_case_by_hand() -> None:
    """64 x 64 tokens, d = 32, one head in fp32: q, k, v, o are 8,192 B each, S and P 16,384, the log-sum-exp 256."""
    result = run(NAME, {"n_q": 64, "n_kv": 64, "d": 32, "h_q": 1, "h_kv": 1, "dtype": "fp32"})
    assert [(row["reads"], row["writes"], row["asked"]) for row in data(result, "launches").rows] == [
        (16_384, 16_384, 16_384),
        (16_384, 16_384 + 256, 16_384),
        (24_576, 8_192, 24_576),
        (24_576, 8_192 + 256, 24_576),
    ]
    assert [bar.n for bar in data(result, "held").rows] == [16_384, 16_384, 256]


def test_three_kernels_are_quadratic_and_the_floor_of_one_is_linear() -> None:
    result = run(NAME, {})
    three, asked, once = (line.y for line in data(result, "growth").ys)
    assert three[-1] / three[-2] == pytest.approx(4, rel=0.01)
    assert asked[-1] / asked[-2] == pytest.approx(4, rel=0.01)
    assert once[-1] / once[-2] == 2
    assert "move 2,704 times as much" in result.block("growth").alt


def test_half_precision_shows_what_storing_scores_costs() -> None:
    three, one, plain, between = data(run(NAME, {"seed": 1}), "precision").rows
    assert one["error"] < three["error"]
    assert {row["against"] for row in (three, one, plain)} == {"float64"}
    assert (between["way"], between["against"]) == ("one kernel", "three kernels")


def test_training_takes_seven_products_against_six() -> None:
    result = run(NAME, {"n_q": 48, "n_kv": 80, "d": 16, "h_q": 3})
    rows = data(result, "training").rows
    assert [row["products"] for row in rows] == [2, 4, 5, 6, 7]
    assert [row["ratio"] for row in rows] == [1, 2, 2.5, 3, 3.5]
    assert rows[0]["flop"] == 4 * 3 * 48 * 80 * 16
    assert "7 products against 6, +17 % of work" in result.block("training").look_for
    assert (data(result, "training-stored").got, data(result, "training-recomputed").got) == (3, 3.5)


def test_the_ridge_of_half_precision_is_told_in_half_precision_alone() -> None:
    assert "the 153" in run(NAME, {"n_q": 16, "n_kv": 16}).block("intensity").look_for
    full = run(NAME, {"n_q": 16, "n_kv": 16, "dtype": "fp32"}).block("intensity").look_for
    assert full.endswith("below d / 4, d over the bytes of an element: 16 FLOP/B here.")


def test_random_parameters() -> None:
    for result in sampled(NAME, 6):
        assert broken(result) == [], result.params
        three, one = (bar.n for bar in data(result, "traffic").rows)
        mine = copied(result)
        assert (mine["three"], mine["one"]) == (three, one), result.params
        errors = [row["error"] for row in data(result, "precision").rows]
        rounding = 2 * (data(result, "fused-error").expected)
        assert max(mine["errors"]) <= rounding, result.params
        ratio = re.search(r"B: (\S+) times as much", result.block("traffic").alt)
        assert ratio is not None
        assert float(ratio[1].replace(",", "")) == pytest.approx(three / one, rel=0.01)
        told = result.block("precision").look_for
        assert told.startswith("One kernel never rounds S") == (
            errors[1] < errors[0] and result.params["dtype"] != "fp32"
        )
        row = data(result, "intensity").rows[0]
        ceiling = result.params["d"] / (4 if result.params["dtype"] == "fp32" else 2)
        assert row["intensity"] < ceiling <= 128
        assert f"{ceiling:g} FLOP/B here" in result.block("intensity").look_for


@pytest.mark.skipif(not INTERPRETED, reason="a GPU runs these")
def test_what_an_interpreter_cannot_do_is_refused() -> None:
    with pytest.raises(Refused, match="bf16 needs a GPU"):
        run(NAME, {"dtype": "bf16"})
    with pytest.raises(Refused, match=r"interpreted, .* lower a length or h_q"):
        run(NAME, {"n_q": 2048, "n_kv": 2048})
    assert "timing" not in {block.id for block in run(NAME, {"n_q": 1, "n_kv": 1100}).blocks}


def test_score_matrices_beyond_the_limit_are_refused() -> None:
    with pytest.raises(BadParams, match=r"score matrices would take 8\.0 GiB each"):
        run(NAME, {"n_q": 8192, "n_kv": 8192, "h_q": 64})


@pytest.mark.gpu
@pytest.mark.skipif(INTERPRETED, reason="needs a CUDA device")
def test_one_kernel_is_faster_on_a_gpu() -> None:
    result = run(NAME, {"n_q": 4096, "n_kv": 4096, "h_q": 16, "h_kv": 16, "d": 128, "dtype": "bf16"})
    three, one = data(result, "timing").rows
    assert one.median < three.median
