"""The demo `attention`: the worked example, checks that hold, and that they fail in the broken variants."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import torch

from kernels.catalog import parse_line
from kernels.result import Result
from kernels.run import run

BOOK = (
    (1, 0, 0, 0),
    (0.1680, 0.8320, 0, 0),
    (0.0833, 0.4127, 0.5040, 0),
    (0.0612, 0.1362, 0.3030, 0.4996),
)


def demo(line: str, seed: int = 0) -> Result:
    entry, params = parse_line(line)
    result = run(entry.name, {**params, "seed": seed})
    again = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert Result.from_json(again).to_json() == again
    return result


def data(result: Result, block: str) -> Any:
    return result.block(block).data


@pytest.mark.parametrize("dtype", ["fp32", "fp64", "fp16", "bf16"])
def test_the_book_example_gives_the_weights_of_the_cards(dtype: str) -> None:
    result = demo(f"attention dtype={dtype}")
    weights = data(result, "weights")
    assert [stage.name for stage in weights.stages] == ["raw", "scaled", "masked", "softmax"]
    assert weights.row_labels == ("The", "cat", "sat", "down")
    tolerance = {"fp32": 5e-5, "fp64": 5e-5, "fp16": 5e-4, "bf16": 5e-3}[dtype]
    for row, expected in zip(weights.stages[3].values, BOOK, strict=True):
        assert row == pytest.approx(expected, abs=tolerance)
    assert weights.stages[2].values[0][1:] == (-math.inf,) * 3
    assert weights.mask[1] == (1, 1, 0, 0)
    assert data(result, "mask").cells[2] == (1, 1, 1, 0)


def test_the_book_example_without_a_mask_and_with_a_late_one() -> None:
    open_row = data(demo("attention causal=false"), "weights").stages[3].values[0]
    assert open_row == pytest.approx((0.568, 0.155, 0.047, 0.231), abs=6e-4)
    late = demo("attention mask_at=after")
    assert [row["sum"] for row in data(late, "rows").rows] == pytest.approx(
        (0.568, 0.771, 0.960, 1), abs=6e-4
    )
    assert [stage.name for stage in data(late, "weights").stages] == ["raw", "scaled", "softmax", "masked"]
    assert not data(late, "row-sums").holds
    assert data(late, "causality").got == 3


@pytest.mark.parametrize(
    "line",
    [
        "attention",
        "attention example=random n_q=1 n_kv=1 d_k=1",
        "attention example=random n_q=1 n_kv=6",
        "attention example=random n_q=6 n_kv=2 h_q=2",
        "attention example=random n_q=6 n_kv=2 align=top-left",
        "attention example=random n_q=3 n_kv=7 align=top-left h_q=6 h_kv=3 head=5",
        "attention example=random n_q=129 n_kv=113 d_k=59 h_q=4 h_kv=2 dtype=bf16",
        "attention example=random n_q=64 n_kv=128 d_k=256 scale=none dtype=fp16",
        "attention example=random n_q=64 n_kv=64 d_k=256 scale=none dtype=bf16",
        "attention example=random n_q=40 n_kv=40 d_k=32 scale=d_k dtype=fp64 causal=false",
        "attention example=random n_q=16 n_kv=16 fill=-1e9",
    ],
)
def test_every_check_of_a_right_variant_holds(line: str) -> None:
    result = demo(line)
    checks = {block.id: block.data for block in result.blocks if block.type == "check"}
    assert {"row-sums", "error"} <= set(checks)
    assert [name for name, check in checks.items() if not check.holds] == []  # type: ignore[union-attr]


@pytest.mark.parametrize("variant", ["fill=0", "fill=-10", "mask_at=after"])
def test_a_broken_variant_fails_its_checks(variant: str) -> None:
    result = demo(f"attention example=random n_q=8 n_kv=8 d_k=16 {variant}")
    assert not data(result, "causality").holds
    assert data(result, "causality").got == 7
    assert not data(result, "error").holds


def test_a_row_without_keys_is_told_apart() -> None:
    result = demo("attention example=random n_q=5 n_kv=2")
    assert "3 queries see no key" in data(result, "unseen").text
    assert data(result, "rows").rows[0] == {"row": "q0", "sees": 0, "largest": 0, "sum": 0, "lse": -math.inf}
    uniform = demo("attention example=random n_q=5 n_kv=3 fill=-1e9")
    assert data(uniform, "weights").stages[3].values[0] == pytest.approx((1 / 3,) * 3, abs=1e-6)


def test_dividing_by_the_root_keeps_variance_and_entropy() -> None:
    rows = data(demo("attention example=random n_q=256 n_kv=128 d_k=64 causal=false"), "scaling").rows
    assert rows[0]["variance"] == pytest.approx(64, rel=0.15)
    assert rows[1]["variance"] == pytest.approx(1, rel=0.15)
    assert rows[0]["entropy"] == pytest.approx(0.68, abs=0.12)
    assert 4.3 < rows[1]["entropy"] < rows[2]["entropy"] <= math.log(128)


def test_large_matrices_are_cut_to_a_window_on_the_diagonal() -> None:
    weights = data(demo("attention example=random n_q=40 n_kv=300 d_k=8"), "weights")
    assert weights.shape == (40, 300)
    assert weights.window == (0, 40, 228, 292)
    assert weights.col_labels[0] == "k228"
    assert weights.mask[0][32:34] == (1, 0)
    assert weights.row_sum == pytest.approx((1,) * 40)


@pytest.mark.parametrize(
    "line",
    [
        "attention",
        "attention mask_at=after dtype=fp64",
        "attention example=random n_q=6 n_kv=3 h_q=4 h_kv=2 head=3 d_k=8",
        "attention example=random n_q=5 n_kv=9 scale=d_k fill=-10",
        "attention example=random n_q=5 n_kv=9 align=top-left scale=none causal=false",
    ],
)
def test_the_code_shown_gives_what_is_drawn(line: str) -> None:
    result = demo(line, seed=7)
    names: dict[str, Any] = {}
    exec(data(result, "code").text, names)
    head = int(result.params["head"])
    drawn = torch.tensor(data(result, "weights").stages[3].values)
    assert torch.allclose(names["weights"][head].float(), drawn, atol=2e-6)
    assert names["out"].shape == (result.params["h_q"], result.params["n_q"], result.params["d_k"])


def test_time_and_memory_appear_from_1024_tokens_on_and_not_before() -> None:
    small = demo("attention example=random n_q=1023 n_kv=1024 d_k=16")
    assert not {"timing", "memory"} & {block.id for block in small.blocks}
    large = demo("attention example=random n_q=1024 n_kv=1024 d_k=64 h_q=4")
    plain, fused = data(large, "timing").rows
    assert plain.n >= 5
    assert plain.p10 <= plain.median <= plain.p90
    assert fused.flops == 4 * 4 * 64 * (1024 * 1025 // 2)
    calculated, measured, of_sdpa = (bar.n for bar in data(large, "memory").rows)
    assert calculated == 2 * 4 * 1024 * 1024 * 4
    assert measured == pytest.approx(calculated, rel=0.35)
    assert of_sdpa < measured / 3
    assert len(json.dumps(large.to_json())) < 300_000
