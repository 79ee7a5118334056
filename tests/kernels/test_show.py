"""The short ways to make blocks: a check holds when its claim does, and not otherwise."""

from __future__ import annotations

import math
import random

import pytest

from kernels import show
from kernels.catalog import DEMOS, BadParams, parse
from kernels.result import Check, Series, Table
from tests.kernels import sampling


@pytest.mark.parametrize(
    ("got", "op", "expected", "tol", "holds"),
    [
        (1.0, "=", 1.0, 0, True),
        (1.1, "=", 1.0, 0.05, False),
        (1.1, "=", 1.0, 0.2, True),
        (math.nan, "=", math.nan, 0, True),
        (math.nan, "=", 0.0, math.inf, False),
        (math.inf, "=", math.inf, 0, True),
        (math.nan, "<=", 1, 0, False),
        (1, "<=", 1, 0, True),
        (1, "<", 1, 0, False),
        (2, ">", 1, 0, True),
        (1, ">=", 2, 0, False),
    ],
)
def test_a_check_holds_as_its_operator_says(
    got: float, op: show.Op, expected: float, tol: float, holds: bool
) -> None:
    data = show.check("c", "A claim.", got, op, expected, tol).data
    assert isinstance(data, Check)
    assert data.holds is holds


def test_columns_have_labels_and_units_and_curves_their_axis() -> None:
    made = show.table("t", {"way": "Way", "ms": ("Time", "ms")}, [{"way": "a", "ms": 1.0}], title="T").data
    assert isinstance(made, Table)
    assert [(c.key, c.label, c.unit) for c in made.cols] == [("way", "Way", ""), ("ms", "Time", "ms")]
    drawn = show.curves("s", [1, 2], {"raw": [3.0, 4.0]}, title="S", x_label="d_k").data
    assert isinstance(drawn, Series)
    assert (drawn.x, drawn.ys[0].label, drawn.ys[0].y, drawn.x_label) == ((1, 2), "raw", (3.0, 4.0), "d_k")


@pytest.mark.parametrize("entry", DEMOS.values(), ids=DEMOS)
def test_drawn_parameters_are_taken_and_bad_ones_are_not(entry: object) -> None:
    assert isinstance(entry, sampling.Demo)
    rng = random.Random(1)
    drawn = [sampling.valid(entry, rng) for _ in range(20)]
    for param in entry.params:
        if param.kind in ("int", "float") and param.name != "seed":
            low, high = sampling.ends(param)
            assert all(low <= float(params[param.name]) <= high for params in drawn)
        for value in sampling.invalid(param):
            with pytest.raises(BadParams):
                parse(entry, {**drawn[0], param.name: value})


def test_known_figures_stand_below_one_heading() -> None:
    head, claim = show.known(show.check("known-two", "Two is 2.", 2, "=", 2))
    assert (head.id, head.title) == ("known", "Known figures")
    assert (claim.id, claim.data.claim, claim.data.holds) == (
        "known-two",
        "Published figure: Two is 2.",
        True,
    )
