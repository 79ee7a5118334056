"""The demo `gqa`: the map of shared heads, two ways to share them and one that is wrong, and what sharing saves."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from kernels import draw, show
from kernels.attention import Rules, attention, reference
from kernels.job import Job
from kernels.masks import causal_mask
from kernels.numerics import draw as draw_inputs
from kernels.numerics import max_error
from kernels.result import Block, Row
from kernels.words import counted

TOLERANCE = 1e-5  # float32
ITEM = 2  # bytes of a cached number in bf16


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: shapes, ways, interleaved, enable-gqa, repeat-wrong or repeat-same, cache, sharing, saving, pooled,
    code."""
    h_q, h_kv, n, d_k = job.whole("h_q", "h_kv", "n", "d_k")
    kv = (h_kv, n, d_k)
    q, k, v = draw_inputs(job.seed, (h_q, n, d_k), kv, kv, dtype=torch.float32, device="cpu")
    return (
        _shapes(h_q, h_kv, n, d_k),
        *_ways(q, k, v),
        *_cost(h_q, h_kv, d_k),
        _pooled(job, h_q, d_k),
        show.code(_snippet(job)),
    )


def _shapes(h_q: int, h_kv: int, n: int, d_k: int) -> Block:
    data = draw.ribbon(h_q=h_q, h_kv=h_kv, n_q=n, n_kv=n, d_k=d_k)
    look_for = f"Each key/value head serves {h_q // h_kv}: query head q reads head q · {h_kv} // {h_q}."
    alt = f"{counted(h_q, 'query head')}, {counted(h_kv, 'key/value head')}."
    return Block("shapes", data, "Who shares with whom", look_for, alt=alt)


def _ways(q: Tensor, k: Tensor, v: Tensor) -> list[Block]:
    h_q, n, d_k = q.shape
    h_kv = k.size(0)
    group, scale, visible = h_q // h_kv, 1 / math.sqrt(d_k), causal_mask(n, n)
    wanted, _ = reference(q, k, v, scale, visible)
    rules = Rules(scale, visible)

    outputs = {
        "repeat_interleave": attention(
            q, k.repeat_interleave(group, 0), v.repeat_interleave(group, 0), rules
        ),
        "F.sdpa, enable_gqa=True": F.scaled_dot_product_attention(
            q[None], k[None], v[None], is_causal=True, enable_gqa=True
        )[0],
        "repeat": attention(q, k.repeat(group, 1, 1), v.repeat(group, 1, 1), rules),
    }
    errors = {name: max_error(out, wanted) for name, out in outputs.items()}
    wrong = [sum(i % h_kv != i // group for i in range(h_q)) if name == "repeat" else 0 for name in errors]
    rows: list[Row] = [
        {"way": name, "error": error, "heads": count}
        for (name, error), count in zip(errors.items(), wrong, strict=True)
    ]
    cols = {"way": "Shared by", "error": "Error against float64", "heads": "Heads that read a wrong one"}
    interleaved, native, repeated = errors.values()
    return [
        show.table("ways", cols, rows, title="Three ways to share", look_for=_dealt(wrong[-1], h_q)),
        show.check("interleaved", "repeat_interleave gives every key/value head to neighbours.",
                   interleaved, "=", 0, TOLERANCE),
        show.check("enable-gqa", "enable_gqa=True does the same, with no copy in the caller's code.",
                   native, "=", 0, TOLERANCE),
        _repeated(repeated, differs=1 < h_kv < h_q),
    ]  # fmt: skip


def _dealt(wrong: int, h_q: int) -> str:
    """wrong of the h_q query heads read another key/value head than their own when heads are dealt out in turn."""
    if wrong:
        return f"By repeat, {wrong} of {h_q} query heads read a wrong head; every shape fits, and nothing complains."
    return (
        "With these heads repeat and repeat_interleave are the same; try a number of key/value heads between."
    )


def _repeated(error: float, *, differs: bool) -> Block:
    if differs:
        claim = "repeat deals the heads out in turn, which has the right shape and is wrong."
        return show.check("repeat-wrong", claim, error, ">", TOLERANCE)
    claim = "With one key/value head, or one for each query head, repeat does the same."
    return show.check("repeat-same", claim, error, "=", 0, TOLERANCE)


def _cost(h_q: int, h_kv: int, d_k: int) -> list[Block]:
    """Bytes that a layer caches for a token in bf16, and FLOPs per byte of a decode step that reads them."""
    choices = [g for g in range(1, h_q + 1) if h_q % g == 0]
    rows = [
        {
            "h_kv": g,
            "group": h_q // g,
            "bytes": 2 * g * d_k * ITEM,
            "intensity": 4 * h_q * d_k / (2 * g * d_k * ITEM),
        }
        for g in choices
    ]
    cols = {
        "h_kv": "Key/value heads",
        "group": "Query heads on each",
        "bytes": ("Cached per token and layer", "bytes"),
        "intensity": ("Intensity of a decode step", "FLOP/byte"),
    }
    bars = {_name(g, h_q): 2 * g * d_k * ITEM for g in choices}
    saved = bars[_name(h_q, h_q)] / bars[_name(h_kv, h_q)]
    return [
        show.amounts("cache", bars, title="Cached for one token in one layer, bf16",
                     look_for="Queries are not cached, so key/value heads alone count.",
                     alt="; ".join(f"{name}: {n:,} B" for name, n in bars.items()) + "."),
        show.table("sharing", cols, rows, title="The same FLOPs, fewer bytes",
                   look_for="Each cached number is read once and used by every query head that shares it."),
        show.check("saving", "The cache shrinks by the number of query heads on each key/value head.",
                   saved, "=", h_q / h_kv),
    ]  # fmt: skip


def _name(g: int, h_q: int) -> str:
    kind = "MHA" if g == h_q else "MQA" if g == 1 else "GQA"
    return f"{kind}, {g} of {h_q}"


def _pooled(job: Job, h_q: int, d_k: int) -> Block:
    """How a checkpoint with h_q key heads becomes one with fewer (GQA, arXiv 2305.13245, section 2.1)."""
    (h_kv, n), width = job.whole("h_kv", "n"), 32
    x, w = draw_inputs(job.seed, (n, width), (h_q, width, d_k), dtype=torch.float64, device="cpu")
    pooled = w.view(h_kv, -1, width, d_k).mean(1)
    wanted = (x @ w).view(h_kv, -1, n, d_k).mean(1)
    claim = "Averaging the projections of a group gives the average of its keys; training must then make up the rest."
    return show.check("pooled", claim, max_error(x @ pooled, wanted), "=", 0, 1e-9)


def _snippet(job: Job) -> str:
    h_q, h_kv, n, d_k = job.whole("h_q", "h_kv", "n", "d_k")
    return f"""import torch
from torch.nn import functional as F

h_q, h_kv, n, d_k = {h_q}, {h_kv}, {n}, {d_k}
g = torch.Generator().manual_seed({job.seed})
q, k, v = (torch.randn(h, n, d_k, generator=g) for h in (h_q, h_kv, h_kv))
r = h_q // h_kv
right = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True, enable_gqa=True)[0]
shared = {{
    "repeat_interleave": [x.repeat_interleave(r, dim=0) for x in (k, v)],
    "repeat": [x.repeat(r, 1, 1) for x in (k, v)],
}}
error = {{}}
for name, (keys, values) in shared.items():
    out = F.scaled_dot_product_attention(q[None], keys[None], values[None], is_causal=True)[0]
    error[name] = float((out - right).abs().max())
print(error)
"""
