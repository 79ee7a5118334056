"""The demo `split-kv`: merging is exact, the last bits are not, and the number of splits follows the load."""

from __future__ import annotations

import math
import random
import re
from typing import Any

import pytest

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.catalog import BadParams, demo, parse, parse_line, refusals
from kernels.demos.split_kv import BATCHES
from kernels.result import Result
from kernels.run import run
from kernels.split_kv import MOST_SPLITS, choose_splits
from tests.kernels import sampling
from tests.kernels.demos.tools import broken, copied, data


@pytest.fixture(scope="module")
def default() -> Result:
    return run("split-kv", {})


def test_four_thousand_keys_in_2_4_or_8_splits_are_near_and_not_the_same(default: Result) -> None:
    rows = {row["splits"]: row for row in data(default, "splits").rows}
    assert list(rows) == [1, 2, 4, 8]
    assert rows[1]["same_bits"] is True
    for n in (2, 4, 8):
        assert rows[n]["same_bits"] is False
        assert 0 < rows[n]["apart"] < 5e-7
        assert rows[n]["error"] < 5e-7
    assert default.block("splits").look_for.startswith("Every split run differs")


def test_the_weights_of_the_splits_are_what_their_log_sum_exps_say(default: Result) -> None:
    rows = data(default, "parts").rows
    assert [(row["start"], row["end"]) for row in rows] == [
        (0, 1024),
        (1024, 2048),
        (2048, 3072),
        (3072, 4096),
    ]
    whole = math.log(sum(math.exp(row["lse"]) for row in rows))
    assert f"LSE = {whole:.6f}," in default.block("parts").look_for
    assert [row["weight"] for row in rows] == pytest.approx([math.exp(row["lse"] - whole) for row in rows])


def test_a_busier_chip_cuts_the_same_request_less(default: Result) -> None:
    rows = data(default, "load").rows
    assert [row["batch"] for row in rows] == list(BATCHES)
    assert [row["splits"] for row in rows] == [choose_splits(batch, 64, 132) for batch in BATCHES]
    assert [row["splits"] for row in rows] == [64, 64, 32, 16, 7, 4, 2, 1]
    assert "cut in 7 ways" in default.block("load").look_for
    assert "no more splits than the 64 tiles" in default.block("load").look_for


def test_as_many_splits_can_be_asked_for_as_are_ever_chosen() -> None:
    (splits,) = (param for param in demo("split-kv").params if param.name == "splits")
    assert splits.high == MOST_SPLITS
    most = run("split-kv", {"n_kv": 8192, "splits": MOST_SPLITS})
    assert data(most, "load").rows[0]["splits"] == MOST_SPLITS
    assert len(data(most, "parts").rows) == MOST_SPLITS
    assert broken(most) == []


def test_splits_without_a_key_weigh_nothing() -> None:
    result = run("split-kv", {"n_kv": 130, "splits": 5})
    rows = data(result, "parts").rows
    assert [row["keys"] for row in rows] == [64, 64, 2, 0, 0]
    assert [(row["lse"], row["weight"]) for row in rows[3:]] == [(-math.inf, 0.0)] * 2
    assert "2 splits have no key" in result.block("parts").look_for
    assert broken(result) == []


def small(rng: random.Random) -> dict[str, Any]:
    """Valid parameters that the interpreter takes a fraction of a second for."""
    return sampling.valid(
        demo("split-kv"), rng, n_kv=rng.choice((1, 5, 64, 67, 203)), h_q=rng.choice((4, 8)), h_kv=2
    )


def test_checks_and_sentences_hold_for_any_parameters() -> None:
    rng = random.Random(28)
    for _ in range(6):
        result = run("split-kv", small(rng))
        assert broken(result) == [], result.params
        others = [row["same_bits"] for row in data(result, "splits").rows if row["splits"] != 1]
        said = result.block("splits").look_for
        if all(others):
            assert said.startswith("All have the bits")
        elif not any(others):
            assert said.startswith("Every split run differs")
        else:
            counted = re.match(r"(\d+) of (\d+) split runs? differ", said)
            assert counted is not None
            assert [int(x) for x in counted.groups()] == [others.count(False), len(others)]
        empty = sum(row["keys"] == 0 for row in data(result, "parts").rows)
        assert ("no key: lse" in result.block("parts").look_for) == (empty > 0)
        kinds = {row["splits"] for row in data(result, "load").rows}
        assert (f"cut in {len(kinds)} ways" in result.block("load").look_for) == (len(kinds) > 1)


@pytest.mark.parametrize(
    "params",
    [{}, {"n_kv": 203, "splits": 3, "h_q": 6, "h_kv": 3, "d": 40, "seed": 5}, {"n_kv": 70, "d": 160}],
)
def test_the_code_shown_finds_the_same(params: dict[str, Any]) -> None:
    result = run("split-kv", params)
    names = copied(result)
    rows = data(result, "splits").rows
    assert list(names["apart"]) == list(names["same_bits"]) == [row["splits"] for row in rows]
    assert list(names["apart"].values()) == pytest.approx([row["apart"] for row in rows], abs=3e-7)
    if not params:
        assert list(names["same_bits"].values()) == [row["same_bits"] for row in rows]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("split-kv h_q=4 h_kv=3", "multiple of h_kv"),
        ("split-kv n_kv=65536 h_q=16 h_kv=16 d=256", "limit 128 MiB"),
    ],
)
def test_combinations_that_make_no_sense_get_one_sentence(line: str, words: str) -> None:
    with pytest.raises(BadParams) as caught:
        parse_line(line)
    (sentence,) = caught.value.sentences
    assert words in sentence


def test_what_would_be_interpreted_for_long_is_left_to_a_gpu() -> None:
    entry = demo("split-kv")
    params = parse(entry, {"n_kv": 65536, "h_q": 8, "h_kv": 4})
    (sentence,) = refusals(entry, params, interpreter=True)
    assert "limit 3 s" in sentence
    assert refusals(entry, params, interpreter=False) == ()
