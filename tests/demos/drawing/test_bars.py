"""Bars of bytes and of times."""

from app.demos.drawing import bars
from kernels.result import Bar, Bytes, Timing, TimingRow


def test_byte_bars_share_one_scale() -> None:
    drawn = bars.amounts(Bytes((Bar("naive", 1000), Bar("SDPA", 250))))
    assert [b.width for b in drawn] == [100.0, 25.0]


def test_timing_turns_flop_into_speed() -> None:
    row = TimingRow("flash", 50, 2.0, 1.9, 2.5, 8e12, "128x64")
    view = bars.timing(Timing("ms", (row,)))
    assert view.rows[0].speed == "4,000 TFLOP/s"
    assert (view.rows[0].start, view.rows[0].mark) == (76.0, 80.0)
