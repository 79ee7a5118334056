"""The demo `roofline`: published intensities and ridges, and sentences that follow the figures of the run."""

from __future__ import annotations

import pytest
import torch

from kernels import here
from kernels.catalog import BadParams, demo, parse
from kernels.hardware import CHIPS
from kernels.here import Probe
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
        assert f": {rows[6]['intensity']:,.1f} FLOP/B" in data(result, "mla").text
        for row in data(result, "io").rows:
            covered = row["d"] <= int(params["sram"]) <= int(params["n"]) * row["d"]
            assert (row["ratio"] is not None) == covered
            if row["d"] < 2 * int(params["tile"]):
                assert row["fused"] < row["unfused"]
        limits = [line.y[-1] for line in data(result, "by-length").ys]
        assert limits[0] < int(params["d"]) / 2
        assert limits[1] < int(params["tile"])


def test_accesses_are_counted_and_the_theorem_stands_beside_them() -> None:
    rows = data(run("roofline", {"n": 2**17}), "io").rows
    assert [row["share"] for row in rows] == pytest.approx([0.125, 0.25, 0.5, 1.0], rel=2e-3)
    assert rows[3]["fused"] < rows[3]["unfused"]
    assert [row["ratio"] for row in rows[1:3]] == [0.08, 0.32]


@pytest.mark.parametrize(
    ("params", "told", "untold"),
    [
        ({}, ("2.0 MiB of them here", "fit into the L2 cache of 50.0 MiB", "75 to 85 %"), ()),
        ({"d": 64}, ("1.0 MiB of them",), ("75 to 85",)),
        ({"n": 1_048_576, "d": 512}, ("2.0 GiB of them", "more than the L2 cache of 50.0 MiB"), ("75 to 85",)),
        ({"device": "h200", "n": 256, "d": 16, "tile": 16}, ("whatever a cache does", "it is 128.0."), ("L2", "MiB")),
        ({"device": "a100-40gb"}, ("towards the point where everything is read once",), ("L2", "75 to 85")),
    ],
)  # fmt: skip
def test_what_a_cache_can_do_follows_the_figures(
    params: dict[str, object], told: tuple[str, ...], untold: tuple[str, ...]
) -> None:
    text = data(run("roofline", params), "l2").text
    assert [words for words in told if words not in text] == []
    assert [words for words in untold if words in text] == []


def test_mla_is_told_once() -> None:
    assert data(run("roofline", {}), "mla").text.count("241.8") == 1
    other = data(run("roofline", {"h_mla": 1}), "mla").text
    assert other.startswith(
        "1 head on one chip and 1 new token: 1.9 FLOP/B. With 128 heads and one new token"
    )


def test_a_chip_that_was_seen_throttled_is_no_data_sheet() -> None:
    origins = {row["chip"]: row["origin"] for row in data(run("roofline", {}), "chips").rows}
    assert origins["H800, throttled"] == "seen by FlashMLA's authors"
    assert set(origins.values()) == {"data sheet", "seen by FlashMLA's authors"}


def test_the_code_gives_the_figures_of_the_run() -> None:
    for result in sampled("roofline", 8):
        names = copied(result)
        assert [names["intensity"][name] for name in NAMES] == pytest.approx(
            [row["intensity"] for row in data(result, "points").rows]
        )
        assert names["ridge"] == data(result, "roof").ridge


def test_this_machine_can_be_the_roof(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its ridge is that of the type that was timed, so the kernels' elements are of that type, too."""
    probe = Probe(2**22, 128, torch.float32)
    monkeypatch.setattr(here, "PROBES", {"cpu": probe, "cuda": probe})
    result, sheet = run("roofline", {"device": "here"}), run("roofline", {})
    assert (result.mode, sheet.mode) == ("eager", "calculated")
    assert data(result, "chips").rows[-1]["origin"] == "measured"
    assert len(data(result, "chips").rows) == len(CHIPS) + 1
    assert "measured in float32" in data(result, "roof").device
    assert "timed in this run" in data(result, "chip").text
    halves = [row["intensity"] / 2 for row in data(sheet, "points").rows]
    assert [row["intensity"] for row in data(result, "points").rows] == pytest.approx(halves)
    assert "32-bit elements" in result.block("points").look_for
    assert broken(result) == []
    assert list(copied(result)["intensity"].values()) == pytest.approx(halves)


def test_what_makes_no_sense_is_told() -> None:
    with pytest.raises(
        BadParams, match="no more query rows than there are tokens; lower tile to at most n=256"
    ):
        parse(demo("roofline"), {"n": 256, "tile": 512})
    with pytest.raises(BadParams, match="h_q must be a multiple of h_kv"):
        parse(demo("roofline"), {"h_q": 6, "h_kv": 4})
