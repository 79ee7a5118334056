"""No sentence of the demo `attention` contradicts its figures, whatever is asked."""

from __future__ import annotations

import math
import re

import pytest

from kernels.demos import attention_words
from kernels.params import Value
from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import Readings, broken, chosen, contradictions, data

EPS = {"fp64": 2.0**-52, "fp32": 2.0**-23, "fp16": 2.0**-10, "bf16": 2.0**-7}


def near(said: str, figure: float, share: float = 0.06) -> bool:
    """Whether a figure printed with two or more digits is this one."""
    return math.isclose(float(said), figure, rel_tol=share, abs_tol=1e-12)


def seen(r: Result) -> list[int]:
    """Keys that each query sees, counted anew from the parameters."""
    p = r.params
    n_q, n_kv = int(p["n_q"]), int(p["n_kv"])
    shift = 0 if p.get("align") == "top-left" else n_kv - n_q
    window = int(p.get("window") or n_kv + n_q)
    return [
        sum(not p["causal"] or i + shift - window < j <= i + shift for j in range(n_kv)) for i in range(n_q)
    ]


def hidden(r: Result, stage: int) -> list[float]:
    """The numbers of a stage in cells that are hidden."""
    weights = data(r, "weights")
    rows = zip(weights.stages[stage].values, weights.mask, strict=True)
    return [x for row, mask in rows for x, visible in zip(row, mask, strict=True) if not visible]


def staircase(m: re.Match[str], r: Result) -> bool:
    rows, n_kv = seen(r), int(r.params["n_kv"])
    full = int((m["full"] or "1").replace(",", ""))
    blind = 0 if m["blind"] is None else int((m["count"] or "1").strip())
    steps = all(rows[i] == max(rows[i + 1] - 1, 0) for i in range(len(rows) - full))
    return rows[-full:] == [n_kv] * full and rows.count(n_kv) == full and rows.count(0) == blind and steps


def distribution(m: re.Match[str], r: Result) -> bool:
    table, tol = data(r, "rows").rows, 8 * EPS[str(r.params["dtype"])]
    seeing = [row for row in table if row["sees"]]
    sums = all(abs(row["sum"] - 1) <= tol for row in seeing)
    blind = [row for row in table if not row["sees"]]
    return sums and not any(hidden(r, -1)) and bool(blind) == bool(m[1]) and not any(x["sum"] for x in blind)


def short(m: re.Match[str], r: Result) -> bool:
    table, tol = data(r, "rows").rows, 8 * EPS[str(r.params["dtype"])]
    count = sum(row["sees"] > 0 and row["sum"] < 1 - tol for row in table)
    return (int(m[1]), int(m[2])) == (len(table), count) and r.params["mask_at"] == "after"


def scaled(m: re.Match[str], r: Result) -> bool:
    plain, root, _ = data(r, "scaling").rows
    told = (plain["variance"], plain["largest"], root["variance"], root["largest"])
    return all(near(m[i + 1], x) for i, x in enumerate(told))


def lse_of_blind_rows(r: Result) -> set[float]:
    return {row["lse"] for row in data(r, "rows").rows if not row["sees"]}


ATTENTION: Readings = {
    "mask": {
        r"Every query sees every key\.": lambda m, r: set(seen(r)) == {int(r.params["n_kv"])},
        r"The last query sees (\d+) of (\d+) keys: this alignment is wrong for a cache\.": lambda m, r: (
            seen(r)[-1] == int(m[1]) < int(m[2]) == r.params["n_kv"]
        ),
        r"The last (?P<full>\d+ )?quer(y sees|ies see) every key; each one before (it|them) sees one key less"
        r"(?P<blind>, and the first (?P<count>\d+ )?quer(y sees|ies see) none)?\.": staircase,
        r"Of (\d+) cells?, (\d+) (is|are) visible\.": lambda m, r: (
            int(m[2]) == sum(map(sum, data(r, "mask").cells)) and (m[3] == "is") is (m[2] == "1")
        ),
    },
    "weights": {
        r"No key is hidden from any query, so the mask changes nothing\.": lambda m, r: not hidden(r, -1),
        r"Hidden keys are dropped after the softmax: what is left of a row sums to as little as (\S+)\.": (
            lambda m, r: r.params["mask_at"] == "after" and near(m[1], min(data(r, "weights").row_sum))
        ),
        r"Hidden scores become (\S+), and their weights are exactly 0\.": lambda m, r: (
            set(hidden(r, -1)) == {0} and all(near(m[1], x, 0.01) for x in hidden(r, -2))
        ),
        r"Hidden scores become (\S+), and a hidden key still gets a weight of up to (\S+)\.": lambda m, r: (
            near(m[2], max(hidden(r, -1))) and all(near(m[1], x, 0.01) for x in hidden(r, -2))
        ),
        r"Head (\d+): (.*)\.": lambda m, r: m[2].split(" -> ") == [s.name for s in data(r, "weights").stages],
    },
    "rows": {
        r"The rows sum to 1, and hidden keys have a part in that\.": lambda m, r: (
            max(hidden(r, -1)) > 0 and all(abs(row["sum"] - 1) < 0.02 for row in data(r, "rows").rows)
        ),
        r"Of (\d+) rows? shown, (\d+) sums? to less than 1: hidden keys took .* and were then dropped\.": short,
        r"Each row that sees a key is a distribution over the keys it sees\.( A row that sees none is all 0\.)?": (
            distribution
        ),
    },
    "error": {
        r"The weights of its row say .* Shown is the one (nearest to|furthest beyond) its limit; "
        r"the largest error of all is (\S+)\.": lambda m, r: (
            (m[1] == "nearest to") is data(r, "error").holds and float(m[2]) >= 0.94 * data(r, "error").got
        ),
    },
    "unseen": {
        r"(\d+) quer(?:y sees|ies see) no key at all\. The softmax ran over all keys before the mask.*": lambda m, r: (
            int(m[1]) == seen(r).count(0) and all(map(math.isfinite, lse_of_blind_rows(r)))
        ),
        r"(\d+) quer(?:y sees|ies see) no key at all\. A softmax over nothing but -inf is 0/0.*": lambda m, r: (
            int(m[1]) == seen(r).count(0) and lse_of_blind_rows(r) == {-math.inf}
        ),
        r"(\d+) quer(?:y sees|ies see) no key at all\. With a finite fill all scores of such a row are equal.*": (
            lambda m, r: (
                int(m[1]) == seen(r).count(0)
                and len(set(data(r, "weights").stages[-1].values[0])) == 1
                and data(r, "rows").rows[0]["sum"] == pytest.approx(1, abs=0.02)
            )
        ),
    },
    "scaling": {
        r"With d_k = 1 the three divisors are one\.": lambda m, r: r.params["d_k"] == 1,
        r"Undivided, the scores have a variance of (\S+), and the largest weight of a row is (\S+) on average; "
        r"divided by sqrt\(\d+\), a variance of (\S+), and the largest weight of a row is (\S+)\.": scaled,
    },
    "precision": {
        r"Here even the bits agree, which nobody promises: .*": lambda m, r: (
            data(r, "precision").rows[1]["same_bits"] is True and r.params["n_kv"] != 1
        ),
        r"With one key every output is its value: there is nothing to add up, and the bits agree\.": lambda m, r: (
            data(r, "precision").rows[1]["same_bits"] is True and r.params["n_kv"] == 1
        ),
        r"Both are exact but for rounding, and the bits are not the same\.": lambda m, r: (
            data(r, "precision").rows[1]["same_bits"] is False
        ),
    },
    "shapes": {
        r"The score matrix has no d_k any more; only the values bring it back\.": lambda m, r: True,
        r"Query heads: (\d+), key/value heads: (\d+); scores are (\d+) x (\d+) in each\.": lambda m, r: (
            [int(x) for x in m.groups()] == [r.params[name] for name in ("h_q", "h_kv", "n_q", "n_kv")]
        ),
    },
    "code": {r"It runs as it stands\.": lambda m, r: True},  # another test runs it
}


@pytest.mark.parametrize("seed", range(6))
def test_no_sentence_of_attention_contradicts_its_figures(seed: int) -> None:
    for params in chosen(
        "attention", seed, 50, example=("random",), n_q=(1, 2, 3, 4, 6, 9), n_kv=(1, 2, 3, 4, 6, 9),
        d_k=(1, 2, 4, 16, 100), h_q=(1, 2, 4), h_kv=(1, 2), causal=(True, True, False),
        fill=("-inf", "-1e9", "-10", "0"),
        align=("bottom-right", "top-left"), scale=("sqrt", "none", "d_k"), mask_at=("before", "before", "after"),
        dtype=("fp32", "fp64", "bf16", "fp16"),
    ):  # fmt: skip
        assert contradictions(run("attention", {**params, "seed": seed}), ATTENTION) == [], params


@pytest.mark.parametrize("fill", ["-inf", "-1e9", "-10", "0"])
@pytest.mark.parametrize("mask_at", ["before", "after"])
@pytest.mark.parametrize("causal", [True, False])
def test_no_sentence_of_the_book_contradicts_its_figures(fill: str, mask_at: str, causal: bool) -> None:
    params = {"fill": fill, "mask_at": mask_at, "causal": causal}
    assert contradictions(run("attention", params), ATTENTION) == []


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (
            {"n_q": 6, "n_kv": 4, "align": "top-left"},
            "The last 3 queries see every key; each one before them",
        ),
        ({"n_q": 5, "n_kv": 2}, "sees one key less, and the first 3 queries see none."),
        ({"fill": "-1e9"}, "Hidden scores become -1e9, and their weights are exactly 0."),
        ({"causal": False, "fill": "0"}, "No key is hidden from any query"),
        ({"n_q": 5, "n_kv": 2, "mask_at": "after"}, "The softmax ran over all keys before the mask"),
    ],
)
def test_what_was_said_wrongly_once(params: dict[str, Value], words: str) -> None:
    result = run("attention", {"example": "random"} | params)
    said = [s for b in result.blocks for s in (b.look_for, getattr(b.data, "text", ""))]
    assert any(words in sentence for sentence in said), said


def test_every_check_of_right_attention_holds_for_any_parameters() -> None:
    for params in chosen(
        "attention", 77, 100, example=("random",), n_q=(1, 2, 3, 5), n_kv=(1, 2, 3, 7), d_k=(1, 8, 96, 256, 512),
        h_q=(1, 4), h_kv=(1, 2), causal=(True, False), align=("bottom-right", "top-left"),
        scale=("sqrt", "none", "d_k"), dtype=("fp32", "fp64", "bf16", "fp16"),
    ):  # fmt: skip
        assert broken(run("attention", {**params, "seed": 5})) == [], params


def test_the_peak_of_fused_attention_is_judged_by_what_was_measured() -> None:
    assert "less than one of the two" in attention_words.peaks(10, 100)
    assert "0.8 times as much as these two matrices" in attention_words.peaks(80, 100)
