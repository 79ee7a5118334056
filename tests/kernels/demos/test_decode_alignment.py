"""The demo `decode-alignment`: the wrong corner is seen in the figures, and the right one has no error."""

from __future__ import annotations

import pytest

from kernels.run import run
from tests.kernels.demos.tools import Readings, broken, chosen, contradictions, copied, data


def test_the_worked_case_gives_its_known_errors() -> None:
    one, three = (run("decode-alignment", {"n_q": n, "seed": 1}) for n in (1, 3))
    assert data(one, "errors").rows[0]["error"] == pytest.approx(2.0954, abs=5e-5)
    assert data(three, "errors").rows[0]["error"] == pytest.approx(2.8256, abs=5e-5)
    assert data(three, "errors").rows[2]["error"] == pytest.approx(0.354, abs=5e-4)
    assert data(three, "errors").rows[2]["last"] < 1e-6
    assert data(one, "first-query-is-v0").got == 0
    assert data(one, "mask-top-left").cells == ((1, 0, 0, 0, 0, 0),)
    assert data(one, "mask-bottom-right").cells == ((1, 1, 1, 1, 1, 1),)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"n_q": 6},
        {"n_q": 1, "n_kv": 1},
        {"n_q": 64, "n_kv": 64, "d_k": 128},
        {"n_q": 63, "n_kv": 64, "h": 16},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_every_check_holds(params: dict[str, int], seed: int) -> None:
    result = run("decode-alignment", {**params, "seed": seed})
    assert sum(block.type == "check" for block in result.blocks) == 4
    assert broken(result) == []


def test_the_code_shown_finds_the_same() -> None:
    result = run("decode-alignment", {"n_q": 3, "seed": 5})
    error = copied(result)["error"]
    assert error["wrong"] == pytest.approx(data(result, "errors").rows[0]["error"], abs=1e-5)
    assert error["right"] < 1e-5


DECODE: Readings = {
    "shapes": {
        r"A row of scores for each new query, a column for each cached key\.": lambda m, r: (
            [axis.n for axis in data(r, "shapes").steps[2].dims][1:] == [r.params["n_q"], r.params["n_kv"]]
        ),
    },
    "code": {r"It runs as it stands\.": lambda m, r: True},  # another test runs it
    "mask-top-left": {
        r"PyTorch's is_causal: as if the queries were the first tokens\.": lambda m, r: (
            r.params["n_q"] != r.params["n_kv"]
        ),
        r"PyTorch's is_causal: with as many queries as keys both corners give one mask\.": lambda m, r: (
            data(r, "mask-top-left").cells == data(r, "mask-bottom-right").cells
        ),
        r"The last query sees (\d+) of (\d+) keys?\.": lambda m, r: (
            sum(data(r, "mask-top-left").cells[-1]) == int(m[1])
        ),
    },
    "mask-bottom-right": {
        r"The queries are the last tokens, so the last of them sees every key\.": lambda m, r: (
            set(data(r, "mask-bottom-right").cells[-1]) == {1}
        ),
        r"The last query sees (\d+) of \1 keys?\.": lambda m, r: int(m[1]) == r.params["n_kv"],
    },
    "errors": {
        r"Without a mask the last row is right, since it may see everything; rows before it leak\.": lambda m, r: (
            data(r, "errors").rows[2]["last"] < 1e-5 < data(r, "errors").rows[2]["error"]
        ),
        r"Without a mask the last row is right, since it may see everything, and here it is the only one\.": (
            lambda m, r: r.params["n_q"] == 1 and data(r, "errors").rows[2]["error"] < 1e-5
        ),
    },
}


def test_no_sentence_of_decode_alignment_contradicts_its_figures() -> None:
    for params in chosen(
        "decode-alignment", 4, 60, n_q=(1, 2, 5, 9), n_kv=(1, 2, 5, 9), h=(1, 3), d_k=(1, 8, 64)
    ):
        assert contradictions(run("decode-alignment", {**params, "seed": 2}), DECODE) == [], params
