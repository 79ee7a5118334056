"""The demo `scaling`: published figures in effect, the counter-case, and sentences that hold for any inputs."""

from __future__ import annotations

import math
import re

import pytest

from kernels.catalog import BadParams, demo, parse, refusals
from kernels.demos import scaling, scaling_figures
from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


@pytest.fixture(scope="module")
def default() -> Result:
    return run("scaling", {})


def test_the_variance_of_a_score_is_the_head_size(default: Result) -> None:
    for row, d in zip(data(default, "variance").rows, (2, 16, 64, 128, 256), strict=True):
        assert row["d_k"] == d
        assert row["variance"] == pytest.approx(d, rel=0.05)
        assert row["per_d"] == pytest.approx(1, rel=0.05)
        assert abs(row["mean"]) < 6 * math.sqrt(d / scaling_figures.PAIRS)
    beyond = {row["d_k"]: row["beyond"] for row in data(default, "variance").rows}
    assert beyond[64] == pytest.approx(21, abs=1)
    assert beyond[128] == pytest.approx(38, abs=1)


def test_saturation_by_head_size(default: Result) -> None:
    rows = {row["d_k"]: row for row in data(default, "by-width").rows}
    assert tuple(rows) == scaling_figures.WIDTHS
    for d, entropy in ((2, 4.04), (8, 2.59), (64, 0.68), (128, 0.45), (512, 0.20)):
        assert rows[d]["share_raw"] * math.log(128) == pytest.approx(entropy, abs=0.15)
    for d, share in ((64, 0.134), (256, 0.061), (1024, 0.029)):
        assert rows[d]["share_raw"] == pytest.approx(share, abs=0.01)
        assert rows[d]["share_root"] == pytest.approx(0.90, abs=0.005)
        assert rows[d]["share_by_d"] > 0.998
    assert rows[64]["largest_raw"] == pytest.approx(0.81, abs=0.03)
    assert rows[512]["largest_raw"] == pytest.approx(0.99, abs=0.01)
    assert rows[64]["largest_root"] == pytest.approx(0.06, abs=0.005)


@pytest.mark.parametrize("seed", range(3))
def test_gradients_vanish_in_one_case_and_grow_in_the_other(seed: int) -> None:
    few, many = (scaling_figures.case(seed, *case) for case in (scaling.FEW, scaling.MANY))
    assert few[0].jacobian < 1e-3
    assert few[1].jacobian == pytest.approx(0.30, abs=0.01)
    assert 0.49 < few[0].small < 0.58
    assert many[0].jacobian == pytest.approx(0.24, abs=0.04)
    assert many[1].jacobian == pytest.approx(0.132, abs=0.003)
    assert many[0].to_q == pytest.approx(0.96, abs=0.12)
    assert many[1].to_q == pytest.approx(0.127, abs=0.008)


def test_the_curves_of_the_jacobian_cross(default: Result) -> None:
    raw, root, _ = data(default, "jacobian-by-width").ys
    assert raw.y[2] > root.y[2]  # d_k = 64
    assert raw.y[5] < root.y[5] / 10  # d_k = 512
    assert "at d_k = 2, 8, 64: " in default.block("jacobian-by-width").look_for


def test_aligned_queries_defeat_the_root_and_not_the_whole_head_size() -> None:
    rows = data(run("scaling", {"inputs": "aligned", "queries": 500}), "by-width").rows
    assert rows[0]["share_root"] > 0.8 > 0.1 > rows[-1]["share_root"]
    assert min(row["share_by_d"] for row in rows) > 0.9


def test_checks_hold_and_sentences_are_true_of_random_parameters() -> None:
    kinds = set()
    for result in sampled("scaling", 8, queries=500):
        assert broken(result) == []
        kinds.add(result.params["inputs"])
        assert {"variance-is-d", "mean-is-half-d"} & {b.id for b in result.blocks} == {
            "mean-is-half-d" if result.params["inputs"] == "aligned" else "variance-is-d"
        }
        _sentences_are_true(result)
    assert kinds == {"normal", "uniform", "aligned"}


def _sentences_are_true(result: Result) -> None:
    rows = data(result, "variance").rows
    low, high = re.findall(r"\d+\.\d+", result.block("variance").look_for)
    assert (low, high) == (f"{min(r['per_d'] for r in rows):.2f}", f"{max(r['per_d'] for r in rows):.2f}")
    raw, root, *_ = data(result, "divisors").rows
    assert f"{raw['share']:.1%}" in result.block("divisors").look_for
    assert f"{root['share']:.1%} divided by the root" in result.block("divisors").look_for
    by_divisor = {line.label: line.y for line in data(result, "entropy-by-width").ys}
    told = result.block("entropy-by-width").look_for
    figures = [float(x) for x in re.findall(r"\d+\.\d+", told)]
    root, by_d = by_divisor["divided by sqrt(d_k)"], by_divisor["divided by d_k"]
    if result.params["inputs"] == "aligned":
        assert "all the same" in told
        assert figures[1:] == [round(x, 2) for x in (root[-1], min(by_d), max(by_d))]
        assert root[-1] < 0.1 * root[0] < 0.2 * min(by_d)
    else:
        assert figures[:2] == [round(x, 2) for x in (min(root), max(root))]
        assert "by the root it stays" in told
    at_64 = next(row for row in data(result, "by-width").rows if row["d_k"] == 64)
    shares = [f"{at_64[name]:.1%}" for name in ("share_raw", "share_root", "share_by_d")]
    assert re.findall(r"\d+\.\d%", result.block("by-width").look_for) == shares
    curves = data(result, "jacobian-by-width")
    larger = [x for x, a, b in zip(curves.x, curves.ys[0].y, curves.ys[1].y, strict=True) if a > b]
    said = re.search(r"d_k = ([\d, ]+):", result.block("jacobian-by-width").look_for)
    assert (list(map(int, said[1].split(", "))) if said else []) == larger
    gone, grown, _ = data(result, "jacobian").rows
    assert gone["raw_to_q"] < 0.1 * gone["root_to_q"]
    assert grown["raw_to_q"] > grown["root_to_q"]


@pytest.mark.parametrize("inputs", ["normal", "uniform", "aligned"])
def test_the_code_gives_the_same_figures(inputs: str) -> None:
    result = run("scaling", {"inputs": inputs, "d_k": 20, "n_kv": 9, "queries": 500, "seed": 3})
    names = copied(result)
    for row in data(result, "divisors").rows:
        wanted = (row["entropy"], row["largest"], row["jacobian"])
        assert names["table"][row["divisor"]] == pytest.approx(wanted, rel=1e-6)
    check = data(result, "mean-is-half-d" if inputs == "aligned" else "variance-is-d")
    assert check.got == pytest.approx(names["mean" if inputs == "aligned" else "variance"], rel=1e-6)


def test_too_many_scores_are_refused_in_a_sentence() -> None:
    entry = demo("scaling")
    with pytest.raises(BadParams, match="choose at most 512 queries"):
        parse(entry, {"n_kv": 1024})
    assert refusals(entry, parse(entry, {"n_kv": 1024, "queries": 512}), interpreter=True) == ()
