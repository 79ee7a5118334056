"""The demo `decode-alignment`: what a causal mask in the wrong corner does to a KV cache."""

from __future__ import annotations

import math

from torch import Tensor
from torch.nn import functional as F

from kernels import draw, show
from kernels.attention import Rules, attention, reference
from kernels.job import Job
from kernels.masks import Align, causal_mask
from kernels.numerics import DTYPES, max_error
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Row
from kernels.words import counted

ALIGNMENTS: tuple[Align, ...] = ("top-left", "bottom-right")
ROUNDING = 1e-5
"""What float32 may move an output that is the same in exact arithmetic."""


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: mask-top-left, mask-bottom-right, errors, bottom-right-right, top-left-wrong, sdpa-same,
    first-query-is-v0, shapes, code."""
    n_q, n_kv, h, d_k = job.whole("n_q", "n_kv", "h", "d_k")
    shape = (h, n_kv, d_k)
    q_all, k, v = draw_inputs(job.seed, shape, shape, shape, dtype=DTYPES["fp32"], device=job.device)
    q, scale = q_all[:, n_kv - n_q :], 1 / math.sqrt(d_k)
    square = causal_mask(n_kv, n_kv, device=job.device)
    wanted = reference(q_all, k, v, scale, square)[0][:, n_kv - n_q :]
    masks = {align: causal_mask(n_q, n_kv, align, job.device) for align in ALIGNMENTS}
    outputs = {f"{align} mask": attention(q, k, v, Rules(scale, visible)) for align, visible in masks.items()}
    outputs["no mask"] = attention(q, k, v, Rules(scale))
    outputs["F.sdpa, is_causal=True"] = F.scaled_dot_product_attention(
        q[None], k[None], v[None], is_causal=True
    )[0]
    errors = {name: max_error(out, wanted) for name, out in outputs.items()}
    return (
        *(_mask(align, visible) for align, visible in masks.items()),
        _errors(outputs, wanted),
        *_checks(errors, outputs, v, n_q, n_kv),
        Block(
            "shapes",
            draw.ribbon(h_q=h, h_kv=h, n_q=n_q, n_kv=n_kv, d_k=d_k),
            title="Shapes",
            look_for="A row of scores for each new query, a column for each cached key.",
        ),
        show.code(_snippet(job)),
    )


def _mask(align: Align, visible: Tensor) -> Block:
    n_q, n_kv = visible.shape
    last = int(visible[-1].sum())
    look_for = {
        "top-left": "PyTorch's is_causal: as if the queries were the first tokens."
        if n_q < n_kv
        else "PyTorch's is_causal: with as many queries as keys both corners give one mask.",
        "bottom-right": "The queries are the last tokens, so the last of them sees every key.",
    }[align]
    data = draw.mask(n_q, n_kv, align, visible)
    alt = f"The last query sees {last} of {counted(n_kv, 'key')}."
    return Block(f"mask-{align}", data, title=f"Aligned {align}", look_for=look_for, role="mask", alt=alt)


def _errors(outputs: dict[str, Tensor], wanted: Tensor) -> Block:
    """The largest error of each way, over all new rows and in the first and the last of them."""
    rows: list[Row] = [
        {
            "way": name,
            "error": max_error(out, wanted),
            "first": max_error(out[:, 0], wanted[:, 0]),
            "last": max_error(out[:, -1], wanted[:, -1]),
        }
        for name, out in outputs.items()
    ]
    cols = {
        "way": "Computed with",
        "error": "Largest error",
        "first": "in the first new row",
        "last": "in the last new row",
    }
    others = "; rows before it leak." if wanted.size(1) > 1 else ", and here it is the only one."
    look_for = f"Without a mask the last row is right, since it may see everything{others}"
    return show.table("errors", cols, rows, title="Against the rows of the full sequence", look_for=look_for)


def _checks(
    errors: dict[str, float], outputs: dict[str, Tensor], v: Tensor, n_q: int, n_kv: int
) -> list[Block]:
    right, wrong = errors["bottom-right mask"], errors["top-left mask"]
    claim = "The bottom-right mask gives the rows of the full sequence."
    blocks = [show.check("bottom-right-right", claim, right, "=", 0.0, ROUNDING)]
    if n_q < n_kv:
        claim = "The top-left mask does not: its error is no rounding."
        blocks.append(show.check("top-left-wrong", claim, wrong, ">", ROUNDING))
    else:
        claim = "With as many queries as keys the two masks are one."
        blocks.append(show.check("top-left-same", claim, wrong, "=", 0.0, ROUNDING))
    same = max_error(outputs["F.sdpa, is_causal=True"], outputs["top-left mask"])
    claim = "F.scaled_dot_product_attention with is_causal=True returns what the top-left mask returns."
    blocks.append(show.check("sdpa-same", claim, same, "=", 0.0, ROUNDING))
    only = max_error(outputs["top-left mask"][:, 0], v[:, 0])
    claim = "Aligned top-left, the first new query sees key 0 alone, so its output is exactly v[0]."
    blocks.append(show.check("first-query-is-v0", claim, only, "=", 0.0))
    return blocks


def _snippet(job: Job) -> str:
    n_q, n_kv, h, d_k = job.whole("n_q", "n_kv", "h", "d_k")
    return f"""import torch
from torch.nn import functional as F

g = torch.Generator().manual_seed({job.seed})
q, k, v = (torch.randn({h}, {n_kv}, {d_k}, generator=g) for _ in range(3))
full = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]
new = q[:, -{n_q}:]
sees = torch.ones({n_q}, {n_kv}, dtype=torch.bool).tril({n_kv} - {n_q})  # bottom-right: True is visible
right = F.scaled_dot_product_attention(new[None], k[None], v[None], attn_mask=sees)[0]
wrong = F.scaled_dot_product_attention(new[None], k[None], v[None], is_causal=True)[0]
error = {{name: float((out - full[:, -{n_q}:]).abs().max()) for name, out in (("right", right), ("wrong", wrong))}}
print(error)
"""
