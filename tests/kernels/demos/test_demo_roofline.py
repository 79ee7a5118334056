"""The demo `roofline`: published intensities and ridges, and sentences that follow the figures of the run."""

from __future__ import annotations

import pytest

from kernels.catalog import BadParams, demo, parse
from kernels.hardware import CHIPS
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled

NAMES = ("unfused", "tile", "ceiling", "decode MHA", "decode GQA", "decode MQA", "decode MLA")


def test_the_figures_of_the_cards() -> None:
    result = run("roofline", {})
    rows = data(result, "points").rows
    assert [round(row["intensity"], 1) for row in rows] == [62.1, 124.1, 2048, 1, 8, 64, 241.8]
    assert [row["bound"] for row in rows].count("arithmetic") == 1
    assert data(result, "chips").rows[1]["ridge"] == pytest.approx(153, abs=0.5)
    assert data(result, "roof").ridge == pytest.approx(295, abs=0.5)
    assert [data(result, "io").rows[i]["ratio"] for i in (1, 2)] == [0.08, 0.32]
    assert data(result, "crossover").rows == (
        {"d_model": 4096, "full": 24576, "causal": 49152},
        {"d_model": 8192, "full": 49152, "causal": 98304},
    )


def test_a_chip_with_a_lower_ridge_turns_mla_around() -> None:
    for device, bound in (("a100-80gb", "arithmetic"), ("h200", "arithmetic"), ("h800", "bandwidth")):
        assert data(run("roofline", {"device": device}), "points").rows[6]["bound"] == bound


def test_dividing_the_heads_of_mla_over_chips_makes_it_bound_by_bandwidth_again() -> None:
    one, eight = (data(run("roofline", {"device": "h200", "h_mla": h}), "points").rows[6] for h in (128, 16))
    assert (one["bound"], eight["bound"]) == ("arithmetic", "bandwidth")


def test_more_tokens_a_step_raise_the_intensity_of_decoding_alone() -> None:
    before, after = (data(run("roofline", {"n_q": n}), "points").rows for n in (1, 4))
    ratios = [b["intensity"] / a["intensity"] for a, b in zip(before, after, strict=True)]
    assert ratios == pytest.approx([1, 1, 1, 4, 4, 4, 4])


def test_no_sentence_contradicts_its_figures() -> None:
    for result in sampled("roofline", 30):
        params, roof, rows = result.params, data(result, "roof"), data(result, "points").rows
        assert broken(result) == []
        left = [row["kernel"] for row in rows if row["intensity"] < roof.ridge]
        told = result.block("roof").look_for
        assert told == (
            f"Bound by bandwidth, left of the ridge: {'; '.join(left)}."
            if left
            else "None stands left of the ridge: all are bound by arithmetic."
        )
        assert left == [row["kernel"] for row in rows if row["bound"] == "bandwidth"]
        assert all(row["tflops"] <= roof.peak / 1e12 for row in rows)
        assert ("l2" in {block.id for block in result.blocks}) == (rows[1]["intensity"] < roof.ridge)
        assert f"on one chip: {rows[6]['intensity']:,.1f} FLOP/B." in data(result, "mla").text
        for row in data(result, "io").rows:
            covered = row["d"] <= int(params["sram"]) <= int(params["n"]) * row["d"]
            assert (row["fused"] is not None) == covered
        limits = [line.y[-1] for line in data(result, "by-length").ys]
        assert limits[0] < int(params["d"]) / 2
        assert limits[1] < int(params["tile"])


def test_the_code_gives_the_figures_of_the_run() -> None:
    for result in sampled("roofline", 8):
        names = copied(result)
        assert [names["intensity"][name] for name in NAMES] == pytest.approx(
            [row["intensity"] for row in data(result, "points").rows]
        )
        assert names["ridge"] == data(result, "roof").ridge


def test_this_machine_can_be_the_roof() -> None:
    result = run("roofline", {"device": "here"})
    assert data(result, "chips").rows[-1]["origin"] == "measured"
    assert len(data(result, "chips").rows) == len(CHIPS) + 1
    assert "measured" in data(result, "roof").device
    assert "timed in this run" in data(result, "chip").text


def test_what_makes_no_sense_is_told() -> None:
    with pytest.raises(
        BadParams, match="no more query rows than there are tokens; lower tile to at most n=256"
    ):
        parse(demo("roofline"), {"n": 256, "tile": 512})
    with pytest.raises(BadParams, match="h_q must be a multiple of h_kv"):
        parse(demo("roofline"), {"h_q": 6, "h_kv": 4})
