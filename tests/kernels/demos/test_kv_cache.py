"""The demo `kv-cache`: bytes a token, weights of fewer bits, windows, and what MLA keeps."""

from __future__ import annotations

import pytest

from kernels.catalog import demo
from kernels.models import MODELS
from kernels.run import run
from tests.kernels.demos.tools import Readings, broken, chosen, contradictions, copied, data, sampled


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("as_mha", [False, True])
def test_it_holds_for_every_model_and_its_formula_gives_its_figure(model: str, as_mha: bool) -> None:
    result = run("kv-cache", {"model": model, "as_mha": as_mha, "tokens": 10_000, "batch": 3, "dtype": "fp8"})
    assert result.mode == "calculated"
    assert broken(result) == []
    total = copied(result, "formula")["total"]
    assert total == data(result, "size").rows[2]["bytes"] == data(result, "cache").rows[0].n


@pytest.mark.parametrize("end", ["low", "high"])
def test_the_ends_of_its_limits_run(end: str) -> None:
    ends = {p.name: getattr(p, end) for p in demo("kv-cache").params if p.kind == "int"}
    assert broken(run("kv-cache", ends | {"dtype": "int4"})) == []


def test_gib_and_gb_are_both_given() -> None:
    row = data(run("kv-cache", {}), "size").rows[1]
    assert (row["gib"], round(row["gb"], 2)) == (40, 42.95)


def test_weights_of_fewer_bits_are_outweighed_by_fewer_requests() -> None:
    rows = data(run("kv-cache", {}), "crossover").rows
    assert [(row["weights"], row["requests"]) for row in rows] == [("bf16", 4), ("fp8", 2), ("int4", 1)]


def test_a_window_caps_the_cache_at_half_a_gibibyte_and_reaches_further() -> None:
    whole, window = data(run("kv-cache", {"model": "mistral-7b"}), "window").rows
    assert (whole["mib"], window["mib"]) == (16 * 1024, 512)
    assert window["reach"] == 32 * 4096 == 131_072


def test_what_flashmla_keeps_of_a_token() -> None:
    rows = data(run("kv-cache", {"model": "deepseek-v3"}), "mla-fp8").rows
    assert [row["bytes"] for row in rows] == [1024, 128, 512, 16, 128, 1152, 656]


def test_the_saving_of_deepseek_v2_is_reconstructed() -> None:
    result = run("kv-cache", {"model": "deepseek-v2"})
    same, fewer = data(result, "mla-saving").rows
    assert (same["v2"], same["older"]) == (34_560, 194_560)
    assert (round(same["saved"], 1), round(fewer["saved"], 2)) == (82.2, 93.34)
    assert data(result, "mla-groups").got == 2.25


def test_gib_of_a_long_request() -> None:
    rows = {row["model"]: row["gib"] for row in data(run("kv-cache", {}), "per-token").rows}
    assert (rows["Llama-3-8B"], rows["Llama-3-70B"], rows["Llama-3.1-405B"]) == (16, 40, 63)
    assert rows["Mistral-7B v0.1"] == 0.5
    assert rows["DeepSeek-V2"] == pytest.approx(8.4, abs=0.05)


def test_blocks_come_where_they_belong() -> None:
    for result in sampled("kv-cache", 40):
        model, ids = str(result.params["model"]), {block.id for block in result.blocks}
        assert broken(result) == []
        assert ("window" in ids) == (model == "mistral-7b")
        assert ("mla-fp8" in ids) == (model in ("deepseek-v2", "deepseek-v3"))
        if "window" in ids:
            whole, window = data(result, "window").rows
            assert window["tokens"] == min(whole["tokens"], 4096)


def test_sizes_are_told_in_a_unit_that_fits_them() -> None:
    small = run("kv-cache", {"tokens": 1, "model": "falcon-7b"}).block("size").alt
    assert small == "8,192 B per token; 8.00 KiB = 8.19 kB in all."
    ends = {p.name: p.high for p in demo("kv-cache").params if p.kind == "int"}
    assert "PiB" in run("kv-cache", ends).block("size").alt


def test_a_cache_as_if_mha_says_so() -> None:
    result = run("kv-cache", {"as_mha": True})
    assert result.block("size").title.endswith(", as if MHA")
    assert data(result, "cache").rows[0].label == "cache, as if MHA"
    assert "MHA" not in run("kv-cache", {}).block("size").title


def test_one_request_fewer_does_not_outweigh_the_weights() -> None:
    result = run("kv-cache", {})
    needed = data(result, "crossover").rows[0]["requests"]
    one = data(result, "size").rows[1]["bytes"]
    assert (data(result, "crossover-check").got, data(result, "crossover-fewer").got) == (4 * one, 3 * one)
    assert needed == 4


KV: Readings = {
    "formula": {r"It runs as it stands\.": lambda m, r: True},  # another test runs it
    "size": {
        r"1 GiB is 2\^30 bytes, 1 GB is 10\^9: the same cache has two numbers\.": lambda m, r: True,
        r"([\d,]+) B per token; .*": lambda m, r: (
            int(m[1].replace(",", "")) == data(r, "size").rows[0]["bytes"]
        ),
    },
    "cache": {
        r"Each request brings a cache of its own\.": lambda m, r: (
            not any("weights" in bar.label for bar in data(r, "cache").rows)
        ),
        r"A decode step reads the weights once for all requests; each request brings a cache of its own\.": (
            lambda m, r: data(r, "cache").rows[-1].label == "weights in bf16"
        ),
        r"(cache|weights).*B\.": lambda m, r: m[0].count(";") + 1 == len(data(r, "cache").rows),
    },
    "per-token": {
        r"Falcon-40B and 180B keep 8 key/value heads: GQA, while Falcon-7B keeps one\. "
        r"A model with a window keeps no more tokens than it has\.": lambda m, r: (
            [x["h_kv"] for x in data(r, "per-token").rows if x["model"].startswith("Falcon")] == [1, 8, 8]
        ),
    },
    "window": {
        r"A layer reads ([\d,]+) tokens, its own among them, so (\d+) layers reach ([\d,]+) back, .*": lambda m, r: (
            data(r, "window").rows[1]["reach"] == int(m[1].replace(",", "")) * int(m[2])
            and int(m[3].replace(",", "")) == (int(m[1].replace(",", "")) - 1) * int(m[2])
        ),
    },
    "mla-fp8": {
        r"The RoPE key stays in bf16, and the products are computed in bf16, too\.": lambda m, r: True
    },
    "mla-saving": {
        r"A reconstruction: (\S+) % includes fewer bits and fewer layers\. At the same bits it is (\S+) %\.": (
            lambda m, r: all(
                round(row["saved"], 1) == float(said)
                for row, said in zip(data(r, "mla-saving").rows, (m[2], m[1]), strict=True)
            )
        ),
    },
    "source": {r".+: .+\.": lambda m, r: True},
    "known": {r"These hold the code .* whatever was asked\.": lambda m, r: True},
}


def test_no_sentence_of_kv_cache_contradicts_its_figures() -> None:
    models = next(p.choices for p in demo("kv-cache").params if p.name == "model")
    for params in chosen(
        "kv-cache", 5, 100, model=models, tokens=(1, 5000, 131072), batch=(1, 2, 500), dtype=("bf16", "fp8", "int4"),
        as_mha=(True, False),
    ):  # fmt: skip
        assert contradictions(run("kv-cache", params), KV) == [], params
