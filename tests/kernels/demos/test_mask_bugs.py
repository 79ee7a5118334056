"""The demo `mask-bugs`: each variant does what is said of it, for any inputs."""

from __future__ import annotations

import math
import random
import re

import pytest

from kernels.catalog import BadParams, demo
from kernels.mask_bugs import VARIANTS
from kernels.params import Value
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data
from tests.kernels.sampling import valid

ENTRY = demo("mask-bugs")


def moved(**params: Value) -> list[bool]:
    return [row["moved"] for row in data(run("mask-bugs", params), "rows").rows]


def test_the_entry_offers_every_variant() -> None:
    assert ENTRY.params[0].choices == tuple(VARIANTS)


@pytest.mark.parametrize(
    ("variant", "rows"),
    [
        ("right", "FFFFTT"),
        ("fill-0", "TTTTTT"),
        ("fill--10", "TTTTTT"),
        ("fill--1e9", "FFFFTT"),
        ("after-softmax", "TTTTTT"),
        ("after-renormalised", "FFFFTT"),
        ("wrong-axis", "TTTTTT"),
        ("triu-0", "FFFFTT"),
        ("triu-2", "FFFTTT"),
        ("inverted", "TTTTTF"),  # the last row is NaN before and after
    ],
)
def test_six_tokens_with_the_last_two_changed(variant: str, rows: str) -> None:
    assert moved(variant=variant) == [row == "T" for row in rows]


def test_the_right_way_is_exact() -> None:
    result = run("mask-bugs", {})
    assert [row["change"] for row in data(result, "rows").rows[:4]] == [0, 0, 0, 0]
    assert data(result, "first-row").got == 0
    assert data(result, "weights").stages[-1].values[0] == (1, 0, 0, 0, 0, 0)


def test_side_by_side() -> None:
    rows = {row["variant"]: row for row in data(run("mask-bugs", {}), "all-variants").rows}
    assert {name: row["verdict"] for name, row in rows.items() if row["verdict"].startswith("holds")} == {
        "right": "holds",
        "fill--1e9": "holds here, not in fp16",
        "after-renormalised": "holds here, not where a hidden score dominates",
    }
    assert rows["fill-0"]["verdict"] == "leaks"
    assert rows["wrong-axis"]["verdict"] == "leaks, rows do not sum to 1"
    assert (rows["triu-0"]["nan"], rows["triu-0"]["verdict"]) == (1, "NaN")
    assert 0 < rows["fill--10"]["hidden"] < 1e-3 < rows["fill-0"]["hidden"]
    assert rows["wrong-axis"]["most"] > 1


def test_masking_after_the_softmax_has_its_known_sums() -> None:
    result = run("mask-bugs", {"variant": "after-softmax", "n": 5, "perturb": 1})
    assert [round(row["after"], 3) for row in data(result, "book").rows] == [0.568, 0.771, 0.960, 1.0]
    assert all(row["moved"] for row in data(result, "rows").rows)
    before, after, exact = data(result, "zero-over-zero").rows
    assert [round(before[f"w{i}"], 3) for i in range(3)] == [0.269, 0.731, 0]
    assert all(math.isnan(after[f"w{i}"]) for i in range(3))
    assert exact["w0"] == pytest.approx(before["w0"], abs=1e-6)


def test_minus_1e9_in_fp16_raises_or_turns_to_infinity() -> None:
    result = run("mask-bugs", {"variant": "fill--1e9", "dtype": "fp16"})
    rows = data(result, "fp16-fill").rows
    assert [row["raises"] for row in rows] == [True, True, False, False, False]
    assert [row["value"] for row in rows[2:]] == [-math.inf] * 3
    assert data(result, "weights").stages[1].values[0][1] == -math.inf
    assert "masked_fill raises" in result.block("weights").look_for
    in_fp32 = run("mask-bugs", {"variant": "fill--1e9"})
    assert data(in_fp32, "weights").stages[1].values[0][1] == -1e9


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_check_and_sentence_holds(variant: str, seed: int) -> None:
    for params in (
        valid(ENTRY, random.Random(seed), variant=variant),
        {"variant": variant, "n": 2, "perturb": 1},
    ):
        result = run("mask-bugs", params)
        assert broken(result) == [], params
        rows = data(result, "rows").rows
        early = [row for row in rows if row["before"]]
        assert len(early) == len(rows) - int(result.params["perturb"])
        told = re.match(r"Of (\d+) rows? before the change (none|\d+) moved", result.block("rows").look_for)
        assert told is not None
        assert int(told[1]) == len(early)
        assert int(told[2].replace("none", "0")) == sum(row["moved"] for row in early)
        seen = re.search(r"([\d,]+) (is|are) visible", result.block("mask").alt)
        assert seen is not None
        assert int(seen[1].replace(",", "")) == sum(map(sum, data(result, "mask").cells))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_code_shown_finds_the_same(variant: str) -> None:
    result = run("mask-bugs", {"variant": variant, "n": 9, "perturb": 3, "d_k": 4, "seed": 5})
    for change, row in zip(copied(result)["change"].tolist(), data(result, "rows").rows, strict=True):
        if math.isnan(row["sum"]):
            assert math.isnan(change)
        else:
            assert change == pytest.approx(row["change"], abs=1e-12)


def test_all_tokens_cannot_change() -> None:
    with pytest.raises(BadParams, match=r"perturb must be at most 5 with n=6\.$"):
        run("mask-bugs", {"perturb": 6})
