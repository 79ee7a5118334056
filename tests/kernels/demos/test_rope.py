"""The demo `rope`: scores know the distance alone."""

from __future__ import annotations

import math
import re

import pytest
import torch

from kernels.catalog import BadParams, demo, parse
from kernels.result import Result
from kernels.rope import frequencies, halves_apart, rotate, rotate_halves
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


@pytest.mark.parametrize("seed", range(4))
def test_seven_and_three_score_as_107_and_103(seed: int) -> None:
    here, moved, other, plain = data(run("rope", {"seed": seed}), "scores").rows
    assert (moved["query"], moved["key"], other["key"]) == (107, 103, 4)
    assert moved["score"] == pytest.approx(here["score"], abs=1e-12)
    assert abs(other["score"] - here["score"]) > 1e-3
    assert plain["distance"] is None


def test_the_matrix_is_constant_along_diagonals() -> None:
    plain, turned = (torch.tensor(s.values) for s in data(run("rope", {}), "everywhere").stages)
    assert plain.unique().numel() == 1
    torch.testing.assert_close(turned[1:, 1:], turned[:-1, :-1], atol=2e-5, rtol=1e-5)
    assert turned[0].unique().numel() == turned.size(1)


def test_wavelengths_run_from_two_pi_to_nearly_that_times_the_base() -> None:
    turns = data(run("rope", {}), "wavelengths").ys[0].y
    assert turns[0] == pytest.approx(2 * math.pi)
    assert turns[-1] == pytest.approx(2 * math.pi * 10_000 ** (62 / 64))
    assert "6.3 tokens" in run("rope", {}).block("wavelengths").look_for


def test_positions_in_bf16_are_exact_to_256_only() -> None:
    fp32, fp16, bf16 = data(run("rope", {"m": 1, "n": 0}), "positions-held").rows
    assert fp32["held"] == 100
    assert fp32["error"] < 1e-10
    assert 100 > fp16["held"] > bf16["held"]
    assert bf16["error"] > 0.1
    far = run("rope", {"m": 70_000, "n": 0})
    assert math.isnan(data(far, "positions-held").rows[1]["error"])
    assert "NaN" in far.block("positions-held").look_for


def test_positions_of_one_number_are_rounded_alike_and_nothing_is_said_of_wrong_angles() -> None:
    result = run("rope", {"m": 5, "n": 5})
    assert max(row["error"] for row in data(result, "positions-held").rows) < 1e-12
    assert "wrong angle" not in result.block("positions-held").look_for
    assert "wrong angle" in run("rope", {}).block("positions-held").look_for


def test_pairs_are_counted_from_1_in_the_table_as_in_the_chart() -> None:
    result = run("rope", {})
    assert data(result, "pairs").rows[0]["pair"] == data(result, "wavelengths").x[0] == 1


def test_halves_are_neighbours_in_another_order_of_channels() -> None:
    neighbours, permuted, mixed = data(run("rope", {}), "layouts").rows
    assert neighbours["score"] == data(run("rope", {}), "scores").rows[0]["score"]
    assert permuted["score"] == pytest.approx(neighbours["score"], abs=1e-12)
    assert abs(mixed["score"] - neighbours["score"]) > 0.1
    x, at = torch.randn(5, 8, dtype=torch.float64), torch.arange(5)
    torch.testing.assert_close(rotate_halves(halves_apart(x), at), halves_apart(rotate(x, at)))
    assert "both are the same" in run("rope", {"d": 2}).block("layouts").look_for


def test_interpolation_meets_no_new_angle_and_saves_no_score() -> None:
    trained, longer, divided = data(run("rope", {"factor": 8}), "stretch").rows
    assert trained["angle"] == pytest.approx(divided["angle"])
    assert longer["angle"] == pytest.approx(8 * trained["angle"])
    assert (trained["new"], divided["new"]) == (0, 0)
    assert longer["new"] == sum(4096 * theta < 2 * math.pi for theta in frequencies(64).tolist()) > 0
    assert longer["scores"] == divided["scores"] == 64 * trained["scores"]
    line = data(run("rope", {"factor": 8}), "by-distance")
    assert line.ys[1].y[8 * 5] == pytest.approx(line.ys[2].y[5])
    assert "stretch" not in {block.id for block in run("rope", {}).blocks}


def test_checks_hold_and_sentences_are_true_of_random_parameters() -> None:
    for result in sampled("rope", 15):
        assert broken(result) == []
        _sentences_are_true(result)


def _sentences_are_true(result: Result) -> None:
    itself = data(result, "by-distance").ys[1].y
    assert max(itself[1:]) < itself[0]
    first, last = (
        float(x.replace(",", "")) for x in re.findall(r"[\d,]+\.\d", result.block("wavelengths").look_for)
    )
    turns = data(result, "wavelengths").ys[0].y
    assert (first, last) == (round(turns[0], 1), round(turns[-1], 1))
    errors = [row["error"] for row in data(result, "positions-held").rows]
    assert ("NaN" in result.block("positions-held").look_for) is any(map(math.isnan, errors))
    wrong = "wrong angle" in result.block("positions-held").look_for
    assert not wrong or (errors[-1] > 1e-12 and result.params["m"] != result.params["n"])
    neighbours, _, mixed = data(result, "layouts").rows
    assert ("scores are others" in result.block("layouts").look_for) <= (neighbours != mixed)
    pairs = data(result, "pairs").rows
    assert len(pairs) == min(int(result.params["d"]) // 2, 16)
    assert [row["wavelength"] for row in pairs] == sorted(row["wavelength"] for row in pairs)


@pytest.mark.parametrize("params", [{}, {"d": 6, "m": 50, "n": 90, "base": 500_000, "factor": 4, "seed": 9}])
def test_the_code_gives_the_same_scores(params: dict[str, int]) -> None:
    result = run("rope", params)
    assert copied(result)["scores"] == pytest.approx(
        [row["score"] for row in data(result, "scores").rows], abs=1e-9
    )


def test_a_pair_is_turned_by_its_angle() -> None:
    turned = rotate(torch.tensor([[1.0, 0.0]], dtype=torch.float64), torch.tensor([math.pi / 2]))
    torch.testing.assert_close(turned, torch.tensor([[0.0, 1.0]], dtype=torch.float64), atol=1e-7, rtol=0)


def test_an_odd_head_size_is_refused() -> None:
    with pytest.raises(BadParams, match="63 is odd"):
        parse(demo("rope"), {"d": 63})
