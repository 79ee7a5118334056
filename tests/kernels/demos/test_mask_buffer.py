"""The demo `mask-buffer`: exact bytes of masks that are kept."""

from __future__ import annotations

import re

import pytest

from kernels.mask_buffer import buffer_bytes, index_bytes, tensor_bytes
from kernels.run import run
from kernels.units import GIB, MIB
from tests.kernels.demos.tools import broken, copied, data, sampled


@pytest.mark.parametrize(
    ("tokens", "layers", "dtype", "size"),
    [
        (2048, 1, "fp32", 16 * MIB),
        (8192, 1, "fp32", 256 * MIB),
        (32768, 1, "fp32", 4 * GIB),
        (131072, 1, "fp32", 64 * GIB),
        (131072, 1, "bool", 16 * GIB),
        (8192, 32, "fp32", 8 * GIB),
        (1, 1, "bf16", 2),
    ],
)
def test_bytes_of_a_buffer(tokens: int, layers: int, dtype: str, size: int) -> None:
    assert buffer_bytes(tokens, dtype, layers) == size
    result = run("mask-buffer", {"tokens": tokens, "layers": layers, "dtype": dtype})
    assert data(result, "buffer").rows[0].n == size
    assert copied(result)["total"] == size


def test_from_2k_to_128k() -> None:
    rows = data(run("mask-buffer", {}), "by-length").rows
    assert [row["mib"] for row in rows] == [16 * 4**i for i in range(7)]
    assert [row["bool_mib"] for row in rows] == [4 * 4**i for i in range(7)]
    assert (rows[0]["tokens"], rows[-1]["tokens"], rows[-1]["gib"], rows[-1]["all_gib"]) == (
        2048,
        131072,
        64,
        2048,
    )


def test_the_mask_meets_the_tensors_at_8192_tokens() -> None:
    assert buffer_bytes(8192, "fp32") == tensor_bytes(8192, 4096)
    assert "at 8,192 tokens" in run("mask-buffer", {}).block("growth").look_for


def test_checks_and_figures_hold_for_any_parameters() -> None:
    for result in sampled("mask-buffer", 50):
        assert broken(result) == [], result.params
        bars, layers = data(result, "buffer").rows, int(result.params["layers"])
        assert bars[0].n == buffer_bytes(int(result.params["tokens"]), str(result.params["dtype"]), layers)
        assert bars[-2].label == "bool, one for all layers"
        assert bars[-2].n <= bars[0].n
        assert bars[-1].n == index_bytes(int(result.params["tokens"]))
        told = re.match(r"In all layers ([\d,]+) B", result.block("buffer").alt)
        assert told is not None
        assert int(told[1].replace(",", "")) == bars[0].n
