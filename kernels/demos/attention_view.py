"""What the demo `attention` draws of its weights: which heads, and of a large matrix a window or all of it, pooled."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from kernels import draw
from kernels.attention import Rules, Steps, steps
from kernels.demos.attention_setting import Setting
from kernels.pooling import Pooling, Size, pool_rows, size_for
from kernels.result import Matrix

HEADS = 8
NUMBERS = 2**16  # in all stages of all heads: what a result may hold and a page can draw
POOLED_PAIRS = 2**25  # of queries and keys, over all heads that are pooled: a second or two


class Drawn(NamedTuple):
    """leak and least tell of the head shown, where it is drawn: the largest weight of a hidden key, None where none
    is hidden, and the smallest sum of a row."""

    matrix: Matrix
    leak: float | None
    least: float


def trace(s: Setting, head: int, rows: slice) -> Steps:
    """One head step by step, for some of its rows, over all keys."""
    visible = None if s.rules.visible is None else s.rules.visible[rows]
    one = s.only(head)
    rules = Rules(s.rules.scale, visible, s.rules.fill, s.rules.mask_after)
    return Steps(*(x[0] for x in steps(one.q[:, rows], one.k, one.v, rules)))


def weights(s: Setting, head: int, part: draw.Window, first: Steps) -> Drawn:
    """The linked matrices of `head` and of as many others as fit. first is the trace of `head` for `part`."""
    view = s.job.word("view")
    if view == "window" or max(s.visible.shape) <= draw.WHOLE_UP_TO:
        return _window(s, head, part, first)
    return _pooled(s, head, "max" if view == "max" else "mean")


def _window(s: Setting, head: int, part: draw.Window, first: Steps) -> Drawn:
    rows, columns = slice(part.r0, part.r1), slice(part.c0, part.c1)
    visible = s.visible[rows, columns]
    shown, *others = (
        draw.head_view(
            h, draw.picture(first if h == head else trace(s, h, rows), columns, s.rules.mask_after)
        )
        for h in _heads(s, head, visible.numel())
    )
    matrix = Matrix(
        row_labels=s.labels or tuple(f"q{i}" for i in range(part.r0, part.r1)),
        col_labels=s.labels or tuple(f"k{j}" for j in range(part.c0, part.c1)),
        shape=tuple(s.visible.shape),
        window=None if visible.shape == s.visible.shape else tuple(part),
        pool=None,
        head=head,
        stages=shown.stages,
        mask=draw.cells(visible),
        row_max=shown.row_max,
        row_sum=shown.row_sum,
        others=tuple(others),
        heads=s.q.size(0),
    )
    return Drawn(matrix, _leak(first.weights[:, columns], visible), min(shown.row_sum))


def _pooled(s: Setting, head: int, pooling: Pooling) -> Drawn:
    n_q, n_kv = s.visible.shape
    size = size_for(n_q, n_kv, draw.WINDOW)
    cells = -(-n_q // size.rows) * -(-n_kv // size.cols)
    heads = _heads(s, head, cells)[: max(POOLED_PAIRS // (n_q * n_kv), 1)]
    pooled = []
    for done, h in enumerate(heads):
        s.job.progress(0.1 + 0.1 * done / len(heads), f"Pooling head {h}")
        pooled.append(_pool_head(s, h, size, pooling))
    shown, *others = (draw.head_view(h, p.picture) for h, p in zip(heads, pooled, strict=True))
    matrix = Matrix(
        row_labels=_spans("q", n_q, size.rows),
        col_labels=_spans("k", n_kv, size.cols),
        shape=(n_q, n_kv),
        window=None,
        pool=tuple(size),
        head=head,
        stages=shown.stages,
        mask=draw.grid(pooled[0].visible, digits=4),
        row_max=shown.row_max,
        row_sum=shown.row_sum,
        others=tuple(others),
        pooling=pooling,
        heads=s.q.size(0),
    )
    return Drawn(matrix, pooled[0].leak, pooled[0].least)


class _Pooled(NamedTuple):
    picture: draw.Picture
    visible: Tensor  # the share of pairs that are visible
    leak: float | None
    least: float


def _pool_head(s: Setting, head: int, size: Size, pooling: Pooling) -> _Pooled:
    """One head, one block of rows after the other. A row of it has the largest score and the mean sum of its rows."""
    late = s.rules.mask_after
    stages: dict[str, list[Tensor]] = {}
    top, sums, least, shares, leaks = [], [], [], [], []
    for start in range(0, s.visible.size(0), size.rows):
        rows = slice(start, start + size.rows)
        visible = s.visible[rows]
        block = draw.picture(trace(s, head, rows), slice(None), late)
        for name, x in block.stages.items():
            counts = visible if name == "masked" and not late else None
            stages.setdefault(name, []).append(pool_rows(x, size.cols, pooling, counts))
        top.append(block.row_max.amax())
        sums.append(block.row_sum.mean())
        least.append(float(block.row_sum.min()))
        shares.append(pool_rows(visible.to(torch.uint8), size.cols, "mean"))
        leaks.append(_leak(list(block.stages.values())[-1], visible))
    picture = draw.Picture(
        {name: torch.stack(rows) for name, rows in stages.items()}, torch.stack(top), torch.stack(sums)
    )
    leak = max((x for x in leaks if x is not None), default=None)
    return _Pooled(picture, torch.stack(shares), leak, min(least))


def _heads(s: Setting, head: int, cells: int) -> list[int]:
    """The head shown, then others from 0 on: at most HEADS, with no more than NUMBERS numbers in four stages."""
    most = max(min(HEADS, NUMBERS // (4 * cells)), 1)
    return [head, *(h for h in range(s.q.size(0)) if h != head)][:most]


def _leak(weights: Tensor, visible: Tensor) -> float | None:
    """A weight is no less than 0, so -1 stands for there being none."""
    leak = float(weights.masked_fill(visible, -1.0).max())
    return leak if leak >= 0 else None


def _spans(letter: str, n: int, size: int) -> tuple[str, ...]:
    """The labels of blocks: q0-7, q8-15; a block of one is q0."""
    ends = ((start, min(start + size, n) - 1) for start in range(0, n, size))
    return tuple(f"{letter}{a}" if a == b else f"{letter}{a}-{b}" for a, b in ends)
