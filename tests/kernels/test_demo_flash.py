"""The demo `flash`: its checks hold over its limits, and no speed is shown where the kernel is interpreted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.catalog import parse_line
from kernels.device import settle
from kernels.result import Refused, Result
from kernels.run import run

INTERPRETED = settle().interpreter


def demo(line: str) -> Result:
    entry, params = parse_line(line)
    result = run(entry.name, {**params, "seed": 2})
    again = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert Result.from_json(again).to_json() == again
    return result


def data(result: Result, block: str) -> Any:
    return result.block(block).data


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
    result = demo(line)
    checks = {block.id: block.data for block in result.blocks if block.type == "check"}
    assert {"error", "lse"} <= set(checks)
    assert [name for name, check in checks.items() if not check.holds] == []  # type: ignore[union-attr]
    assert result.mode == ("interpreter" if INTERPRETED else "compiled")


def test_the_tile_grid_says_what_is_skipped() -> None:
    result = demo("flash n_q=100 n_kv=160 block_q=32 block_kv=32 h_q=1")
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
    result = demo("flash n_q=70 n_kv=40 d=16 h_q=1")
    assert data(result, "unseen-check").got == 0
    assert "30 queries" in data(result, "unseen").text
    assert data(result, "rows").rows[0]["lse"] == float("-inf")
    last = data(result, "rows").rows[-1]
    assert (last["row"], last["sees"]) == (69, 40)
    assert last["lse"] == pytest.approx(last["exact"], abs=1e-5)


@pytest.mark.skipif(not INTERPRETED, reason="a GPU compiles the kernel")
def test_the_interpreter_shows_no_time_and_refuses_what_it_cannot_do() -> None:
    result = demo("flash n_q=65 n_kv=1024 h_q=1")
    assert not {"timing", "speed"} & {block.id for block in result.blocks}
    with pytest.raises(Refused, match="bf16 needs a GPU"):
        demo("flash dtype=bf16")
    with pytest.raises(Refused, match="interpreted"):
        demo("flash n_q=16384 n_kv=16384")


@pytest.mark.gpu
@pytest.mark.skipif(INTERPRETED, reason="needs a CUDA device")
def test_a_gpu_shows_speed_with_its_spread() -> None:
    result = demo("flash n_q=4096 n_kv=4096 d=128 h_q=16 h_kv=16 dtype=bf16")
    ours, theirs = data(result, "timing").rows
    assert ours.flops == theirs.flops == 4 * 16 * 128 * (4096 * 4097 // 2)
    assert ours.p10 <= ours.median <= ours.p90
    assert data(result, "speed").rows[0]["tflops"] > 0
