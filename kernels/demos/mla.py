"""The demo `mla`: absorbed and explicit latent attention give one output; what is cached and what a step costs."""

from __future__ import annotations

import torch

from kernels import mla
from kernels.job import Job
from kernels.models import MODELS
from kernels.numerics import max_error
from kernels.result import Block, Dim, Row, Shapes, Step
from kernels.show import amounts, check, code, known, note, table
from kernels.words import counted, figure

FP64 = 1e-11
"""Outputs of size 1 that differ by less differ by the order of float64 additions alone."""


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: shapes-explicit, shapes-absorbed, cached, cache, ways, absorbed-same, rope-in-the-way, step-cost, when,
    code, known, intensity-deepseek."""
    s = _setup(job, torch.float64)
    return (
        *_shapes(job),
        *_cached(job),
        *_ways(job, s),
        _cost(job),
        _when(),
        code(_snippet(job)),
        *_known(),
    )


def _setup(job: Job, dtype: torch.dtype) -> mla.Setup:
    h, d_head, latent, d_rope, n_q, n_kv = job.whole("h", "d_head", "latent", "d_rope", "n_q", "n_kv")
    return mla.setup(
        h=h, d_head=d_head, latent=latent, d_rope=d_rope, n_q=n_q, n_kv=n_kv,
        seed=job.seed, dtype=dtype, device=job.device,
    )  # fmt: skip


def _shapes(job: Job) -> tuple[Block, Block]:
    h, d_head, latent, d_rope, n_q, n_kv = job.whole("h", "d_head", "latent", "d_rope", "n_q", "n_kv")
    heads, asks, kept, c = Dim(h, "h"), Dim(n_q, "n_q"), Dim(n_kv, "n_kv"), Dim(latent, "latent")
    wide, own = Dim(d_head + d_rope, "d_head + d_rope"), Dim(d_head, "d_head")
    one, width = Dim(1, f"1->{h}"), Dim(latent + d_rope, "latent + d_rope")
    explicit = (
        Step("c", (kept, c), "k", "cached"),
        Step("q", (heads, asks, wide), "q", ""),
        Step("kᵀ", (heads, wide, kept), "k", "c · W_UK, and the RoPE key"),
        Step("P", (heads, asks, kept), "score", "softmax(q · kᵀ)"),
        Step("v", (heads, kept, own), "v", "c · W_UV"),
        Step("o", (heads, asks, own), "", "P · v"),
    )
    absorbed = (
        Step("c", (kept, c), "k", "cached"),
        Step("q′", (heads, asks, width), "q", "q · W_UKᵀ, and the RoPE part"),
        Step("cᵀ", (one, width, kept), "k", "the cache as it is"),
        Step("P", (heads, asks, kept), "score", "softmax(q′ · cᵀ)"),
        Step("c", (one, kept, c), "v", "the cache as it is"),
        Step("o′", (heads, asks, c), "", "P · c"),
        Step("o", (heads, asks, own), "", "o′ · W_UV"),
    )
    return (
        Block("shapes-explicit", Shapes(explicit, tuple(range(h))), title="Explicit: every head's keys are expanded",
              look_for="Keys and values of every head are made from the latent, at every step anew."),
        Block("shapes-absorbed", Shapes(absorbed, (0,) * h), title="Absorbed: the latent is the one key and value",
              look_for="It is MQA: all heads read one key, the latent, and mix one value, the latent again."),
    )  # fmt: skip


def _cached(job: Job) -> tuple[Block, Block]:
    """Numbers cached for one token and layer: of keys and values for every head, and of the latent."""
    h, d_head, latent, d_rope, n_kv = job.whole("h", "d_head", "latent", "d_rope", "n_kv")
    v3 = MODELS["deepseek-v3"]
    mha, kept = h * (2 * d_head + d_rope), latent + d_rope
    theirs, as_mha = v3.latent or 0, v3.h_q * (2 * v3.d_head + v3.d_rope)
    rows: list[Row] = [
        {"what": "this layer, keys and values of every head", "numbers": mha, "ratio": 1.0},
        {"what": "this layer, latent and RoPE key", "numbers": kept, "ratio": mha / kept},
        {"what": "a layer of DeepSeek-V2 or V3, as if MHA", "numbers": as_mha, "ratio": 1.0},
        {"what": "a layer of DeepSeek-V2 or V3", "numbers": theirs, "ratio": as_mha / theirs},
    ]
    cols = {"what": "Cached for one token", "numbers": "Numbers", "ratio": "Times smaller"}
    told = f"{counted(kept, 'number')} a token against {mha:,}"
    look_for = f"{told}{'.' if kept < mha else ': a latent this wide saves nothing.'}"
    return (
        table("cached", cols, rows, title="What is cached", look_for=look_for),
        amounts(
            "cache",
            {"keys and values of every head": 2 * n_kv * mha, "latent and RoPE key": 2 * n_kv * kept},
            title=f"The cache of these {n_kv:,} tokens in 16 bits",
            alt=f"{2 * n_kv * mha:,} B for every head, {2 * n_kv * kept:,} B as latents.",
        ),
    )


def _ways(job: Job, s: mla.Setup) -> list[Block]:
    wanted, turned = mla.explicit(s), mla.turned_keys(s)
    single = mla.absorbed(_setup(job, torch.float32))
    same, rope = max_error(mla.absorbed(s), wanted), max_error(mla.turned_keys_absorbed(s), turned)
    rows: list[Row] = [
        {"way": "absorbed, in float64", "error": same},
        {"way": "absorbed, in float32", "error": max_error(single, wanted)},
        {"way": "absorbed though RoPE turned the expanded keys", "error": rope},
    ]
    cols = {"way": "Way", "error": "Largest error against expanded keys"}
    look_for = (
        "The last row is why RoPE has a part of its own: a turn that differs from key to key stands between W_UK and "
        "the query, so no one matrix can take its place."
    )
    return [
        table("ways", cols, rows, title="Is it the same?", look_for=look_for),
        check("absorbed-same", "Absorbed, the output is that of expanded keys and values (in float64).", same, "=", 0.0,
              FP64),
        check("rope-in-the-way", "Absorbing keys that RoPE has turned gives another output.", rope, ">", FP64),
    ]  # fmt: skip


def _cost(job: Job) -> Block:
    """FLOP and numbers read from the cache in one step over all heads; making queries and output is left out."""
    h, d_head, latent, d_rope, n_q, n_kv = job.whole("h", "d_head", "latent", "d_rope", "n_q", "n_kv")
    pairs = 2 * h * n_q * n_kv
    mha = pairs * (2 * d_head + d_rope)
    expanded = mha + 2 * 2 * h * n_kv * latent * d_head
    attended = pairs * (2 * latent + d_rope)
    moved = 2 * 2 * h * n_q * d_head * latent  # W_UK into the query, W_UV after the mixing: no cached number
    every, kept = h * n_kv * (2 * d_head + d_rope), n_kv * (latent + d_rope)
    ways = (
        ("keys and values of every head cached", mha, mha, every),
        ("latent cached, expanded", expanded, expanded, kept),
        ("latent cached, absorbed", attended + moved, attended, kept),
    )
    rows: list[Row] = [
        {"way": way, "flops": flops, "read": read, "intensity": on_cache / (2 * read)}
        for way, flops, on_cache, read in ways
    ]
    cols = {
        "way": "One step with the",
        "flops": ("Work", "FLOP"),
        "read": "Cached numbers read",
        "intensity": ("Work on each cached byte, 16 bits", "FLOP/B"),
    }
    look_for = (
        f"In this step, expanding the cache costs {figure(expanded / (attended + moved))} times the work of absorbing, "
        f"and keys and values of every head would read {figure(every / kept)} times as many numbers."
    )
    title = f"What a step costs over {counted(n_kv, 'cached token')}"
    return table("step-cost", cols, rows, title=title, look_for=look_for)


def _known() -> tuple[Block, ...]:
    """FlashMLA's case: 128 heads over one latent, in 16 bits."""
    v3 = MODELS["deepseek-v3"]
    latent = v3.latent or 0
    theirs = v3.h_q * (latent + latent - v3.d_rope) / latent
    claim = (
        "With 128 heads, a latent of 512 and a RoPE key of 64, one query does 128 x (576 + 512) / 576 = 241.8 FLOP for "
        "each byte of a 16-bit cache: at the ridge of an H800 (258 as throttled, 295 by its data sheet)."
    )
    return known(check("intensity-deepseek", claim, theirs, "=", 241.8, 0.05))


def _when() -> Block:
    return note(
        "when",
        "Prefill has many queries for each cached token, so expanding pays: its scores cost d_head + d_rope for each "
        "pair, absorbed ones latent + d_rope. A decode step has one query a sequence and would expand the whole cache "
        "for it, so there the absorbed form wins. Both are the same function of the same weights.",
        title="Which form when",
    )


def _snippet(job: Job) -> str:
    h, d_head, latent, d_rope, n_q, n_kv = job.whole("h", "d_head", "latent", "d_rope", "n_q", "n_kv")
    return f"""import torch

h, d, latent, d_rope, n_q, n_kv = {h}, {d_head}, {latent}, {d_rope}, {n_q}, {n_kv}
m = h * d
g = torch.Generator().manual_seed({job.seed})
drawn = lambda *shape, inputs: torch.randn(shape, generator=g).double() / inputs**0.5
down, up_k, up_v = drawn(m, latent, inputs=m), drawn(h, latent, d, inputs=latent), drawn(h, latent, d, inputs=latent)
query, query_rope = drawn(h, m, d, inputs=m), drawn(h, m, d_rope, inputs=m)
key_rope, out = drawn(m, d_rope, inputs=m), drawn(h, d, m, inputs=m)
x = drawn(n_kv, m, inputs=1)


def rotate(y, at):
    angle = at.double()[:, None] * 10_000.0 ** (-torch.arange(0, y.size(-1), 2).double() / y.size(-1))
    cos, sin, even, odd = angle.cos(), angle.sin(), y[..., 0::2], y[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


at, new = torch.arange(n_kv), x[-n_q:]
c, turned = x @ down, rotate(x @ key_rope, at)  # all that is cached
q, q_rope = new @ query, rotate(new @ query_rope, at[-n_q:])
sees = torch.ones(n_q, n_kv, dtype=torch.bool).tril(n_kv - n_q)


def weights(content):
    scores = (content + q_rope @ turned.T) / (d + d_rope) ** 0.5
    return scores.masked_fill(~sees, float("-inf")).softmax(-1)


explicit = ((weights(q @ (c @ up_k).mT) @ (c @ up_v)) @ out).sum(0)
absorbed = ((weights((q @ up_k.mT) @ c.T) @ c @ up_v) @ out).sum(0)
error = float((absorbed - explicit).abs().max())
cached = {{"every head": h * (2 * d + d_rope), "latent": latent + d_rope}}
print(error, cached)
"""
