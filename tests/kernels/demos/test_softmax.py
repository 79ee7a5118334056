"""The demo `softmax`: overflow by the formula, none with the maximum subtracted, and the Jacobian."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import torch

from kernels.catalog import BadParams
from kernels.result import Result
from kernels.run import run
from kernels.stable_softmax import naive, overflows_above, stable, with_nothing
from tests.kernels.demos.tools import broken, copied, data, sampled


def column(result: Result, name: str) -> list[float]:
    return [row[name] for row in data(result, "scores").rows]


def test_scores_around_a_thousand() -> None:
    result = run("softmax", {})
    assert all(map(math.isnan, column(result, "naive")))
    assert [round(x, 3) for x in column(result, "stable")] == [0.090, 0.245, 0.665]
    assert column(result, "held") == [1000, 1001, 1002]


def test_where_fp16_overflows() -> None:
    fp16, bf16, fp32, _ = data(run("softmax", {}), "limits").rows
    assert (fp16["e11"], fp16["e12"]) == (59872, math.inf)
    assert (round(fp16["above"], 2), round(fp32["above"], 2)) == (11.09, 88.72)
    assert bf16["above"] == pytest.approx(fp32["above"], abs=0.01)


@pytest.mark.parametrize("n", [2, 3, 32])
def test_a_row_of_useless_keys_sums_to_1_and_a_sink_takes_it(n: int) -> None:
    zero, low, sink, evicted = data(run("softmax", {"n": n}), "sink").rows
    assert [round(row["sum"], 12) for row in (zero, low, sink, evicted)] == [1] * 4
    assert (zero["keys"], low["keys"], evicted["keys"]) == pytest.approx((1, 1, 1))
    assert sink["sink"] == pytest.approx(1 / (1 + n * math.exp(-20)), rel=1e-12)
    assert zero["nothing"] == pytest.approx(n / (n + 1))
    assert low["nothing"] == pytest.approx(n * math.exp(-20) / (1 + n * math.exp(-20)))


def test_one_more_logit_of_0_lets_a_row_say_nothing() -> None:
    z = torch.tensor([1.5, -3.0, 200.0], dtype=torch.float64)
    torch.testing.assert_close(with_nothing(z - 200), (z - 200).exp() / (1 + (z - 200).exp().sum()))
    assert with_nothing(z).sum() == pytest.approx(1)
    assert with_nothing(z - 1000).sum() == 0


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_exp_is_inf_above_the_limit_to_the_last_digit(dtype: torch.dtype) -> None:
    edge = torch.tensor([overflows_above(dtype)], dtype=torch.float64)
    assert (edge - 1e-6).exp().to(dtype).isfinite().all()
    assert (edge + 1e-6).exp().to(dtype).isinf().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_the_limit_of_exp_is_where_it_is_said_to_be(dtype: torch.dtype) -> None:
    edge = overflows_above(dtype)
    below, above = torch.tensor([edge * 0.98, edge * 1.02], dtype=dtype).exp().tolist()
    assert math.isfinite(below)
    assert above == math.inf


def test_the_same_softmax_as_pytorch() -> None:
    z = torch.tensor([[3.0, -200.0, 5.0], [1e30, 0.0, -1e30]])
    torch.testing.assert_close(stable(z), z.softmax(-1))
    torch.testing.assert_close(naive(z[0]), z[0].softmax(-1))


def test_bf16_loses_the_scores_before_any_softmax() -> None:
    result = run("softmax", {"dtype": "bf16"})
    assert set(column(result, "held")) == {1000}
    assert "3 different scores become 1" in result.block("scores").look_for
    assert [round(x, 2) for x in column(result, "stable")] == [0.33] * 3


def test_the_jacobian_is_small_numbers_that_cancel() -> None:
    result = run("softmax", {"scores": "random", "n": 5, "shift": 0})
    assert data(result, "jacobian-rows").got < 1e-15
    assert data(result, "jacobian-autograd").got < 1e-15
    assert 0 < data(result, "jacobian-largest").got <= 0.25
    weights = column(result, "exact")
    entry = data(result, "jacobian").stages[0].values[0][1]
    assert entry == pytest.approx(-weights[0] * weights[1], rel=1e-5)


@pytest.mark.parametrize(
    ("params", "words", "claim"),
    [
        ({}, "exp overflows", "inf/inf"),
        ({"shift": 0}, "No exp leaves the range", "are right"),
        ({"shift": -1000}, "Every exp underflows", "0/0"),
        ({"dtype": "fp16", "shift": 11, "spread": 0.01, "n": 3}, "their sum overflows", "weights are 0"),
        ({"shift": -103}, "near the edge", "more than rounding"),
    ],
)
def test_each_fate_of_the_formula_has_its_words(params: dict[str, Any], words: str, claim: str) -> None:
    result = run("softmax", params)
    assert words in result.block("scores").look_for
    assert claim in data(result, "naive").claim
    assert broken(result) == []


def test_where_the_formula_ends_is_told_as_lying_between_two_shifts() -> None:
    """It said "from a shift of 96 on", the first one tried, though the largest of three steps overflows above 86.7."""
    said = run("softmax", {}).block("by-shift").look_for
    assert said.startswith(
        "At a shift of 80 the formula gives a number, from 96 on NaN: it ends between the two."
    )


def test_checks_and_sentences_hold_for_any_parameters() -> None:
    for result in sampled("softmax", 80):
        assert broken(result) == [], result.params
        formula, subtracted, exact = data(result, "by-shift").ys
        said, shifts = result.block("by-shift").look_for, data(result, "by-shift").x
        nan = [shift for shift, y in zip(shifts, formula.y, strict=True) if math.isnan(y)]
        ends = re.search(r"At a shift of ([\d,]+) the formula gives a number, from ([\d,]+) on NaN", said)
        some = re.search(r"At (\d+) of these (\d+) shifts", said)
        if ends:
            last, first = (int(figure.replace(",", "")) for figure in ends.groups())
            assert nan == [x for x in shifts if x > last] == [x for x in shifts if x >= first]
        elif said.startswith("At each of these shifts the formula gives NaN."):
            assert nan == list(shifts)
        elif some:
            assert (int(some[1]), int(some[2])) == (len(nan), len(shifts))
        else:
            assert "the formula gives no NaN" in said
            assert nan == []
        moves = re.search(r"it moves by up to (\S+):", said)
        drift = max(abs(y - exact.y[0]) for y in subtracted.y)
        if moves:
            assert float(moves[1]) == pytest.approx(drift, rel=0.06)
        else:
            assert drift <= 4 * 2**-7
        became = re.search(r"(\d+) different scores become (\d+) ", result.block("scores").look_for)
        counts = [len(set(column(result, name))) for name in ("wanted", "held")]
        assert ([int(x) for x in became.groups()] if became else counts[:1] * 2) == counts


def test_the_code_shown_finds_the_same() -> None:
    for result in [run("softmax", {}), *sampled("softmax", 10)]:
        names = copied(result)
        for name in ("naive", "stable"):
            assert names[name].double().tolist() == pytest.approx(
                column(result, name), abs=1e-12, nan_ok=True
            )
        entry = data(result, "jacobian").stages[0].values[0][0]
        assert float(names["jacobian"][0, 0]) == pytest.approx(entry, rel=1e-3, abs=1e-12)


def test_what_fp16_does_not_hold_is_refused() -> None:
    with pytest.raises(
        BadParams, match=r"more than fp16 holds .* raise temperature, or lower shift or spread\.$"
    ):
        run("softmax", {"dtype": "fp16", "shift": 10_000, "temperature": 0.1})
