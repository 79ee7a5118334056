"""No sentence beside a block contradicts the block: each is read back and held against the figures of the run.

A sentence that no reading here knows fails the test, so that none is added without one.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from kernels.catalog import BadParams, demo, parse
from kernels.demos import attention_words
from kernels.params import Value
from kernels.result import Result
from kernels.run import run

Reading = Callable[[re.Match[str], Result], bool]
EPS = {"fp64": 2.0**-52, "fp32": 2.0**-23, "fp16": 2.0**-10, "bf16": 2.0**-7}


def data(r: Result, block: str) -> Any:
    return r.block(block).data


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


def tile_states(r: Result) -> list[str]:
    return [state for row in data(r, "mask").tiles.state for state in row]


def edges(r: Result) -> str:
    """Where tiles need a mask, given the parameters."""
    if not r.params["causal"]:
        return "at the ragged end of the keys"
    opens = ", where a window opens" if r.params["window"] else ""
    return f"on the diagonal{opens} or at the ragged end of the keys"


def poisoned(r: Result) -> list[int]:
    return [row["rows"] for row in data(r, "poison").rows]


def heads(r: Result) -> int:
    return int(r.params["batch"]) * int(r.params["h_q"])


def lse_of_blind_rows(r: Result) -> set[float]:
    return {row["lse"] for row in data(r, "rows").rows if not row["sees"]}


ATTENTION: dict[str, dict[str, Reading]] = {
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

FLASH: dict[str, dict[str, Reading]] = {
    "shapes": {
        r"The kernel holds S and P one tile at a time, and writes neither of them out\.": lambda m, r: True
    },
    "mask": {
        r"(?P<pays>Only tiles (?P<edges>.*) need a mask|No tile needs a mask); "
        r"(?P<skips>those (?P<which>.*) are never loaded|none is skipped)\.": lambda m, r: (
            ("diagonal" in tile_states(r)) == (m["edges"] is not None)
            and ("skipped" in tile_states(r)) == (m["which"] is not None)
            and m["edges"] in (None, edges(r))
            and m["which"] in (None, "that no row sees" if r.params["window"] else "beyond the diagonal")
        ),
        r"Tiles of \d+ x \d+; of the kernel's own, (\d+) of (\d+) are computed\.": lambda m, r: (
            int(m[1]) == data(r, "tiles").rows[0]["count"]
        ),
    },
    "tiles": {
        r"Without a causal mask every tile is computed\.": lambda m, r: (
            data(r, "tiles").rows[0]["share"] == 1
        ),
        r"(\d+)% of the tiles are computed; as the sequence grows, the share goes to one half\.": lambda m, r: (
            round(100 * data(r, "tiles").rows[0]["share"]) == int(m[1])
            and r.params["n_q"] == r.params["n_kv"]
            and not r.params["window"]
        ),
        r"(\d+)% of the tiles are computed; the mask leaves (\d+)% of all pairs visible\.": lambda m, r: (
            round(100 * data(r, "tiles").rows[0]["share"]) == int(m[1])
            and round(100 * sum(seen(r)) / (int(r.params["n_q"]) * int(r.params["n_kv"]))) == int(m[2])
        ),
    },
    "error": {
        r"Here even the bits are those of plain PyTorch\.": lambda m, r: (
            data(r, "precision").rows[2]["error"] == 0
        ),
        r"Exact, yet not the same bits\.": lambda m, r: data(r, "precision").rows[2]["error"] > 0,
    },
    "unseen": {
        r"(\d+) quer(?:y comes|ies come) before every key and sees? nothing\. .*": lambda m, r: (
            int(m[1]) == seen(r).count(0)
        ),
    },
    "poison": {
        r"In the kernel, NaN stays in the rows that see it\.": lambda m, r: poisoned(r)[0] == poisoned(r)[1],
        r"([\d,]+) rows? that do(?:es)? not see the value (?:is|are) NaN all the same: .*": lambda m, r: (
            poisoned(r)[1] - poisoned(r)[0] == int(m[1].replace(",", "")) > 0
        ),
    },
    "poison-note": {
        r"Every row sees the poisoned value, so every row is NaN, and rightly so\.": lambda m, r: (
            poisoned(r) == [heads(r) * int(r.params["n_q"])] * 3
        ),
        r"A mask makes .* so ([\d,]+) of ([\d,]+) rows are spoilt .* matrices, and ([\d,]+) are\. .*": lambda m, r: (
            [int(m[i].replace(",", "")) for i in (1, 3)] == poisoned(r)[1:]
            and int(m[2].replace(",", "")) == heads(r) * int(r.params["n_q"]) > poisoned(r)[0]
        ),
    },
    "code": {r"It runs as it stands\.": lambda m, r: True},  # another test runs it
    "setting": {r"Interpreted in NumPy, tile by tile: .*": lambda m, r: r.mode == "interpreter"},
    "kernel": {r"The two products, and between them the running maximum .*": lambda m, r: True},
}

DECODE: dict[str, dict[str, Reading]] = {
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
        r"The last query sees (\d+) of (\d+) keys\.": lambda m, r: (
            sum(data(r, "mask-top-left").cells[-1]) == int(m[1])
        ),
    },
    "mask-bottom-right": {
        r"The queries are the last tokens, so the last of them sees every key\.": lambda m, r: (
            set(data(r, "mask-bottom-right").cells[-1]) == {1}
        ),
        r"The last query sees (\d+) of \1 keys\.": lambda m, r: int(m[1]) == r.params["n_kv"],
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

KV: dict[str, dict[str, Reading]] = {
    "formula": {r"It runs as it stands\.": lambda m, r: True},  # another test runs it
    "size": {
        r"1 GiB is 2\^30 bytes, 1 GB is 10\^9: the same cache has two numbers\.": lambda m, r: True,
        r"([\d,]+) B per token; .*": lambda m, r: (
            int(m[1].replace(",", "")) == data(r, "size").rows[0]["bytes"]
        ),
    },
    "cache": {
        r"Each request brings a cache of its own\.": lambda m, r: (
            not any("weights" in bar.label for bar in data(r, "cache").rows)
        ),
        r"A decode step reads the weights once for all requests; each request brings a cache of its own\.": (
            lambda m, r: data(r, "cache").rows[-1].label == "weights in bf16"
        ),
        r"(cache|weights).*B\.": lambda m, r: m[0].count(";") + 1 == len(data(r, "cache").rows),
    },
    "per-token": {
        r"Falcon-40B and 180B keep 8 key/value heads: GQA, while Falcon-7B keeps one\.": lambda m, r: (
            [x["h_kv"] for x in data(r, "per-token").rows if x["model"].startswith("Falcon")] == [1, 8, 8]
        ),
    },
    "window": {
        r"A layer reads ([\d,]+) tokens, its own among them, so (\d+) layers reach ([\d,]+) back, .*": lambda m, r: (
            data(r, "window").rows[1]["reach"] == int(m[1].replace(",", "")) * int(m[2])
            and int(m[3].replace(",", "")) == (int(m[1].replace(",", "")) - 1) * int(m[2])
        ),
    },
    "mla-fp8": {
        r"The RoPE key stays in bf16, and the products are computed in bf16, too\.": lambda m, r: True
    },
    "mla-saving": {
        r"A reconstruction: (\S+) % includes fewer bits and fewer layers\. At the same bits it is (\S+) %\.": (
            lambda m, r: all(
                round(row["saved"], 1) == float(said)
                for row, said in zip(data(r, "mla-saving").rows, (m[2], m[1]), strict=True)
            )
        ),
    },
    "source": {r".+: .+\.": lambda m, r: True},
    "known": {r"These hold the code .* whatever was asked\.": lambda m, r: True},
}


def contradictions(r: Result, readings: dict[str, dict[str, Reading]]) -> list[str]:
    found = []
    for block in r.blocks:
        note = block.data.text if block.type == "note" else ""  # type: ignore[union-attr]
        for sentence in filter(None, (block.look_for, block.alt, note)):
            fits = [
                (match, reading)
                for pattern, reading in readings.get(block.id, {}).items()
                if (match := re.fullmatch(pattern, sentence))
            ]
            if len(fits) != 1 or not fits[0][1](fits[0][0], r):
                found.append(f"{block.id}: {sentence}")
    return found


def draws(name: str, seed: int, count: int, **ranges: tuple[Value, ...]) -> Iterator[dict[str, Value]]:
    """Parameters within these ranges that the demo takes."""
    chance, entry = random.Random(seed), demo(name)
    while count:
        params = {key: chance.choice(values) for key, values in ranges.items()}
        try:
            parse(entry, params)
        except BadParams:
            continue
        count -= 1
        yield params


@pytest.mark.parametrize("seed", range(6))
def test_no_sentence_of_attention_contradicts_its_figures(seed: int) -> None:
    for params in draws(
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
    for params in draws(
        "attention", 77, 100, example=("random",), n_q=(1, 2, 3, 5), n_kv=(1, 2, 3, 7), d_k=(1, 8, 96, 256, 512),
        h_q=(1, 4), h_kv=(1, 2), causal=(True, False), align=("bottom-right", "top-left"),
        scale=("sqrt", "none", "d_k"), dtype=("fp32", "fp64", "bf16", "fp16"),
    ):  # fmt: skip
        blocks = run("attention", {**params, "seed": 5}).blocks
        assert [b.id for b in blocks if b.type == "check" and not b.data.holds] == [], params  # type: ignore[union-attr]


def test_no_sentence_of_flash_contradicts_its_figures() -> None:
    for params in draws(
        "flash", 3, 40, n_q=(1, 5, 33, 64, 70), n_kv=(1, 2, 33, 64, 128), d=(16, 20, 256), h_q=(1, 2), h_kv=(1, 2),
        causal=(True, True, False), dtype=("fp32", "fp16"), block_q=("auto", "16"), block_kv=("auto", "16", "32"),
        window=(0, 0, 1, 30, 500), poison=(True, False),
    ):  # fmt: skip
        result = run("flash", {**params, "seed": 1})
        assert contradictions(result, FLASH) == [], params
        assert [b.id for b in result.blocks if b.type == "check" and not b.data.holds] == [], params  # type: ignore[union-attr]


def test_no_sentence_of_decode_alignment_contradicts_its_figures() -> None:
    for params in draws(
        "decode-alignment", 4, 60, n_q=(1, 2, 5, 9), n_kv=(1, 2, 5, 9), h=(1, 3), d_k=(1, 8, 64)
    ):
        assert contradictions(run("decode-alignment", {**params, "seed": 2}), DECODE) == [], params


def test_no_sentence_of_kv_cache_contradicts_its_figures() -> None:
    models = next(p.choices for p in demo("kv-cache").params if p.name == "model")
    for params in draws(
        "kv-cache", 5, 100, model=models, tokens=(1, 5000, 131072), batch=(1, 2, 500), dtype=("bf16", "fp8", "int4"),
        as_mha=(True, False),
    ):  # fmt: skip
        assert contradictions(run("kv-cache", params), KV) == [], params


def test_the_peak_of_fused_attention_is_judged_by_what_was_measured() -> None:
    assert "less than one of the two" in attention_words.peaks(10, 100)
    assert "0.8 times as much as these two matrices" in attention_words.peaks(80, 100)
