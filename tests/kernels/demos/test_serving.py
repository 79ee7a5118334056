"""The demo `serving`: the worked example, and sentences that follow the figures of the run."""

from __future__ import annotations

import math
import re

import pytest

from kernels.catalog import BadParams, demo, parse
from kernels.hardware import CHIPS
from kernels.models import MODELS
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled


def test_the_worked_example() -> None:
    result = run("serving", {})
    sold, reported = data(result, "fits").rows
    assert (sold["bf16"], sold["fp8"], reported["bf16"]) == (11, 23, 12)
    one, eight, most = data(result, "latency").rows
    assert round(one["ms"], 2) == 6.87
    assert round(one["gathered_ms"], 1) == 6.8
    assert round(eight["ms"], 1) == 18.1
    assert round(eight["share"], 2) == 0.71
    assert most["requests"] == 11


def test_sixteen_chips_copy_the_heads_of_a_model_that_has_eight() -> None:
    rows = {row["count"]: row for row in data(run("serving", {}), "tensor-parallel").rows}
    assert [rows[n]["copies"] for n in (4, 8, 16, 32)] == [1, 1, 2, 4]
    assert rows[4]["cache_gb"] == 2 * rows[8]["cache_gb"] == 2 * rows[16]["cache_gb"]


def test_no_sentence_contradicts_its_figures() -> None:
    for result in sampled("serving", 60):
        params = result.params
        model, chip = MODELS[str(params["model"])], CHIPS[str(params["device"])]
        assert broken(result) == []
        weights, caches, memory = (bar.n for bar in data(result, "memory").rows)
        batch = int(params["batch"])
        verb = ("fit" if batch > 1 else "fits") if weights + caches <= memory else "not fit"
        assert result.block("memory").look_for.endswith(f"{verb}.")
        alone = result.block("fits").look_for.startswith("The weights alone do not fit")
        assert alone == (weights > memory)
        assert len(data(result, "fits").rows) == 1 + (chip.reported is not None)
        heavier = re.match(r"From ([\d,]+) requests? on", result.block("by-batch").look_for)
        assert heavier
        n, one = int(heavier[1].replace(",", "")), caches // batch
        assert n * one > weights >= (n - 1) * one
        rows = data(result, "tensor-parallel").rows
        copied_heads = result.block("tensor-parallel").look_for.startswith(
            f"At {model.h_kv} chips each holds one"
        )
        assert copied_heads == any(row["copies"] > 1 for row in rows)
        assert copied_heads == (rows[-1]["cache_gb"] == rows[-2]["cache_gb"])
        fits = data(result, "latency").rows
        assert all(row["fits"] == (weights + row["requests"] * one <= memory) for row in fits)
        most = data(result, "fits").rows[0][str(params["cache"])]
        assert [row["requests"] for row in fits] == sorted({1, batch, most or 1})
        assert data(result, "fits-check").got == weights + (most + 1) * one > memory
        ids = {block.id for block in result.blocks}
        assert ("fits-most" in ids) == (most > 0)
        if most:
            assert data(result, "fits-most").got == weights + most * one <= memory


def test_the_code_gives_the_figures_of_the_run() -> None:
    for result in sampled("serving", 40):
        names, params = copied(result), result.params
        fits, latency = data(result, "fits").rows[0], data(result, "latency").rows
        assert names["fits"] == fits[str(params["cache"])]
        steps = {row["requests"]: row["ms"] for row in latency}
        for requests in (1, int(params["batch"])):
            assert math.isclose(names["milliseconds"][requests], steps[requests])


def test_heads_that_cannot_be_divided_are_told() -> None:
    with pytest.raises(BadParams, match="Llama-2-13B has 40; choose another count"):
        parse(demo("serving"), {"model": "llama-2-13b", "count": "16"})
