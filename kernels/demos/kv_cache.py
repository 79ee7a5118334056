"""The demo `kv-cache`: bytes per token and per request, calculated from real configurations."""

from __future__ import annotations

from kernels.cost import (
    GB,
    GIB,
    bytes_per_token,
    cache_bytes,
    elements_per_token,
    kept_tokens,
    parameters,
    requests_to_match_weights,
)
from kernels.job import Job
from kernels.models import MODELS, Model
from kernels.result import Bar, Block, Bytes, Check, Code, Column, Note, Row, Table


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: size, cache, formula, per-token, crossover (where weights can be counted), checks, source."""
    model = MODELS[job.word("model")]
    tokens, batch = job.whole("tokens", "batch")
    dtype, as_mha = job.word("dtype"), job.flag("as_mha")
    blocks = [
        _size(model, dtype, tokens, batch, as_mha),
        _bars(model, dtype, tokens, batch, as_mha),
        Block("formula", Code("python", _formula(model, dtype, tokens, batch, as_mha)), title="Worked out"),
        _per_token(dtype),
        *_crossover(model, dtype, tokens, as_mha),
        *_known(),
        Block("source", Note(f"{model.title}: {model.source}."), title="Source"),
    ]
    return tuple(blocks)


def _size(model: Model, dtype: str, tokens: int, batch: int, as_mha: bool) -> Block:
    each = bytes_per_token(model, dtype, as_mha=as_mha)
    total = cache_bytes(model, dtype, tokens, batch, as_mha=as_mha)
    cols = (
        Column("what", "Cache"),
        Column("bytes", "Bytes", "B"),
        Column("kib", "KiB", "KiB"),
        Column("gib", "GiB", "GiB"),
        Column("gb", "GB", "GB"),
    )
    rows: tuple[Row, ...] = tuple(
        {"what": what, "bytes": n, "kib": n / 1024, "gib": n / GIB, "gb": n / GB}
        for what, n in (
            ("per token", each),
            ("per request", total // batch),
            (f"{batch:,} request{'s' * (batch > 1)}", total),
        )
    )
    return Block(
        "size",
        Table(cols, rows),
        title=f"KV cache of {model.title}",
        look_for="1 GiB is 2^30 bytes, 1 GB is 10^9: the same cache has two numbers.",
        alt=f"{each:,} B per token; {total / GIB:.2f} GiB = {total / GB:.2f} GB in all.",
    )


def _bars(model: Model, dtype: str, tokens: int, batch: int, as_mha: bool) -> Block:
    bars = [Bar("cache", cache_bytes(model, dtype, tokens, batch, as_mha=as_mha))]
    if not as_mha and elements_per_token(model) != elements_per_token(model, as_mha=True):
        bars.append(Bar("cache, as if MHA", cache_bytes(model, dtype, tokens, batch, as_mha=True)))
    title, look_for = "The cache", "Each request brings a cache of its own."
    if (count := parameters(model)) is not None:
        title = "Against the weights"
        look_for = (
            "A decode step reads the weights once for all requests; each request brings a cache of its own."
        )
        bars.append(Bar("weights in bf16", 2 * count))
    return Block(
        "cache",
        Bytes(tuple(bars)),
        title=title,
        look_for=look_for,
        alt="; ".join(f"{bar.label} {bar.n / GIB:.2f} GiB = {bar.n / GB:.2f} GB" for bar in bars) + ".",
    )


def _formula(model: Model, dtype: str, tokens: int, batch: int, as_mha: bool) -> str:
    width = {"bf16": "2", "fp8": "1", "int4": "0.5"}[dtype]
    if model.latent is not None and not as_mha:
        cached = (
            f"{model.layers} * {model.latent}  # layers, elements of the compressed latent and its RoPE key"
        )
    else:
        heads = model.h_q if as_mha else model.h_kv
        cached = (
            f"{model.layers} * {heads} * ({model.d_head + model.d_rope} + {model.d_head})"
            f"  # layers, heads that are kept, width of a key{_wider(model)} and of a value"
        )
    kept = kept_tokens(model, tokens)
    why = f"  # the window; the context has {tokens}" if kept < tokens else ""
    return (
        f"elements = {cached}\n"
        f"per_token = elements * {width}  # bytes in {dtype}\n"
        f"tokens = {kept}{why}\n"
        f"total = per_token * tokens * {batch}  # requests\n"
        'print(f"{per_token:,.0f} B per token; {total / 2**30:.2f} GiB = {total / 1e9:.2f} GB")\n'
    )


def _wider(model: Model) -> str:
    return f" ({model.d_rope} of it for RoPE)" if model.d_rope else ""


def _per_token(dtype: str) -> Block:
    cols = (
        Column("model", "Model"),
        Column("kind", "Attention"),
        Column("layers", "Layers"),
        Column("h_q", "Query heads"),
        Column("h_kv", "Key/value heads"),
        Column("d_head", "Head size"),
        Column("bytes", "Per token", "B"),
        Column("kib", "Per token", "KiB"),
    )
    rows = tuple(
        {
            "model": m.title,
            "kind": m.kind,
            "layers": m.layers,
            "h_q": m.h_q,
            "h_kv": None if m.latent else m.h_kv,
            "d_head": m.d_head,
            "bytes": bytes_per_token(m, dtype),
            "kib": bytes_per_token(m, dtype) / 1024,
        }
        for m in MODELS.values()
    )
    look_for = "Falcon-40B and 180B keep 8 key/value heads: GQA, while Falcon-7B keeps one."
    return Block("per-token", Table(cols, rows), title=f"Bytes per token in {dtype}", look_for=look_for)


def _crossover(model: Model, dtype: str, tokens: int, as_mha: bool) -> list[Block]:
    requests = requests_to_match_weights(model, dtype, tokens, as_mha=as_mha)
    count = parameters(model)
    if requests is None or count is None:
        return []
    together = cache_bytes(model, dtype, tokens, requests, as_mha=as_mha)
    claim = f"{requests:,} such request{'s keep' if requests > 1 else ' keeps'} at least as many bytes as the weights."
    check = Check(claim, ">=", 2 * count, together, 0, together >= 2 * count)
    row = {
        "parameters": count,
        "weights_gb": 2 * count / GB,
        "request_gb": cache_bytes(model, dtype, tokens, as_mha=as_mha) / GB,
        "requests": requests,
    }
    cols = (
        Column("parameters", "Weights, counted"),
        Column("weights_gb", "Weights in bf16", "GB"),
        Column("request_gb", "Cache of one request", "GB"),
        Column("requests", "Requests to match"),
    )
    return [
        Block("crossover", Table(cols, (row,)), title="When the caches outweigh the weights"),
        Block("crossover-check", check),
    ]


def _known() -> list[Block]:
    """Two published figures that the calculator must give whatever was asked."""
    llama = MODELS["llama-3-70b"]
    each = bytes_per_token(llama, "bf16")
    total = cache_bytes(llama, "bf16", 131072)
    return [
        Block(
            "known-token",
            Check("Llama-3-70B keeps 327,680 B per token in bf16.", "=", 327680, each, 0, each == 327680),
        ),
        Block(
            "known-request",
            Check(
                "131,072 tokens of it are 40 GiB = 42.95 GB.", "=", 40.0, total / GIB, 0, total == 40 * GIB
            ),
        ),
    ]
