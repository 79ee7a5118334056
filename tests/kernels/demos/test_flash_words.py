"""No sentence of the demo `flash` contradicts its figures, whatever is asked."""

from __future__ import annotations

import pytest

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import Readings, broken, chosen, contradictions, data


def seen(r: Result) -> list[int]:
    """Keys that each query sees, counted anew from the parameters."""
    p = r.params
    n_q, n_kv = int(p["n_q"]), int(p["n_kv"])
    shift = 0 if p.get("align") == "top-left" else n_kv - n_q
    window = int(p.get("window") or n_kv + n_q)
    return [
        sum(not p["causal"] or i + shift - window < j <= i + shift for j in range(n_kv)) for i in range(n_q)
    ]


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


FLASH: Readings = {
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
        r"Tiles of \d+ x \d+; of its own the kernel computes (\d+) of (\d+)\.": lambda m, r: (
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


def test_no_sentence_of_flash_contradicts_its_figures() -> None:
    for params in chosen(
        "flash", 3, 40, n_q=(1, 5, 33, 64, 70), n_kv=(1, 2, 33, 64, 128), d=(16, 20, 256), h_q=(1, 2), h_kv=(1, 2),
        causal=(True, True, False), dtype=("fp32", "fp16"), block_q=("auto", "16"), block_kv=("auto", "16", "32"),
        window=(0, 0, 1, 30, 500), poison=(True, False),
    ):  # fmt: skip
        result = run("flash", {**params, "seed": 1})
        assert contradictions(result, FLASH) == [], params
        assert broken(result) == [], params
