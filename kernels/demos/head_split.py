"""The demo `head-split`: the reshape that mixes positions with channels, and the test that does not see it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from kernels import show
from kernels.attention import Rules, attention
from kernels.job import Job
from kernels.linked import linked
from kernels.masks import causal_mask
from kernels.numerics import draw as draw_inputs
from kernels.numerics import max_error
from kernels.result import Block
from kernels.words import counted

TOLERANCE = 1e-9  # float64
Turn = Callable[[Tensor, int], Tensor]


def split(x: Tensor, h: int) -> Tensor:
    """[b, n, h·d_k] to [b, h, n, d_k]: head i takes the channels i·d_k to (i+1)·d_k of every token."""
    b, n, width = x.shape
    return x.view(b, n, h, width // h).transpose(1, 2)


def merge(x: Tensor, _: int) -> Tensor:
    """[b, h, n, d_k] to [b, n, h·d_k], the inverse of split."""
    return x.transpose(1, 2).flatten(2)


def split_by_view(x: Tensor, h: int) -> Tensor:
    """The bug: the same shape, but head i takes all channels of the tokens i·n/h to (i+1)·n/h."""
    b, n, width = x.shape
    return x.reshape(b, h, n, width // h)


def merge_by_view(x: Tensor, h: int) -> Tensor:
    """The bug on the way back: memory is read on as it lies."""
    b, _, n, d_k = x.shape
    return x.reshape(b, n, h * d_k)


SPLITS: dict[str, Turn] = {"transposed": split, "view only": split_by_view}
MERGES: dict[str, Turn] = {"transposed": merge, "view only": merge_by_view}


class Way(NamedTuple):
    """One combination: its error against the reference, and how many rows before the changed one changed."""

    split: str
    merge: str
    error: float
    leaks: int


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: layout-right, layout-wrong, ways, right, bug-caught, bug-missed, bug-is-there, code."""
    batch, n, h, d_k = job.whole("batch", "n", "h", "d_k")
    shape = (batch, n, h * d_k)
    q, k, v, other = draw_inputs(job.seed, shape, shape, shape, shape, dtype=torch.float64, device="cpu")
    q2, k2, v2 = (torch.cat((x[:, :-1], other[:, -1:] + i), dim=1) for i, x in enumerate((q, k, v)))
    wanted = by_head(q, k, v, h)
    ways = [
        Way(
            s,
            m,
            max_error(mha(q, k, v, h, s, m), wanted),
            _leaks(mha(q, k, v, h, s, m), mha(q2, k2, v2, h, s, m)),
        )
        for s, m in itertools.product(SPLITS, MERGES)
    ]
    return (*_layouts(n, h, d_k), _table(ways, n), *_checks(ways), show.code(_snippet(job)))


def by_head(q: Tensor, k: Tensor, v: Tensor, h: int) -> Tensor:
    """The reference: head after head, by slices of the channels, nothing reshaped."""
    d_k = q.size(-1) // h
    slices = [slice(i * d_k, (i + 1) * d_k) for i in range(h)]
    rules = _rules(q.size(1), d_k)
    return torch.cat(
        [attention(q[:, None, :, s], k[:, None, :, s], v[:, None, :, s], rules)[:, 0] for s in slices], -1
    )


def mha(q: Tensor, k: Tensor, v: Tensor, h: int, split_by: str, merge_by: str) -> Tensor:
    """Causal multi-head attention without projections, heads split and merged in the named ways."""
    q, k, v = (SPLITS[split_by](x, h) for x in (q, k, v))
    return MERGES[merge_by](attention(q, k, v, _rules(q.size(2), q.size(3))), h)


def _rules(n: int, d_k: int) -> Rules:
    return Rules(1 / math.sqrt(d_k), causal_mask(n, n))


def _leaks(before: Tensor, after: Tensor) -> int:
    """Rows before the last that differ at all in any sequence, though only the last token was changed."""
    return int((before != after).any(dim=-1).any(dim=0)[:-1].sum())


def _layouts(n: int, h: int, d_k: int) -> list[Block]:
    """From which token the first head's rows come, in both layouts."""
    token = torch.arange(n, dtype=torch.float64)[None, :, None].expand(1, n, h * d_k).contiguous()
    titles = {
        "transposed": ("layout-right", "Head 0, transposed"),
        "view only": ("layout-wrong", "Head 0, view only"),
    }
    blocks = []
    for name, (block_id, title) in titles.items():
        rows = SPLITS[name](token, h)[0, 0]
        data = linked({"token": rows}, [f"row {i}" for i in range(n)], [f"c{j}" for j in range(d_k)])
        seen = len(set(rows.flatten().tolist()))
        look_for = f"The rows of this head hold numbers of {seen} of the {n} tokens."
        blocks.append(
            Block(block_id, data, title, look_for, alt=f"{title}: the token that each number comes from.")
        )
    return blocks


def _table(ways: list[Way], n: int) -> Block:
    cols = {
        "split": "Split",
        "merge": "Merge",
        "error": "Error against head by head",
        "equal": "Equal",
        "leaks": f"Of {counted(n - 1, 'earlier row')}, changed by the last token",
        "causal": "Passes a causality test",
    }
    rows = [{**w._asdict(), "equal": w.error <= TOLERANCE, "causal": w.leaks == 0} for w in ways]
    return show.table("ways", cols, rows, title="Four ways through the heads",
                      look_for="A causality test sees one error, and not two that undo each other.")  # fmt: skip


def _checks(ways: list[Way]) -> list[Block]:
    right, split_right, merge_right, both = ways
    return [
        show.check("right", "Transposed both times, it is attention head by head.", right.error, "=", 0, TOLERANCE),
        show.check("bug-caught", "With one of the two wrong, earlier rows change with a later token.",
                   min(split_right.leaks, merge_right.leaks), ">=", 1),
        show.check("bug-missed", "With both wrong, no earlier row changes: this test passes.", both.leaks, "=", 0),
        show.check("bug-is-there", "And yet the output is another one: only a reference tells.",
                   both.error, ">", TOLERANCE),
    ]  # fmt: skip


def _snippet(job: Job) -> str:
    batch, n, h, d_k = job.whole("batch", "n", "h", "d_k")
    return f"""import torch
from torch.nn import functional as F

b, n, h, d_k = {batch}, {n}, {h}, {d_k}
g = torch.Generator().manual_seed({job.seed})
q, k, v = (torch.randn(b, n, h * d_k, generator=g).double() for _ in range(3))
split = {{"transposed": lambda x: x.view(b, n, h, d_k).transpose(1, 2), "view only": lambda x: x.view(b, h, n, d_k)}}
merge = {{
    "transposed": lambda o: o.transpose(1, 2).reshape(b, n, h * d_k),
    "view only": lambda o: o.reshape(b, n, h * d_k),
}}
out = {{
    (s, m): merge[m](F.scaled_dot_product_attention(*(split[s](x) for x in (q, k, v)), is_causal=True))
    for s in split
    for m in merge
}}
right = out["transposed", "transposed"]
error = {{ways: float((o - right).abs().max()) for ways, o in out.items()}}
print(error)
"""
