"""The demo `decode-alignment`: the wrong corner is seen in the figures, and the right one has no error."""

from __future__ import annotations

import pytest

from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data


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
