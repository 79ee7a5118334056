"""The demo `parameters`: exact counts, equal to those of PyTorch's own layers."""

from __future__ import annotations

import pytest
from torch import nn

from kernels.catalog import BadParams, demo, parse
from kernels.cost import parameters
from kernels.entries.parameters import CONFIGURED
from kernels.models import MODELS
from kernels.parameters import Projections
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


def test_the_published_counts() -> None:
    base = run("parameters", {})
    assert data(base, "projections").rows[4]["total"] == 1_048_576
    llama = run("parameters", {"model": "llama-3-8b"})
    mha, gqa, _ = data(llama, "sharing").rows
    assert (gqa["total"], mha["total"]) == (41_943_040, 67_108_864)
    assert gqa["share"] == 62.5
    assert data(llama, "layers").rows[0]["total"] == 32 * 41_943_040
    assert {block.id for block in base.blocks} - {block.id for block in llama.blocks} == {"four-d-squared"}


@pytest.mark.parametrize("bias", [False, True])
def test_multi_head_attention_of_pytorch_counts_the_same(bias: bool) -> None:
    layer = nn.MultiheadAttention(48, 6, bias=bias)
    counted = Projections(48, 6, 6, 8, "all" if bias else "none").total
    assert counted == sum(weight.numel() for weight in layer.parameters())


@pytest.mark.parametrize("bias", ["none", "qkv", "all"])
def test_shared_heads_count_as_four_linear_layers_do(bias: str) -> None:
    shapes = ((20, 6 * 7), (20, 2 * 7), (20, 2 * 7), (6 * 7, 20))
    biased = (bias != "none",) * 3 + (bias == "all",)
    layers = [nn.Linear(*shape, bias=b) for shape, b in zip(shapes, biased, strict=True)]
    rows = data(
        run("parameters", {"d_model": 20, "h_q": 6, "h_kv": 2, "d_head": 7, "bias": bias}), "projections"
    ).rows
    counts = [sum(weight.numel() for weight in layer.parameters()) for layer in layers]
    assert [row["total"] for row in rows] == [*counts, sum(counts)]


def test_the_number_of_heads_cancels() -> None:
    rows = data(run("parameters", {"d_model": 1536}), "heads").rows
    assert [row["heads"] for row in rows] == [1, 2, 4, 8, 16, 32, 64]
    assert {row["total"] for row in rows} == {4 * 1536**2}


def test_three_of_five_models_do_not_keep_the_convention() -> None:
    rows = data(run("parameters", {}), "convention").rows
    assert [row["same"] for row in rows] == [True, True, False, False, False]
    assert [row["width"] for row in rows] == [512, 4096, 4096, 12288, 16384]


@pytest.mark.parametrize("name", CONFIGURED)
def test_most_of_a_models_weights_are_in_its_mlps(name: str) -> None:
    model, whole = MODELS[name], parameters(MODELS[name])
    assert model.dense is not None
    assert whole is not None
    assert 3 * model.dense.d_model * model.dense.d_ff * model.layers > whole / 2
    row = data(run("parameters", {"model": name}), "layers").rows[0]
    assert 0 < row["share"] < 50


def test_checks_hold_the_code_counts_the_same_and_sentences_are_true() -> None:
    for result in sampled("parameters", 40):
        assert broken(result) == []
        names = copied(result)
        assert names["layer"] == data(result, "projections").rows[4]["total"]
        assert names["total"] == data(result, "layers").rows[0]["total"]
        assert [bar.n for bar in data(result, "size").rows] == [
            2 * row["total"] for row in data(result, "projections").rows[:4]
        ]
        rows = data(result, "sharing").rows
        (chosen,) = (row for row in rows if row["kind"].endswith(", as chosen"))
        assert [row["h_kv"] for row in rows] == sorted({row["h_kv"] for row in rows}, reverse=True)
        saved = rows[0]["total"] - chosen["total"]
        said = result.block("sharing").look_for
        assert (f"saves {saved:,} parameters" in said) if saved else said.endswith("W_K and W_V alone.")


@pytest.mark.parametrize(
    ("h_q", "h_kv", "kinds"),
    [
        (8, 8, ["MHA, as chosen", "MQA"]),
        (8, 2, ["MHA", "GQA, as chosen", "MQA"]),
        (8, 1, ["MHA", "MQA, as chosen"]),
        (1, 1, ["MHA, as chosen"]),
    ],
)
def test_no_kind_of_sharing_stands_twice(h_q: int, h_kv: int, kinds: list[str]) -> None:
    rows = data(run("parameters", {"h_q": h_q, "h_kv": h_kv}), "sharing").rows
    assert [row["kind"] for row in rows] == kinds


def test_what_does_not_go_together_is_refused_in_a_sentence() -> None:
    entry = demo("parameters")
    with pytest.raises(BadParams, match="multiple of h_kv"):
        parse(entry, {"h_q": 6, "h_kv": 4})
    with pytest.raises(BadParams, match="set model=custom to choose d_model, layers"):
        parse(entry, {"model": "llama-3-8b", "d_model": 64, "layers": 2})
