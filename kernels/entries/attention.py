"""The entry of the demo `attention`."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, grouping, whole
from kernels.units import GIB, ITEMSIZE

BOOK = {"n_q": 4, "n_kv": 4, "d_k": 4, "h_q": 1, "h_kv": 1, "head": 0, "row": 0, "col": -1}
MEASURED_FROM = 1024  # queries and keys: below this length a call's overhead would be measured, not its work
HELD_LIMIT = 5 * 2**28  # 1.25 GiB: with Python and torch, a worker of 2 GiB holds it
SMALL = 2**27  # bytes: what checks on part of the rows, their float64 copies and the result take at most
WORK_LIMIT = 2**33  # multiply-adds of one matrix product, over all heads: 8 heads, 4,096 x 4,096, d_k=64
SLOW_FP16_LIMIT = 2**30  # the same for fp16 on a CPU, which has no fast product for it: seconds a call


def score_bytes(p: Params) -> int:
    """Bytes of the two n_q x n_kv matrices per head (scores, weights) that unfused attention holds at once."""
    h_q, n_q, n_kv = whole(p, "h_q", "n_q", "n_kv")
    return 2 * h_q * n_q * n_kv * ITEMSIZE[str(p["dtype"])]


def held_bytes(p: Params) -> int:
    """About the most that a run holds at once beyond the interpreter and torch, in bytes.

    Inputs and mask stay throughout. On top comes the largest of: one input while it is drawn, in float32; the
    measured calls with all heads; the checks of one head, of which those in float64 hold no more than SMALL.
    """
    h_q, h_kv, n_q, n_kv, d = whole(p, "h_q", "h_kv", "n_q", "n_kv", "d_k")
    size, pairs = ITEMSIZE[str(p["dtype"])], n_q * n_kv
    queries, keys = h_q * n_q * d, h_kv * n_kv * d
    drawn = 4 * max(queries, keys)
    one_head = 8 * (n_q + n_kv) * d * 3 + 2 * pairs * size
    measured = 0
    if min(n_q, n_kv) >= MEASURED_FROM:
        copies = 0 if h_q == h_kv else 2 * h_q * n_kv * d
        measured = score_bytes(p) + (copies + queries) * size
    return (queries + 2 * keys) * size + 2 * pairs + max(drawn, one_head, measured) + SMALL


def _work(p: Params) -> int:
    return math.prod(whole(p, "h_q", "n_q", "n_kv", "d_k"))


def rules(p: Params) -> Iterator[str]:
    if p["example"] == "book":
        changed = [name for name, value in BOOK.items() if p[name] != value]
        if changed:
            yield f"The book example is 4 x 4 with one head; set example=random to choose {', '.join(changed)}."
        return
    yield from grouping(p)
    h_q, head = whole(p, "h_q", "head")
    if head >= h_q:
        yield f"head counts from 0, so with h_q={h_q} it must be at most {h_q - 1}."
    for name, length in (("row", "n_q"), ("col", "n_kv")):
        if (first := int(p[name])) >= (n := int(p[length])):
            yield f"{name} counts from 0, so with {length}={n} it must be at most {n - 1}, not {first}."
    if (size := held_bytes(p)) > HELD_LIMIT:
        yield f"This run would hold {size / GIB:.2f} GiB (limit 1.25 GiB); lower n_q, n_kv, d_k or a number of heads."
    elif _work(p) > WORK_LIMIT:
        yield "h_q x n_q x n_kv x d_k is more than 8.6 billion multiply-adds for one product; lower one of the four."
    if p["fill"] == "-1e9" and p["dtype"] == "fp16":
        yield "fp16 cannot hold -1e9 (its largest is 65,504), so masked_fill raises an error; use fill=-inf."


def device_rules(p: Params, interpreter: bool) -> Iterator[str]:
    if interpreter and p["dtype"] == "fp16" and _work(p) > SLOW_FP16_LIMIT:
        yield "fp16 products of this size take minutes on a CPU; use dtype=bf16 or fp32, or lower n_q or n_kv."


DEMO = Demo(
    name="attention",
    title="Attention, step by step",
    summary="Raw scores, scaled, masked, softmax: one head in plain PyTorch, checked against float64.",
    look_for="Read a row from left to right: who is hidden, which score is largest, and whether the weights sum to 1.",
    topic="the formula",
    params=(
        Param("example", "choice", "book", "Example",
              "book is the 4 x 4 sentence of the cards; random draws q, k and v from a normal distribution.",
              choices=("book", "random")),
        Param("n_q", "int", 4, "Queries",
              "How many positions ask. From 1,024 queries and keys on, time and memory are measured.",
              unit="tokens", low=1, high=8192),
        Param("n_kv", "int", 4, "Keys",
              "How many positions can be read. With fewer than queries, a bottom-right mask blinds the first.",
              unit="tokens", low=1, high=8192),
        Param("d_k", "int", 4, "Head size", "Numbers in one query, key and value.", low=1, high=512),
        Param("h_q", "int", 1, "Query heads", "A multiple of the key/value heads.", low=1, high=64),
        Param("h_kv", "int", 1, "Key/value heads",
              "As many as query heads is MHA, 1 is MQA, between them GQA.", low=1, high=64),
        Param("head", "int", 0, "Head shown", "The query head that is drawn, from 0.", low=0, high=63),
        Param("view", "choice", "window", "Large matrices",
              "Beyond 128 x 128: a window of 64 x 64, or all of it, a cell being the mean or the largest of a block.",
              choices=("window", "mean", "max")),
        Param("row", "int", 0, "First row of the window", "The query that the window begins with, from 0.",
              low=0, high=8191),
        Param("col", "int", -1, "First column of the window",
              "The key that the window begins with, from 0; -1 follows the mask's diagonal.",
              low=-1, high=8191),
        Param("causal", "bool", True, "Causal mask", "Hides from each query the keys that come after it."),
        Param("align", "choice", "bottom-right", "Mask alignment",
              "bottom-right lets the last query see every key, as a KV cache needs; top-left is PyTorch's is_causal.",
              choices=("bottom-right", "top-left")),
        Param("scale", "choice", "sqrt", "Scores divided by",
              "sqrt is the square root of the head size; none and d_k show why it is that.",
              choices=("sqrt", "none", "d_k"), labels={"sqrt": "√d_k", "none": "nothing"}),
        Param("fill", "choice", "-inf", "Masked scores become",
              "Only -inf hides a key in every case; the others leak or break somewhere.",
              choices=("-inf", "-1e9", "-10", "0"), labels={"-inf": "−∞", "-1e9": "−1e9", "-10": "−10"}),
        Param("mask_at", "choice", "before", "Mask applied",
              "before the softmax is right; after it, the hidden keys still stand in the denominator.",
              choices=("before", "after"), labels={"before": "before the softmax", "after": "after the softmax"}),
        Param("dtype", "choice", "fp32", "Data type", "The type that q, k, v and the scores are held in.",
              choices=("fp32", "fp16", "bf16", "fp64")),
        SEED,
    ),
    deadline_s=90,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
    device_rules=device_rules,
)  # fmt: skip
