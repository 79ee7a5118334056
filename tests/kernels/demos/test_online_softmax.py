"""The demo `online-softmax`: the recurrence, its frames and its words, and the figures of fact D10."""

from __future__ import annotations

import math
import re

import pytest
import torch

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.catalog import BadParams
from kernels.numerics import draw
from kernels.online_softmax import last, scores, walk
from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled

NAME = "online-softmax"


@pytest.mark.parametrize("block", [16, 32, 64, 128, 257])
def test_any_tile_size_gives_the_softmax_but_not_its_bits(block: int) -> None:
    """Fact D10: 257 x 64, blocks from 16 to 257, up to 3.6e-7 from naive attention."""
    q, k, v = draw(0, *[(257, 64)] * 3, dtype=torch.float32, device="cpu")
    s = scores(q, k, 64**-0.5)
    naive = torch.softmax(s, dim=-1) @ v
    end = last(walk(s, v, block))
    assert float((end.out - naive).abs().max()) < 6e-7
    assert not torch.equal(end.out, naive)
    assert float((end.lse - torch.logsumexp(s.double(), dim=-1)).abs().max()) < 2e-6


def test_every_step_keeps_the_invariant() -> None:
    """After each tile l = sum e^(s - m) and acc = sum e^(s - m) v over the keys so far, in float64."""
    q, k, v = draw(4, *[(40, 16)] * 3, dtype=torch.float64, device="cpu")
    s = scores(q, k, 0.25)
    before = -math.inf
    for step in walk(s, v, 7):
        seen = slice(0, step.end)
        p = torch.exp(s[:, seen] - step.m[:, None])
        torch.testing.assert_close(step.m, s[:, seen].amax(dim=1))
        torch.testing.assert_close(step.ell, p.sum(dim=1))
        torch.testing.assert_close(step.acc, p @ v[seen])
        assert (step.alpha <= 1).all()
        assert (step.m >= before).all()
        before = step.m


def test_a_row_that_sees_nothing_is_zero() -> None:
    s = torch.full((1, 8), -math.inf)
    end = last(walk(s, torch.ones(8, 4), 4))
    assert torch.equal(end.out, torch.zeros(1, 4))
    assert end.lse.item() == -math.inf


def test_the_table_of_tile_sizes_is_that_of_the_fact() -> None:
    rows = data(run(NAME, {}), "blocks").rows
    assert [row["block"] for row in rows] == [16, 32, 64, 128, 257]
    assert all(0 < row["difference"] < 6e-7 for row in rows)
    assert not any(row["same_bits"] for row in rows)


@pytest.mark.parametrize(("n_kv", "blocks"), [(1, [1]), (16, [16]), (17, [16, 17]), (128, [16, 32, 64, 128])])
def test_no_tile_size_stands_twice(n_kv: int, blocks: list[int]) -> None:
    assert [row["block"] for row in data(run(NAME, {"n_kv": n_kv}), "blocks").rows] == blocks


def test_one_step_is_told_in_the_singular() -> None:
    result = run(NAME, {"n_kv": 5})
    assert result.block("player").alt.startswith("After 1 step m = ")
    assert (
        "one reciprocal of l for a row, and multiplies its 64 numbers by it" in data(result, "division").text
    )
    assert "at every tile, 1 time here" in data(result, "division").text


def test_rising_scores_rescale_every_step_and_falling_ones_none() -> None:
    def alphas(shape: str) -> list[float]:
        return [frame["alpha"] for frame in data(run(NAME, {"scores": shape}), "player").frames][1:]

    assert all(0 < alpha < 0.1 for alpha in alphas("rising")[:3])
    assert alphas("rising")[3] == pytest.approx(
        math.exp(-16 / 256), rel=1e-5
    )  # one key is left, one step higher
    assert alphas("falling") == [1.0] * 4


def test_equal_scores_count_keys() -> None:
    frames = data(run(NAME, {"scores": "equal", "n_kv": 100, "block": 30}), "player").frames
    assert [frame["l"] for frame in frames] == [30, 60, 90, 100]
    assert frames[-1]["lse"] == pytest.approx(math.log(100), rel=1e-6)


def test_a_spike_forgets_what_came_before_and_breaks_softmax_without_a_maximum() -> None:
    result = run(NAME, {"scores": "spike"})
    frames = data(result, "player").frames
    assert (frames[2]["m"], frames[2]["alpha"]) == (200, 0)
    assert "no longer counts" in data(result, "player").words[2]
    ways = {row["way"]: row for row in data(result, "ways").rows}
    assert ways["without a maximum"]["largest"] == math.inf
    assert math.isnan(ways["without a maximum"]["error"])
    assert ways["online"]["error"] < 1e-6


def test_the_player_walks_the_tiles_that_the_kernel_computes() -> None:
    result = run(NAME, {"causal": True, "row": "first", "n_kv": 200, "block": 16})
    player = data(result, "player")
    assert player.at == ((0, 0), (0, 1), (0, 2), (0, 3))  # one tile of 64 queries, up to its diagonal
    assert [player.tiles.state[i][j] for i, j in player.at] == ["diagonal"] * 4
    assert player.frames[0]["l"] == player.frames[-1]["l"] == 1  # row 0 sees itself only
    assert player.words[1].startswith("The row sees no key of this tile")


WORDS = (
    (r"The row sees no key of this tile: .*", lambda m, now, before: now["tile_max"] == -math.inf),
    (r"The first tile sets m to its largest score, (\S+); .*",
     lambda m, now, before: before is None and float(m[1]) == pytest.approx(now["m"], rel=1e-3, abs=1e-3)),
    (r"No score above (\S+): alpha is 1, .*",
     lambda m, now, before: now["alpha"] == 1 and now["m"] == before["m"] >= now["tile_max"]),
    (r"A larger score: m goes from (\S+) to (\S+), and l and acc are multiplied by alpha = (\S+?)"
     r"( in float32: what was summed before no longer counts)?\.",
     lambda m, now, before: (
         now["tile_max"] == now["m"] > before["m"]
         and float(m[3]) == pytest.approx(now["alpha"], rel=1e-3)
         and (now["alpha"] == 0) == (m[4] is not None)
     )),
)  # fmt: skip


def read_back(result: Result) -> list[str]:
    """Sentences that no frame bears out."""
    player = data(result, "player")
    wrong, before = [], None
    for frame, sentence in zip(player.frames, player.words, strict=True):
        fits = [(m, holds) for pattern, holds in WORDS if (m := re.fullmatch(pattern, sentence))]
        if len(fits) != 1 or not fits[0][1](fits[0][0], frame, before):
            wrong.append(sentence)
        before = frame
    broke = not math.isfinite(data(result, "ways").rows[0]["error"])
    if ("overflows here" in result.block("ways").look_for) != broke:
        wrong.append(result.block("ways").look_for)
    rows = data(result, "blocks").rows
    same = sum(row["same_bits"] for row in rows)
    told = {0: "not one", len(rows): "every one"}.get(same, f"{same} of {len(rows)}")
    if not result.block("blocks").look_for.endswith(f"the bits of one softmax: {told}."):
        wrong.append(result.block("blocks").look_for)
    return wrong


def test_checks_words_and_copied_code_hold_for_random_parameters() -> None:
    for result in sampled(NAME, 12):
        assert broken(result) == [], result.params
        assert read_back(result) == [], result.params
        mine, end = copied(result), data(result, "player").frames[-1]
        for name, figure in (("m", "m"), ("ell", "l"), ("lse", "lse")):
            assert float(mine[name]) == pytest.approx(end[figure], rel=1e-4, abs=1e-4), (name, result.params)
        assert float(mine["acc"].norm()) == pytest.approx(end["acc"], rel=1e-2, abs=1e-4), result.params


def test_more_steps_than_can_be_watched_are_refused() -> None:
    with pytest.raises(BadParams, match="take a larger block"):
        run(NAME, {"n_kv": 512, "block": 1})
