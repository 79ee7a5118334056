"""The demo `attention`: the worked example, checks that hold, and that they fail in the broken variants."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from kernels.catalog import BadParams, parse_line
from kernels.result import Result
from tests.kernels.demos.tools import broken, copied, data, ran

ROOT = Path(__file__).parents[3]

BOOK = (
    (1, 0, 0, 0),
    (0.1680, 0.8320, 0, 0),
    (0.0833, 0.4127, 0.5040, 0),
    (0.0612, 0.1362, 0.3030, 0.4996),
)


@pytest.mark.parametrize("dtype", ["fp32", "fp64", "fp16", "bf16"])
def test_the_book_example_gives_the_weights_of_the_cards(dtype: str) -> None:
    result = ran(f"attention dtype={dtype}")
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
    open_row = data(ran("attention causal=false"), "weights").stages[3].values[0]
    assert open_row == pytest.approx((0.568, 0.155, 0.047, 0.231), abs=6e-4)
    late = ran("attention mask_at=after")
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
    result = ran(line)
    assert {"row-sums", "error"} <= {block.id for block in result.blocks}
    assert broken(result) == []


@pytest.mark.parametrize("variant", ["fill=0", "fill=-10", "mask_at=after"])
def test_a_broken_variant_fails_its_checks(variant: str) -> None:
    result = ran(f"attention example=random n_q=8 n_kv=8 d_k=16 {variant}")
    assert not data(result, "causality").holds
    assert data(result, "causality").got == 7
    assert not data(result, "error").holds


def test_a_row_without_keys_is_told_apart() -> None:
    result = ran("attention example=random n_q=5 n_kv=2")
    assert "3 queries see no key" in data(result, "unseen").text
    assert data(result, "rows").rows[0] == {"row": "q0", "sees": 0, "largest": 0, "sum": 0, "lse": -math.inf}
    uniform = ran("attention example=random n_q=5 n_kv=3 fill=-1e9")
    assert data(uniform, "weights").stages[3].values[0] == pytest.approx((1 / 3,) * 3, abs=1e-6)


def test_dividing_by_the_root_keeps_variance_and_entropy() -> None:
    rows = data(ran("attention example=random n_q=256 n_kv=128 d_k=64 causal=false"), "scaling").rows
    assert rows[0]["variance"] == pytest.approx(64, rel=0.15)
    assert rows[1]["variance"] == pytest.approx(1, rel=0.15)
    assert rows[0]["entropy"] == pytest.approx(0.68, abs=0.12)
    assert 4.3 < rows[1]["entropy"] < rows[2]["entropy"] <= math.log(128)


def test_large_matrices_are_cut_to_a_window_on_the_diagonal() -> None:
    weights = data(ran("attention example=random n_q=40 n_kv=300 d_k=8"), "weights")
    assert weights.shape == (40, 300)
    assert weights.window == (0, 40, 228, 292)
    assert weights.col_labels[0] == "k228"
    assert weights.mask[0][32:34] == (1, 0)
    assert weights.row_sum == pytest.approx((1,) * 40)


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ("row=100 col=7", (100, 164, 7, 71)),
        ("row=100", (100, 164, 168, 232)),
        ("row=199 col=299", (136, 200, 236, 300)),  # at the end the window is moved to fit
        ("row=100 align=top-left", (100, 164, 68, 132)),
    ],
)
def test_the_window_begins_where_it_is_told(more: str, part: tuple[int, ...]) -> None:
    result = ran(f"attention example=random n_q=200 n_kv=300 d_k=8 {more}")
    weights = data(result, "weights")
    assert weights.window == part
    assert (weights.row_labels[0], weights.col_labels[-1]) == (f"q{part[0]}", f"k{part[3] - 1}")
    assert len(weights.stages[0].values) == part[1] - part[0]
    assert data(result, "rows").rows[0]["row"] == f"q{part[0]}"


@pytest.mark.parametrize("view", ["window", "mean", "max"])
def test_a_small_matrix_is_drawn_whole_whatever_the_view(view: str) -> None:
    weights = data(ran(f"attention example=random n_q=6 n_kv=5 row=3 col=2 view={view}"), "weights")
    assert (weights.window, weights.pool, len(weights.stages[0].values)) == (None, None, 6)


@pytest.mark.parametrize("line", ["row=4", "col=4", "view=mean row=9"])
def test_a_window_beyond_the_matrix_is_refused(line: str) -> None:
    with pytest.raises(BadParams, match=r"counts from 0, so with n_.*=4 it must be at most 3, not"):
        parse_line(f"attention example=random n_q=4 n_kv=4 {line}")


def test_a_pooled_matrix_keeps_what_the_whole_one_says() -> None:
    line = "attention example=random n_q=150 n_kv=200 d_k=8 h_q=2 h_kv=1 head=1 view="
    mean, largest = (data(ran(line + view), "weights") for view in ("mean", "max"))
    names = copied(ran(line + "mean"))
    whole = names["weights"].double()
    assert (mean.pool, mean.pooling, largest.pooling) == ((3, 4), "mean", "max")
    assert mean.row_labels[0] == "q0-2"
    assert mean.col_labels[-1] == "k196-199"
    for head, stages in ((1, mean.stages), (mean.others[0].head, mean.others[0].stages)):
        pooled = torch.tensor(stages[3].values, dtype=torch.float64)
        blocks = whole[head].view(50, 3, 50, 4)
        assert torch.allclose(pooled, blocks.mean(dim=(1, 3)), rtol=2e-3, atol=1e-12)
        # A row of means is the mean row over fewer columns: it still sums to 1, divided by the columns of a block.
        assert torch.allclose(pooled.sum(dim=-1) * 4, torch.ones(50, dtype=torch.float64), atol=2e-3)
    drawn = torch.tensor(largest.stages[3].values, dtype=torch.float64)
    assert torch.allclose(drawn, whole[1].view(50, 3, 50, 4).amax(dim=(1, 3)), rtol=2e-3, atol=1e-12)
    assert mean.stages[2].values[0][-1] == -math.inf  # nothing of this block is visible
    assert mean.mask[0][11:15] == pytest.approx((1, 11 / 12, 1 / 12, 0), abs=1e-4)  # on the diagonal a share
    assert mean.row_sum == pytest.approx((1,) * 50, abs=1e-5)


def test_up_to_eight_heads_can_be_switched_between() -> None:
    line = "attention example=random n_q=8 n_kv=8 d_k=16 h_q=12 h_kv=4 head=9"
    weights = data(ran(line), "weights")
    assert (weights.head, [other.head for other in weights.others]) == (9, [0, 1, 2, 3, 4, 5, 6])
    for other in weights.others:
        alone = data(ran(line.replace("head=9", f"head={other.head}")), "weights")
        assert (other.stages, other.row_max, other.row_sum) == (alone.stages, alone.row_max, alone.row_sum)


@pytest.mark.parametrize(
    ("line", "heads"),
    [
        ("n_q=128 n_kv=128", 1),
        ("n_q=64 n_kv=128", 2),
        ("n_q=512 n_kv=300", 4),
        ("n_q=300 n_kv=200 view=mean", 5),
    ],
)
def test_all_heads_together_hold_no_more_than_2_to_the_16_numbers(line: str, heads: int) -> None:
    weights = data(ran(f"attention example=random d_k=4 h_q=8 h_kv=8 {line}"), "weights")
    assert 1 + len(weights.others) == heads
    assert heads * 4 * len(weights.stages[0].values) * len(weights.stages[0].values[0]) <= 2**16


@pytest.mark.parametrize("view", ["window", "mean", "max"])
@pytest.mark.parametrize("variant", ["", "mask_at=after", "fill=0", "fill=-10", "causal=false"])
def test_what_is_said_of_a_large_matrix_is_true_of_all_that_is_drawn(view: str, variant: str) -> None:
    result = ran(f"attention example=random n_q=130 n_kv=140 d_k=4 view={view} {variant}")
    names = copied(result)
    part = data(result, "weights").window or (0, 130, 0, 140)
    rows = names["weights"][0].double()[part[0] : part[1]]
    drawn = rows[:, part[2] : part[3]]
    hidden = torch.ones(130, 140, dtype=torch.bool).triu(11)[part[0] : part[1], part[2] : part[3]]
    said = result.block("weights").look_for
    if variant == "causal=false":
        assert said == "No key is hidden from any query, so the mask changes nothing."
    elif variant == "mask_at=after":
        assert said.endswith(f"sums to as little as {float(rows.sum(dim=-1).min()):.3g}.")
    elif leak := float(drawn[hidden].max()):
        assert said.endswith(f"a hidden key still gets a weight of up to {leak:.3g}.")
    else:
        assert said == "Hidden scores become -inf, and their weights are exactly 0."
        assert variant == ""


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
    result = ran(line, seed=7)
    names = copied(result)
    head = int(result.params["head"])
    drawn = torch.tensor(data(result, "weights").stages[3].values)
    assert torch.allclose(names["weights"][head].float(), drawn, atol=2e-6)
    assert names["out"].shape == (result.params["h_q"], result.params["n_q"], result.params["d_k"])


def alone(line: str) -> Result:
    """A run in a process of its own: in one that has run much before, memory that was left over hides a peak."""
    code = (
        "import json, sys; from kernels.catalog import parse_line; from kernels.run import run; "
        "entry, params = parse_line(sys.argv[1]); print(json.dumps(run(entry.name, params).to_json()))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, line], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return Result.from_json(json.loads(told.stdout))


def test_time_and_memory_appear_from_1024_tokens_on_and_not_before() -> None:
    small = ran("attention example=random n_q=1023 n_kv=1024 d_k=16")
    assert not {"timing", "memory"} & {block.id for block in small.blocks}
    large = alone("attention example=random n_q=1024 n_kv=1024 d_k=64 h_q=4")
    plain, fused = data(large, "timing").rows
    assert plain.n >= 5
    assert plain.p10 <= plain.median <= plain.p90
    assert fused.flops == 4 * 4 * 64 * (1024 * 1025 // 2)
    calculated, measured, of_sdpa = (bar.n for bar in data(large, "memory").rows)
    assert calculated == 2 * 4 * 1024 * 1024 * 4
    assert measured == pytest.approx(calculated, rel=0.35)
    assert of_sdpa < measured / 3
    assert len(json.dumps(large.to_json())) < 600_000
