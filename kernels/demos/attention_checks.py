"""What the demo `attention` asserts about its own output, and what it says where a row or a divisor is odd."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kernels import draw
from kernels.attention import Steps, attention, share_heads, softmax
from kernels.demos import attention_words as words
from kernels.demos.attention_setting import Setting
from kernels.numerics import entropy, max_error
from kernels.result import Block, Row
from kernels.rounding import Judge
from kernels.show import check, note, table

SCALING_ROWS = 256


def row_sums(s: Setting, part: draw.Window, trace: Steps) -> Block:
    sees = s.visible[part.r0 : part.r1].any(dim=-1)
    sums = trace.weights.double().sum(dim=-1)[sees]
    worst = float(sums[(sums - 1).abs().argmax()]) if sums.numel() else 1.0
    tol = 8 * torch.finfo(s.q.dtype).eps
    some = "" if part.r1 - part.r0 == s.visible.size(0) else f"from {part.r0} to {part.r1 - 1} "
    claim = f"Every row {some}that sees a key sums to 1."
    return check("row-sums", claim, worst, "=", 1.0, tol)


def error(judge: Judge, who: str, out: Tensor) -> Block:
    """Against float64, hidden keys left out: of all heads, or of the head shown alone where float64 takes long."""
    got, limit = judge.nearest(out)
    return check(
        "error",
        f"{who} differs from float64 over the visible keys by rounding only, number by number.",
        got,
        "=",
        0.0,
        limit,
        title="Error against float64",
        look_for=words.error(got, limit, max_error(out, judge.wanted)),
    )


def causality(s: Setting, out: Tensor) -> list[Block]:
    """Changes the last key and value and counts the rows of the output that change though they must not."""
    blind = ~s.visible[:, -1]
    if not bool(blind.any()):
        return []
    k, v = s.k.clone(), s.v.clone()
    k[:, -1] += 1
    v[:, -1] += 1
    changed = (attention(s.q, k, v, s.rules) != out).any(dim=-1).any(dim=0)
    count = int((changed & blind).sum())
    claim = "Changing the last key and value changes no row that must not see it."
    return [check("causality", claim, count, "=", 0, title="No look into the future")]


def first_row(s: Setting, out: Tensor) -> list[Block]:
    """A query that sees one key has no choice, whatever the scores."""
    if int(s.visible[0].sum()) != 1:
        return []
    group = s.q.size(0) // s.k.size(0)
    error = max_error(out[:, 0], s.v[:, 0].repeat_interleave(group, dim=0))
    claim = "The first query sees one key, so its output is exactly v[0]."
    return [check("first-row", claim, error, "=", 0.0)]


def unseen(s: Setting) -> list[Block]:
    count = s.sees.count(0)
    return [note("unseen", words.blind(count, s.rules), title="Rows that see nothing")] if count else []


def scaling(s: Setting) -> list[Block]:
    """What the divisor does to the scores' variance and to the softmax, before any mask."""
    n_kv, d_k = s.k.shape[-2:]
    if s.job.word("example") == "book" or n_kv < 2:
        return []
    k = share_heads(s.k.double(), s.q.size(0))
    raw = s.q[:, :SCALING_ROWS].double() @ k.transpose(-2, -1)
    rows: list[Row] = []
    for name, factor in (("nothing", 1.0), ("sqrt(d_k)", 1 / math.sqrt(d_k)), ("d_k", 1 / d_k)):
        scores = raw * factor
        weights = softmax(scores)
        h, largest = entropy(weights), float(weights.amax(dim=-1).mean())
        variance, share = float(scores.var()), h / math.log(n_kv)
        rows.append({"divisor": name, "variance": variance, "entropy": h, "share": share, "largest": largest})
    cols = {
        "divisor": "Divided by",
        "variance": "Variance of scores",
        "entropy": ("Mean entropy", "nats"),
        "share": "Of ln n_kv",
        "largest": "Largest weight, mean",
    }
    look_for = words.scaling(d_k, rows)
    return [table("scaling", cols, rows, title="What the divisor does, unmasked", look_for=look_for)]
