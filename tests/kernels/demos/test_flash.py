"""The demo `flash`: its checks hold over its limits, and no speed is shown where the kernel is interpreted."""

from __future__ import annotations

import pytest

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.catalog import BadParams
from kernels.demos.flash_speed import tuned
from kernels.device import settle
from kernels.result import Refused, Table
from kernels.tuning import Choice, Config, Tried
from tests.kernels.demos.tools import broken, copied, data, ran, sampled

INTERPRETED = settle().interpreter


@pytest.mark.parametrize(
    "line",
    [
        "flash",
        "flash n_q=113 n_kv=203 d=80",
        "flash n_q=1 n_kv=1 d=16 h_q=1",
        "flash n_q=1 n_kv=257 d=59 causal=false",
        "flash n_q=70 n_kv=31 d=33 dtype=fp16 block_q=16 block_kv=32",
        "flash n_q=40 n_kv=40 d=256 batch=2 h_q=3 h_kv=3 dtype=fp16",
    ],
)
def test_every_check_holds(line: str) -> None:
    result = ran(line, seed=2)
    assert {"error", "lse"} <= {block.id for block in result.blocks}
    assert broken(result) == []
    assert result.mode == ("interpreter" if INTERPRETED else "compiled")


def test_the_tile_grid_says_what_is_skipped() -> None:
    result = ran("flash n_q=100 n_kv=160 block_q=32 block_kv=32 h_q=1")
    f, d, s = "full", "diagonal", "skipped"
    assert data(result, "mask").tiles.state == (
        (f, d, d, s, s),
        (f, f, d, d, s),
        (f, f, f, d, d),
        (f, f, f, f, d),
    )
    assert [row["count"] for row in data(result, "tiles").rows] == [17, 10, 7, 3]
    assert data(result, "tiles").rows[0]["share"] == 0.85


def test_rows_without_keys_are_asserted_and_explained() -> None:
    result = ran("flash n_q=70 n_kv=40 d=16 h_q=1")
    assert data(result, "unseen-check").got == 0
    assert "30 queries" in data(result, "unseen").text
    assert data(result, "rows").rows[0]["lse"] == float("-inf")
    last = data(result, "rows").rows[-1]
    assert (last["row"], last["sees"]) == (69, 40)
    assert last["lse"] == pytest.approx(last["exact"], abs=1e-5)


def test_a_window_skips_tiles_on_both_sides() -> None:
    result = ran("flash n_q=96 n_kv=128 window=20 block_q=32 block_kv=32 h_q=1 d=16")
    d, s = "diagonal", "skipped"
    assert data(result, "mask").tiles.state == ((d, d, s, s), (s, d, d, s), (s, s, d, d))
    assert data(result, "mask").align == "cells"
    assert [sum(row) for row in data(result, "mask").cells] == [20] * 96
    assert {row["sees"] for row in data(result, "rows").rows} == {20}


def test_a_poisoned_value_spoils_the_rows_of_its_tiles_and_all_of_plain_pytorch() -> None:
    """Fact D24: NaN in the last row of v, which one query sees, makes every row NaN where all is multiplied."""
    result = ran("flash n_q=160 n_kv=160 h_q=2 h_kv=1 d=16 poison=true")
    assert [row["rows"] for row in data(result, "poison").rows] == [2, 64, 320]
    assert data(result, "poison-check").expected == 64
    assert "62 rows that do not see the value are NaN all the same" in result.block("poison").look_for
    clean = ran("flash n_q=160 n_kv=160 h_q=2 h_kv=1 d=16")
    assert data(clean, "precision") == data(result, "precision")


def test_without_a_mask_every_row_is_rightly_spoilt() -> None:
    result = ran("flash n_q=20 n_kv=30 d=16 causal=false poison=true")
    assert "every row is NaN, and rightly so" in data(result, "poison-note").text


def test_what_is_copied_gives_the_log_sum_exps_and_the_spoilt_rows() -> None:
    for result in sampled("flash", 8, dtype="fp32", n_q=33, batch=1, h_q=2):
        mine = copied(result)
        for row in data(result, "rows").rows:
            assert float(mine["lse"][row["row"]]) == pytest.approx(row["exact"], rel=1e-6, abs=1e-9)
            assert bool(mine["visible"][row["row"]].sum() == row["sees"])
        assert float((mine["out"][0, 0] - mine["exact"]).abs().nan_to_num(1.0).max()) < 1e-5
        if result.params["poison"]:
            assert int(mine["spoilt"]) * 2 == data(result, "poison").rows[2]["rows"]


def test_every_check_holds_for_random_parameters() -> None:
    for result in sampled("flash", 6):
        assert broken(result) == [], result.params


def test_a_window_without_a_causal_mask_is_refused() -> None:
    with pytest.raises(BadParams, match="needs causal; or set window to 0"):
        ran("flash window=5 causal=false")


def test_all_settings_that_were_tried_are_shown() -> None:
    fast, slow, unfit = Config(128, 64, 8, 3, tma=True), Config(64, 64, 4, 3), Config(128, 128, 8, 3)
    choice = Choice(fast, (Tried(slow, 0.9), Tried(unfit, None, "out of resource"), Tried(fast, 0.6)))
    (block,) = tuned(choice)
    assert isinstance(block.data, Table)
    assert [(row["setting"], row["ms"], row["taken"]) for row in block.data.rows] == [
        ("64 x 64, 4 warps, 3 stages", 0.9, False),
        ("128 x 128, 8 warps, 3 stages", None, False),
        ("128 x 64, 8 warps, 3 stages, TMA", 0.6, True),
    ]
    assert "1.5 times as long as the fastest" in block.look_for
    assert tuned(Choice(fast, ())) == []


@pytest.mark.skipif(not INTERPRETED, reason="a GPU compiles the kernel")
def test_the_interpreter_shows_no_time_and_refuses_what_it_cannot_do() -> None:
    result = ran("flash n_q=65 n_kv=1024 h_q=1")
    assert not {"timing", "speed"} & {block.id for block in result.blocks}
    with pytest.raises(Refused, match="bf16 needs a GPU"):
        ran("flash dtype=bf16")
    with pytest.raises(Refused, match="interpreted"):
        ran("flash n_q=16384 n_kv=16384")


@pytest.mark.gpu
@pytest.mark.skipif(INTERPRETED, reason="needs a CUDA device")
def test_a_gpu_shows_speed_with_its_spread() -> None:
    result = ran("flash n_q=4096 n_kv=4096 d=128 h_q=16 h_kv=16 dtype=bf16")
    ours, theirs = data(result, "timing").rows
    assert ours.flops == theirs.flops == 4 * 16 * 128 * (4096 * 4097 // 2)
    assert ours.p10 <= ours.median <= ours.p90
    assert data(result, "speed").rows[0]["tflops"] > 0
    assert sum(row["taken"] for row in data(result, "tuned").rows) == 1
