"""The demo `flash`: our Triton kernel against float64 and plain PyTorch, the tiles it skips, its speed on a GPU."""

from __future__ import annotations

import inspect
import re

import torch
from torch import Tensor
from triton.runtime.errors import OutOfResources

from kernels import draw, memory
from kernels import flash as kernel
from kernels.attention import reference
from kernels.demos.flash_code import snippet
from kernels.demos.flash_plain import Run, plain
from kernels.demos.flash_poison import poisoned
from kernels.demos.flash_speed import speed, tuned
from kernels.demos.flash_tiles import mask, tiles
from kernels.entries.flash import held_bytes, window_of
from kernels.job import Job
from kernels.masks import causal_mask, window_mask
from kernels.numerics import DTYPES, finite_max, lse_rounding, max_error, score_rounding, twice_rule
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Code, Refused, Row
from kernels.show import check, code, note, table
from kernels.tuning import INTERPRETED, Choice, Config, config
from kernels.words import counted

ROWS_SHOWN = 16


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: shapes, mask, tiles, error, lse, precision, rows, unseen, unseen-check, poison, poison-check,
    poison-note, timing, speed, tuned, setting, kernel, code; those that do not apply are left out."""
    memory.require(held_bytes(job.params), job.device, "lower batch, a length, h_q or d.")
    q, k, v, visible = _inputs(job)
    choice = _choice(job, q, k, v)
    ran = _run(job, q, k, v, visible, choice.setting)
    job.progress(0.6, "Plain PyTorch in the same dtype")
    same_dtype = plain(ran, v)
    blocks = [
        _shapes(job),
        mask(ran),
        tiles(ran),
        _error(ran, same_dtype),
        _lse(ran),
        _precision(ran, same_dtype),
        _rows(ran),
        *_unseen(ran),
        *(poisoned(ran) if job.flag("poison") else ()),
    ]
    if not job.interpreter:
        blocks += speed(job, ran)
    return (*blocks, *tuned(choice), _setting(choice.setting, job.interpreter), _source(), code(snippet(job)))


def _inputs(job: Job) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    batch, h_q, h_kv, n_q, n_kv, d = job.whole("batch", "h_q", "h_kv", "n_q", "n_kv", "d")
    kv = (batch, h_kv, n_kv, d)
    dtype = DTYPES[job.word("dtype")]
    q, k, v = draw_inputs(job.seed, (batch, h_q, n_q, d), kv, kv, dtype=dtype, device=job.device)
    visible = causal_mask(n_q, n_kv, device=job.device) if job.flag("causal") else None
    if visible is not None and (window := window_of(job.params)):
        visible &= window_mask(n_q, n_kv, window, device=job.device)
    return q, k, v, visible


def _choice(job: Job, q: Tensor, k: Tensor, v: Tensor) -> Choice:
    """The learner's tiles; else what flash() takes by itself, with all that it timed."""
    causal, window = job.flag("causal"), window_of(job.params)
    own = job.word("block_q") != "auto" or job.word("block_kv") != "auto"
    if own or job.interpreter:
        return Choice(_tiles_of(job, INTERPRETED if job.interpreter else config(q.size(3), q.dtype)), ())
    if min(q.size(2), k.size(2)) >= kernel.TUNED_FROM:
        job.progress(0.05, "Compiling and timing the kernel's settings (once on this worker)")
        return kernel.choose(q, k, v, causal=causal, window=window)
    return Choice(kernel.setting_for(q, k, v, causal=causal, window=window), ())


def _tiles_of(job: Job, setting: Config) -> Config:
    bm, bn = job.word("block_q"), job.word("block_kv")
    return setting._replace(
        bm=setting.bm if bm == "auto" else int(bm), bn=setting.bn if bn == "auto" else int(bn)
    )


def _run(job: Job, q: Tensor, k: Tensor, v: Tensor, visible: Tensor | None, setting: Config) -> Run:
    window = window_of(job.params)
    job.progress(0.1, "Interpreting the kernel" if job.interpreter else "Compiling and running the kernel")
    try:
        got = kernel.flash(q, k, v, causal=visible is not None, window=window, setting=setting)
    except OutOfResources as error:
        raise Refused(f"These tiles do not fit this GPU ({error}); choose smaller ones, or auto.") from error
    job.progress(0.4, "Computing the same in float64")
    scale = q.size(3) ** -0.5
    wanted, wanted_lse = reference(q, k, v, scale, visible)
    return Run(q, k, v, scale, visible, window, setting, got, wanted, wanted_lse)


def _shapes(job: Job) -> Block:
    h_q, h_kv, n_q, n_kv, d = job.whole("h_q", "h_kv", "n_q", "n_kv", "d")
    data = draw.ribbon(h_q=h_q, h_kv=h_kv, n_q=n_q, n_kv=n_kv, d_k=d, unit="online softmax")
    look_for = "The kernel holds S and P one tile at a time, and writes neither of them out."
    return Block("shapes", data, title="Shapes", look_for=look_for)


def _error(ran: Run, same_dtype: Tensor) -> Block:
    float32 = score_rounding(ran.q, ran.k, ran.scale) * finite_max(ran.v)
    rule = twice_rule(ran.got.o, same_dtype, ran.wanted, float32)
    claim = (
        "The kernel's error against float64 is at most twice that of plain PyTorch in the same dtype, "
        "with room for one rounding of the output and for sums in float32."
    )
    same = torch.equal(ran.got.o, same_dtype)
    look_for = "Here even the bits are those of plain PyTorch." if same else "Exact, yet not the same bits."
    return check(
        "error", claim, rule.error, "<=", rule.limit, title="FlashAttention's own rule", look_for=look_for
    )


def _lse(ran: Run) -> Block:
    error = max_error(ran.got.lse, ran.wanted_lse)
    tol = lse_rounding(ran.q, ran.k, ran.scale, ran.wanted_lse)
    claim = "The log-sum-exp that the backward pass and split-KV decoding need is right, too."
    return check("lse", claim, error, "=", 0.0, tol)


def _precision(ran: Run, same_dtype: Tensor) -> Block:
    rows: tuple[Row, ...] = (
        {"way": "this kernel", "against": "float64", "error": max_error(ran.got.o, ran.wanted)},
        {"way": "plain PyTorch", "against": "float64", "error": max_error(same_dtype, ran.wanted)},
        {"way": "this kernel", "against": "plain PyTorch", "error": max_error(ran.got.o, same_dtype)},
    )
    cols = {"way": "Computed by", "against": "Compared with", "error": "Largest difference"}
    return table("precision", cols, rows, title="How far apart")


def _rows(ran: Run) -> Block:
    """The first and the last rows of head 0: keys seen, and the log-sum-exp of both."""
    n_q, n_kv = ran.q.size(2), ran.k.size(2)
    shown = sorted({*range(n_q)[: ROWS_SHOWN // 2], *range(n_q)[-ROWS_SHOWN // 2 :]})
    rows: list[Row] = []
    for i in shown:
        sees = n_kv if ran.visible is None else int(ran.visible[i].sum())
        lse, exact = float(ran.got.lse[0, 0, i]), float(ran.wanted_lse[0, 0, i])
        rows.append({"row": i, "sees": sees, "lse": lse, "exact": exact})
    cols = {
        "row": "Query",
        "sees": "Keys seen",
        "lse": "log-sum-exp, kernel",
        "exact": "log-sum-exp, float64",
    }
    return table("rows", cols, rows, title="Row by row, head 0")


def _unseen(ran: Run) -> list[Block]:
    if ran.visible is None or bool(ran.visible.any(dim=-1).all()):
        return []
    empty = ~ran.visible.any(dim=-1)
    count = int(empty.sum())
    wrong = int((ran.got.o[:, :, empty] != 0).sum()) + int((ran.got.lse[:, :, empty] != -torch.inf).sum())
    claim = "A query that sees no key gets an output of exactly 0 and a log-sum-exp of -inf."
    come = counted(count, "query comes before every key and sees", "queries come before every key and see")
    return [
        note("unseen", f"{come} nothing. A merge over splits then gives such a part the weight e^-inf = 0."),
        check("unseen-check", claim, wrong, "=", 0),
    ]


def _setting(setting: Config, interpreter: bool) -> Block:
    row: Row = {
        "bm": setting.bm, "bn": setting.bn, "warps": setting.warps, "stages": setting.stages, "tma": setting.tma,
    }  # fmt: skip
    cols = {
        "bm": "Tile of queries",
        "bn": "Tile of keys",
        "warps": "Warps",
        "stages": "Stages",
        "tma": "Tiles fetched by TMA",
    }
    look_for = (
        "Interpreted in NumPy, tile by tile: right or wrong can be seen, speed cannot." if interpreter else ""
    )
    return table("setting", cols, [row], title="How it was launched", look_for=look_for)


def _source() -> Block:
    text = re.sub(r"  # (type: ignore|fmt: ).*", "", inspect.getsource(kernel._walk.fn))
    look_for = "The two products, and between them the running maximum that rescales what was summed before."
    return Block("kernel", Code("python", text), title="The loop over the keys", look_for=look_for)
