"""The code that the deck attention/cost teaches, held against the figures of kernels/."""

import math

import pytest

from kernels.hardware import CHIPS
from tests.content.taught import taught

H100 = CHIPS["h100-sxm"]


def tflops(n: int, d: int, tile: int | None) -> float:
    """What the card's floor on the time leaves of an H100's arithmetic."""
    seconds = taught("roofline-code")["least_seconds"](n, d, H100.peak, H100.bandwidth, tile)
    return 4 * n * n * d / float(seconds) / 1e12


@pytest.mark.parametrize(("tile", "expected"), [(None, 207.9), (128, 415.8), (4096, 989.0)])
def test_the_least_time_is_that_of_the_roofline(tile: int | None, expected: float) -> None:
    assert math.isclose(tflops(4096, 128, tile), expected, abs_tol=0.05)


def test_unfused_no_length_reaches_the_peak_and_a_larger_tile_never_costs_time() -> None:
    assert tflops(2**20, 128, None) < H100.peak / 1e12 / 4
    speeds = [tflops(8192, 128, tile) for tile in (16, 64, 128, 512, 8192)]
    assert speeds == sorted(speeds)
