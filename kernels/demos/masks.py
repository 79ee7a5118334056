"""The demo `masks`: who sees whom for each reason to hide a key, what leaks without it, which tiles are left."""

from __future__ import annotations

import torch
from torch.nn import functional as F

from kernels import draw
from kernels.attention import Rules, attention, reference
from kernels.demos.masks_code import snippet
from kernels.demos.masks_kinds import documents, window
from kernels.demos.masks_setting import Setting, build
from kernels.entries.masks import D_K, tile
from kernels.job import Job
from kernels.masks import tile_states
from kernels.numerics import finite_max, max_error, score_rounding
from kernels.result import Block, Mask, Row, Tiles
from kernels.show import check, code, note, table
from kernels.words import counted

ROWS_SHOWN = 16


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: mask, mask-kind, mask-causal, rows, tiles, leak, leak-hidden, leak-without, error, sdpa-same, unseen,
    unseen-zero, unseen-naive, reach, reach-formula, cost, mistral, documents, positions, code; those that do not apply
    are left out."""
    s = build(job)
    return (
        _mask(s),
        *_reasons(s),
        _rows(s),
        _tiles(s),
        *_leak(s),
        *_right(s),
        *_unseen(s),
        *window(s),
        *documents(s),
        code(snippet(job)),
    )


def _mask(s: Setting) -> Block:
    n_q, n_kv = s.visible.shape
    bm, bn = draw.drawable_tile(n_q, n_kv, *(tile(s.job.params),) * 2)
    data = Mask(
        n_q,
        n_kv,
        s.align if s.kind == "causal" else "cells",
        draw.cells(s.visible) if draw.whole(n_q, n_kv) else None,
        Tiles(bm, bn, tile_states(s.visible, bm, bn)),
    )
    alt = draw.seen(s.visible)
    title = f"Who sees whom, in tiles of {bm} x {bn}"
    return Block("mask", data, title=title, look_for=_definition(s), role="mask", alt=alt)


def _definition(s: Setting) -> str:
    """The mask in a sentence: true of every length."""
    width, padding, n_kv = s.job.whole("width", "padding", "n_kv")
    told = {
        "causal": "Query i sees key j if j <= i + n_kv - n_q: the queries are the last positions."
        if s.align == "bottom-right"
        else "Query i sees key j if j <= i: the queries are taken for the first positions.",
        "padding": f"Keys from {n_kv - padding} on are padding, hidden from every query.",
        "left-padding": f"Keys before {padding} are padding, hidden from every query.",
        "window": f"A query sees no key that is {width} or more positions before it.",
        "packed": "A query sees its own document: a square block of the diagonal for each.",
    }[s.kind]
    return f"{told} The causal mask hides what comes after it, too." if s.combined else told


def _reasons(s: Setting) -> list[Block]:
    """The two masks that are combined, each by itself."""
    if not s.combined or not draw.whole(*s.visible.shape):
        return []
    look_for = "What both show is what the mask above shows."
    return [
        draw.panel("mask-kind", s.reason, title=f"One reason: {s.kind}", look_for=look_for),
        draw.panel("mask-causal", s.before, title="One reason: causal", look_for=look_for, align=s.align),
    ]


def _rows(s: Setting) -> Block:
    """The first and the last queries: how many keys they see, and between which."""
    n_q, n_kv = s.visible.shape
    shown = sorted({*range(n_q)[: ROWS_SHOWN // 2], *range(n_q)[-ROWS_SHOWN // 2 :]})
    rows: list[Row] = []
    for i in shown:
        seen = s.visible[i].nonzero().flatten().tolist()
        first, last = (seen[0], seen[-1]) if seen else (None, None)
        rows.append({"row": i, "sees": len(seen), "first": first, "last": last})
    blind = int((~s.visible.any(dim=-1)).sum())
    if blind:
        look_for = f"Of {counted(n_q, 'query', 'queries')} {counted(blind, 'sees', 'see')} no key at all."
    else:
        look_for = f"No query is blind; the one that sees least sees {int(s.visible.sum(dim=-1).min()):,} of {n_kv:,}."
    cols = {"row": "Query", "sees": "Keys seen", "first": "from key", "last": "to key"}
    return table("rows", cols, rows, title="Row by row", look_for=look_for)


def _tiles(s: Setting) -> Block:
    """What a kernel with tiles of this size does: it loads what has a visible cell, and masks what has a hidden one."""
    side = tile(s.job.params)
    flat = [state for row in tile_states(s.visible, side, side) for state in row]
    full, mixed = flat.count("full"), flat.count("diagonal")
    counts = {
        "computed": full + mixed,
        "of these without a mask": full,
        "of these with one": mixed,
        "skipped": len(flat) - full - mixed,
    }
    rows: list[Row] = [{"tiles": name, "count": n, "share": n / len(flat)} for name, n in counts.items()]
    seen = int(s.visible.sum()) / s.visible.numel()
    look_for = (
        f"{seen:.1%} of all pairs are visible and {(full + mixed) / len(flat):.1%} of the tiles are computed: "
        "FlexAttention's block mask is this plan."
    )
    cols = {"tiles": f"Tiles of {side} x {side}", "count": "Number", "share": "Share"}
    return table("tiles", cols, rows, title="What a fused kernel computes", look_for=look_for)


def _leak(s: Setting) -> list[Block]:
    """Changes keys and values that the mask hides from some rows, and counts those rows whose output changes."""
    must_not = s.must_not
    sees_anyway = must_not & (s.before & s.changed).any(dim=-1)
    without = int((s.touched(s.before) & must_not).sum())
    hidden = int((s.touched(s.visible) & must_not).sum())
    who = {
        "causal": "the last key",
        "padding": "the padding",
        "left-padding": "the padding",
        "window": "the first key",
        "packed": "the first document",
    }[s.kind]
    rows: list[Row] = [
        {"mask": s.forgotten, "rows": without, "leaks": without > 0},
        {"mask": "this mask", "rows": hidden, "leaks": hidden > 0},
    ]
    count = int(must_not.sum())
    look_for = f"{counted(count, 'query', 'queries')} must not see {who}."
    if not count:
        look_for = f"Every query may see {who}, so nothing can leak by it."
    elif not without:
        look_for += f" With {s.forgotten} none of them sees it either, so nothing is lost here by forgetting this mask."
    within = s.align == "bottom-right" or s.q.size(1) <= s.k.size(1)
    if s.kind == "padding" and s.combined and without and within:
        look_for += (
            " Under the causal mask, padding on the right reaches no query but those at padding itself."
        )
    cols = {"mask": "With", "rows": f"Rows that change with {who} and must not", "leaks": "Leaks"}
    claim = f"With {s.forgotten}, exactly those of these rows that see {who} change."
    shown = table("leak", cols, rows, title=f"Change {who}: which rows notice?", look_for=look_for)
    if not count:
        return [shown]
    return [
        shown,
        check("leak-hidden", f"With this mask no row changes that must not see {who}.", hidden, "=", 0),
        check("leak-without", claim, without, "=", int(sees_anyway.sum())),
    ]


def _right(s: Setting) -> list[Block]:
    """Ours in float32 against float64, and PyTorch's fused attention with the same mask against ours."""
    scale = D_K**-0.5
    ours = attention(s.q, s.k, s.v, Rules(scale, s.visible))
    wanted, _ = reference(s.q, s.k, s.v, scale, s.visible)
    sdpa = F.scaled_dot_product_attention(s.q[None], s.k[None], s.v[None], attn_mask=s.visible)[0]
    tol = score_rounding(s.q, s.k, scale) * finite_max(s.v)
    sees = s.visible.any(dim=-1)
    claim = (
        "F.scaled_dot_product_attention with attn_mask gives the same rows, those that see nothing left out."
    )
    return [
        check(
            "error",
            "The output differs by rounding only from float64.",
            max_error(ours, wanted),
            "=",
            0.0,
            tol,
        ),
        check("sdpa-same", claim, max_error(sdpa[:, sees], ours[:, sees]), "=", 0.0, 2 * tol),
    ]


def _unseen(s: Setting) -> list[Block]:
    """Rows without a key: 0 as in fused kernels, NaN by a softmax written by hand."""
    blind = ~s.visible.any(dim=-1)
    count = int(blind.sum())
    if not count:
        return []
    ours = s.output(s.visible)[:, blind]
    scores = (s.q @ s.k.mT).masked_fill(~s.visible, -torch.inf)
    naive = int(scores.softmax(dim=-1)[0, blind].isnan().all(dim=-1).sum())
    title, words = "Blind rows", f"{counted(count, 'query sees', 'queries see')} no key."
    why = (
        " They stand before the first token: leave them out of the loss." if s.kind == "left-padding" else ""
    )
    return [
        note("unseen", f"{words} A softmax there is 0/0: NaN by hand, 0 in fused kernels.{why}", title=title),
        check("unseen-zero", "A query that sees no key gets an output of exactly 0.", finite_max(ours), "=", 0),
        check("unseen-naive", "A softmax over nothing but -inf is NaN in each of these rows.", naive, "=", count),
    ]  # fmt: skip
