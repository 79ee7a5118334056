"""The demo `flash`: our Triton kernel against float64 and plain PyTorch, the tiles it skips, its speed on a GPU."""

from __future__ import annotations

import inspect
import itertools
import re
from typing import NamedTuple

import torch
from torch import Tensor
from triton.runtime.errors import OutOfResources

from kernels import draw, memory
from kernels import flash as kernel
from kernels.attention import Rules, attention, reference
from kernels.demos.flash_speed import speed
from kernels.entries.flash import held_bytes
from kernels.job import Job
from kernels.masks import Align, causal_mask, keys_seen
from kernels.numerics import DTYPES, finite_max, lse_rounding, max_error, score_rounding, twice_rule
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Check, Code, Column, Note, Refused, Row, Table
from kernels.tiles import states, visible_pairs

ROWS_SHOWN = 16


class Run(NamedTuple):
    """Inputs and the kernel's output, with float64's beside it."""

    q: Tensor
    k: Tensor
    v: Tensor
    scale: float
    visible: Tensor | None
    setting: kernel.Config
    got: kernel.Output
    wanted: Tensor
    wanted_lse: Tensor


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: shapes, mask, tiles, error, lse, precision, rows, unseen, unseen-check, timing, speed, setting,
    kernel; those that do not apply are left out."""
    memory.require(held_bytes(job.params), job.device, "lower batch, a length, h_q or d.")
    ran = _run(job)
    job.progress(0.6, "Plain PyTorch in the same dtype")
    plain = _plain(ran)
    blocks = [
        _shapes(job),
        _mask(ran),
        _tiles(ran),
        _error(ran, plain),
        _lse(ran),
        _precision(ran, plain),
        _rows(ran),
        *_unseen(ran),
    ]
    if not job.interpreter:
        blocks += speed(job, ran.q, ran.k, ran.v, ran.scale, ran.visible, ran.setting)
    return (*blocks, _setting_block(ran.setting, job.interpreter), _source())


def _run(job: Job) -> Run:
    batch, h_q, h_kv, n_q, n_kv, d = job.whole("batch", "h_q", "h_kv", "n_q", "n_kv", "d")
    kv = (batch, h_kv, n_kv, d)
    dtype = DTYPES[job.word("dtype")]
    q, k, v = draw_inputs(job.seed, (batch, h_q, n_q, d), kv, kv, dtype=dtype, device=job.device)
    visible = causal_mask(n_q, n_kv, device=job.device) if job.flag("causal") else None
    setting = _setting(job, dtype)
    job.progress(0.1, "Interpreting the kernel" if job.interpreter else "Compiling and running the kernel")
    try:
        got = kernel.flash(q, k, v, causal=visible is not None, setting=setting)
    except OutOfResources as error:
        raise Refused(f"These tiles do not fit this GPU ({error}); choose smaller ones, or auto.") from error
    job.progress(0.4, "Computing the same in float64")
    scale = d**-0.5
    wanted, wanted_lse = reference(q, k, v, scale, visible)
    return Run(q, k, v, scale, visible, setting, got, wanted, wanted_lse)


def _setting(job: Job, dtype: torch.dtype) -> kernel.Config:
    (d,) = job.whole("d")
    chosen = kernel.INTERPRETED if job.interpreter else kernel.config(d, dtype)
    if job.word("block_q") != "auto":
        chosen = chosen._replace(bm=int(job.word("block_q")))
    if job.word("block_kv") != "auto":
        chosen = chosen._replace(bn=int(job.word("block_kv")))
    return chosen


def _plain(ran: Run) -> Tensor:
    """Unfused attention in the same dtype, a head at a time so that long sequences fit."""
    out = torch.empty_like(ran.got.o)
    group = ran.q.size(1) // ran.k.size(1)
    for b, h in itertools.product(range(ran.q.size(0)), range(ran.q.size(1))):
        kv = (b, slice(h // group, h // group + 1))
        out[b, h] = attention(ran.q[b, h, None], ran.k[kv], ran.v[kv], Rules(ran.scale, ran.visible))[0]
    return out


def _shapes(job: Job) -> Block:
    h_q, h_kv, n_q, n_kv, d = job.whole("h_q", "h_kv", "n_q", "n_kv", "d")
    data = draw.ribbon(h_q=h_q, h_kv=h_kv, n_q=n_q, n_kv=n_kv, d_k=d, unit="online softmax")
    look_for = "The kernel holds S and P one tile at a time, and writes neither of them out."
    return Block("shapes", data, title="Shapes", look_for=look_for)


def _mask(ran: Run) -> Block:
    n_q, n_kv = ran.q.size(2), ran.k.size(2)
    align: Align | None = None if ran.visible is None else "bottom-right"
    visible = torch.ones(n_q, n_kv) if ran.visible is None else ran.visible
    bm, bn = draw.drawable_tile(n_q, n_kv, ran.setting.bm, ran.setting.bn)
    counts = _counts(n_q, n_kv, ran)
    alt = f"Tiles of {bm} x {bn}; of the kernel's own, {counts['computed']} of {counts['all']} are computed."
    look_for = _who_pays(counts, align is not None)
    title = f"Tiles of {bm} queries x {bn} keys"
    return Block("mask", draw.mask(n_q, n_kv, align, visible, (bm, bn)), title, look_for, "mask", alt)


def _who_pays(counts: dict[str, int], causal: bool) -> str:
    """What the tiles of the kernel, drawn or not, say about the price of the mask."""
    where = "on the diagonal or at the ragged end of the keys" if causal else "at the ragged end of the keys"
    paid = f"Only tiles {where} need a mask" if counts["diagonal"] else "No tile needs a mask"
    return (
        f"{paid}; {'those beyond the diagonal are never loaded' if counts['skipped'] else 'none is skipped'}."
    )


def _share(counts: dict[str, int], n_q: int, n_kv: int, causal: bool) -> str:
    computed = f"{counts['computed'] / counts['all']:.0%} of the tiles are computed"
    if not causal:
        return "Without a causal mask every tile is computed."
    if n_q == n_kv:
        return f"{computed}; as the sequence grows, the share goes to one half."
    return f"{computed}; the mask leaves {visible_pairs(n_q, n_kv, causal) / (n_q * n_kv):.0%} of all pairs visible."


def _counts(n_q: int, n_kv: int, ran: Run) -> dict[str, int]:
    grid = states(n_q, n_kv, bm=ran.setting.bm, bn=ran.setting.bn, causal=ran.visible is not None)
    flat = [state for row in grid for state in row]
    full, diagonal = flat.count("full"), flat.count("diagonal")
    computed = full + diagonal
    return {
        "all": len(flat),
        "computed": computed,
        "full": full,
        "diagonal": diagonal,
        "skipped": len(flat) - computed,
    }


def _tiles(ran: Run) -> Block:
    n_q, n_kv = ran.q.size(2), ran.k.size(2)
    counts = _counts(n_q, n_kv, ran)
    names = {
        "computed": "computed",
        "full": "of these without a mask",
        "diagonal": "of these with one",
        "skipped": "skipped",
    }
    rows: list[Row] = [
        {"tiles": words, "count": counts[key], "share": counts[key] / counts["all"]}
        for key, words in names.items()
    ]
    cols = (Column("tiles", "Tiles of one head"), Column("count", "Number"), Column("share", "Share"))
    look_for = _share(counts, n_q, n_kv, ran.visible is not None)
    return Block("tiles", Table(cols, tuple(rows)), title="What is computed", look_for=look_for)


def _error(ran: Run, plain: Tensor) -> Block:
    float32 = score_rounding(ran.q, ran.k, ran.scale) * finite_max(ran.v)
    rule = twice_rule(ran.got.o, plain, ran.wanted, float32)
    claim = (
        "The kernel's error against float64 is at most twice that of plain PyTorch in the same dtype, "
        "with room for one rounding of the output and for sums in float32."
    )
    check = Check(claim, "<=", rule.limit, rule.error, 0, rule.holds)
    same = torch.equal(ran.got.o, plain)
    look_for = "Here even the bits are those of plain PyTorch." if same else "Exact, yet not the same bits."
    return Block("error", check, title="FlashAttention's own rule", look_for=look_for)


def _lse(ran: Run) -> Block:
    error = max_error(ran.got.lse, ran.wanted_lse)
    tol = lse_rounding(ran.q, ran.k, ran.scale, ran.wanted_lse)
    claim = "The log-sum-exp that the backward pass and split-KV decoding need is right, too."
    return Block("lse", Check(claim, "=", 0.0, error, tol, error <= tol))


def _precision(ran: Run, plain: Tensor) -> Block:
    rows: tuple[Row, ...] = (
        {"way": "this kernel", "error": max_error(ran.got.o, ran.wanted)},
        {"way": "plain PyTorch", "error": max_error(plain, ran.wanted)},
        {"way": "between the two", "error": max_error(ran.got.o, plain)},
    )
    cols = (Column("way", "Computed by"), Column("error", "Largest error"))
    return Block("precision", Table(cols, rows), title="Against float64")


def _rows(ran: Run) -> Block:
    """The first and the last rows of head 0: keys seen, and the log-sum-exp of both."""
    n_q, n_kv = ran.q.size(2), ran.k.size(2)
    shown = sorted({*range(n_q)[: ROWS_SHOWN // 2], *range(n_q)[-ROWS_SHOWN // 2 :]})
    rows: list[Row] = []
    seen = keys_seen(n_q, n_kv, None if ran.visible is None else "bottom-right")
    for i in shown:
        sees = seen[i]
        lse, exact = float(ran.got.lse[0, 0, i]), float(ran.wanted_lse[0, 0, i])
        rows.append({"row": i, "sees": sees, "lse": lse, "exact": exact})
    cols = (
        Column("row", "Query"),
        Column("sees", "Keys seen"),
        Column("lse", "log-sum-exp, kernel"),
        Column("exact", "log-sum-exp, float64"),
    )
    return Block("rows", Table(cols, tuple(rows)), title="Row by row, head 0")


def _unseen(ran: Run) -> list[Block]:
    if ran.visible is None or bool(ran.visible.any(dim=-1).all()):
        return []
    empty = ~ran.visible.any(dim=-1)
    count = int(empty.sum())
    wrong = int((ran.got.o[:, :, empty] != 0).sum()) + int((ran.got.lse[:, :, empty] != -torch.inf).sum())
    claim = "A query that sees no key gets an output of exactly 0 and a log-sum-exp of -inf."
    words = f"{count} quer{'ies come' if count > 1 else 'y comes'} before every key and see nothing."
    return [
        Block("unseen", Note(f"{words} A merge over splits then gives such a part the weight e^-inf = 0.")),
        Block("unseen-check", Check(claim, "=", 0, wrong, 0, wrong == 0)),
    ]


def _setting_block(setting: kernel.Config, interpreter: bool) -> Block:
    row: Row = {"bm": setting.bm, "bn": setting.bn, "warps": setting.warps, "stages": setting.stages}
    cols = (
        Column("bm", "Tile of queries"),
        Column("bn", "Tile of keys"),
        Column("warps", "Warps"),
        Column("stages", "Stages"),
    )
    look_for = (
        "Interpreted in NumPy, tile by tile: right or wrong can be seen, speed cannot." if interpreter else ""
    )
    return Block("setting", Table(cols, (row,)), title="How it was launched", look_for=look_for)


def _source() -> Block:
    text = re.sub(r"  # (type: ignore|fmt: ).*", "", inspect.getsource(kernel._walk.fn))
    look_for = "The two products, and between them the running maximum that rescales what was summed before."
    return Block("kernel", Code("python", text), title="The loop over the keys", look_for=look_for)
