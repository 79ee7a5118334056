"""What fits on a server and how long a step takes at least: the worked example, and what more chips change."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernels.hardware import CHIPS
from kernels.models import MODELS
from kernels.serving import Server

SERVER = Server(MODELS["llama-3-70b"], CHIPS["h100-sxm"], 8, 131_072)


def test_the_worked_example() -> None:
    assert SERVER.fits(80 * 10**9) == 11
    assert SERVER.fits(81_559 * 2**20) == 12
    assert replace(SERVER, cache_dtype="fp8").fits(80 * 10**9) == 23
    assert 1000 * SERVER.step(1) == pytest.approx(6.87, abs=0.005)
    assert 1000 * SERVER.step(1, gathered=True) == pytest.approx(6.79, abs=0.005)
    assert 1000 * SERVER.step(8) == pytest.approx(18.1, abs=0.05)
    assert SERVER.cache_share(8) == pytest.approx(0.71, abs=0.005)
    assert SERVER.embedding == pytest.approx(2.1e9, rel=0.01)


def test_weights_of_fewer_bits() -> None:
    assert replace(SERVER, weight_dtype="fp8").weights == 70_553_706_496
    assert replace(SERVER, weight_dtype="int4").weights == 35_276_853_248


@pytest.mark.parametrize(
    ("count", "heads", "copies"), [(1, 8, 1), (4, 2, 1), (8, 1, 1), (16, 1, 2), (32, 1, 4)]
)
def test_heads_are_copied_once_there_are_more_chips_than_heads(count: int, heads: int, copies: int) -> None:
    server = replace(SERVER, count=count)
    assert (server.heads_per_chip, server.copies) == (heads, copies)
    assert server.request == SERVER.request * copies


def test_a_chip_s_share_of_a_cache_stops_shrinking() -> None:
    shares = [replace(SERVER, count=n).request / n for n in (4, 8, 16, 32)]
    assert shares[0] == 2 * shares[1]
    assert shares[1] == shares[2] == shares[3]


def test_weights_that_do_not_fit_leave_room_for_none() -> None:
    assert replace(SERVER, count=1).fits(80 * 10**9) == 0


def test_a_window_counts() -> None:
    mistral = Server(MODELS["mistral-7b"], CHIPS["h100-sxm"], 1, 131_072)
    assert mistral.request == replace(mistral, context=4096).request == 512 * 2**20


def test_weights_that_cannot_be_counted_are_told() -> None:
    with pytest.raises(ValueError, match="DeepSeek-V3 and R1 cannot be counted"):
        _ = replace(SERVER, model=MODELS["deepseek-v3"]).weights
