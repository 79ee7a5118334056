"""Data sheets, and this machine as it is measured."""

from __future__ import annotations

import math

import pytest
import torch

from kernels.hardware import CHIPS
from kernels.here import Probe, measured
from kernels.units import MIB

RIDGES = {"a100-40gb": 201, "a100-80gb": 153, "h100-sxm": 295, "h200": 206, "h800": 258, "b200": 281}


def test_ridges_are_the_published_ones() -> None:
    assert {name: round(chip.ridge) for name, chip in CHIPS.items()} == RIDGES


def test_memory_near_the_arithmetic() -> None:
    totals = {name: chip.all_sram and chip.all_sram / MIB for name, chip in CHIPS.items()}
    assert totals["a100-80gb"] == 20.25
    assert totals["h100-sxm"] == totals["h200"] == pytest.approx(29.4, abs=0.01)
    assert totals["h800"] is None
    assert CHIPS["h100-sxm"].reported == 81_559 * MIB == pytest.approx(85.5e9, rel=1e-3)


def test_a_chip_that_its_users_saw_throttled_is_no_data_sheet() -> None:
    assert {name for name, chip in CHIPS.items() if chip.origin != "data sheet"} == {"h800"}


def test_no_speed_is_that_of_sparse_matrices() -> None:
    assert CHIPS["h100-sxm"].peak == CHIPS["h200"].peak == 989e12


@pytest.mark.parametrize("chip", CHIPS.values(), ids=CHIPS)
def test_a_roof_has_two_sides_that_meet_at_the_ridge(chip: object) -> None:
    chip = CHIPS[chip.name]  # type: ignore[attr-defined]
    assert chip.attainable(1) == chip.bandwidth
    assert chip.attainable(2 * chip.ridge) == chip.peak
    assert math.isclose(chip.attainable(chip.ridge), chip.peak)
    assert chip.source


def test_this_machine_is_measured_and_says_so() -> None:
    here = measured("cpu", budget_s=0.05, probe=Probe(2**22, 128, torch.float32))
    assert (here.origin, here.size) == ("measured", 4)
    assert "measured" in here.title
    assert 1e7 < here.bandwidth < 1e13
    assert 1e7 < here.peak < 1e15
    assert "128 x 128" in here.source
