"""The demo `kv-cache`: bytes per token and per request, calculated from real configurations."""

from __future__ import annotations

from kernels.cost import (
    BYTES,
    MLA_BF16,
    MLA_FP8,
    bytes_per_token,
    cache_bytes,
    elements_per_token,
    kept_tokens,
    parameters,
    requests_to_match_weights,
    saving,
    weight_bytes,
)
from kernels.job import Job
from kernels.models import MODELS, Model
from kernels.result import Block, Row
from kernels.show import amounts, check, code, known, note, table
from kernels.units import GB, GIB, KIB, MIB
from kernels.words import both_sizes, counted

LONG = 131_072


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: size, cache, formula, per-token, crossover, crossover-check and crossover-fewer (where weights can be
    counted), window (a sliding window), mla-fp8 and mla-saving (multi-head latent attention), source, known,
    known-token, known-request, mla-groups and mla-saving-check (multi-head latent attention)."""
    model = MODELS[job.word("model")]
    tokens, batch = job.whole("tokens", "batch")
    dtype, as_mha = job.word("dtype"), job.flag("as_mha")
    blocks = [
        _size(model, dtype, tokens, batch, as_mha),
        _bars(model, dtype, tokens, batch, as_mha),
        code(_formula(model, dtype, tokens, batch, as_mha), block_id="formula", title="Worked out"),
        _per_token(dtype),
        *_crossover(model, dtype, tokens, as_mha),
        *_window(model, dtype, tokens, as_mha),
        *(_latent(model) if model.latent is not None else []),
        note("source", f"{model.title}: {model.source}.", title="Source"),
        *_known(model),
    ]
    return tuple(blocks)


def _size(model: Model, dtype: str, tokens: int, batch: int, as_mha: bool) -> Block:
    each = bytes_per_token(model, dtype, as_mha=as_mha)
    total = cache_bytes(model, dtype, tokens, batch, as_mha=as_mha)
    cols = {
        "what": "Cache",
        "bytes": ("Bytes", "B"),
        "kib": ("KiB", "KiB"),
        "gib": ("GiB", "GiB"),
        "gb": ("GB", "GB"),
    }
    rows: list[Row] = [
        {"what": what, "bytes": n, "kib": n / KIB, "gib": n / GIB, "gb": n / GB}
        for what, n in (
            ("per token", each),
            ("per request", total // batch),
            (counted(batch, "request"), total),
        )
    ]
    return table(
        "size",
        cols,
        rows,
        title=f"KV cache of {model.title}{', as if MHA' * as_mha}",
        look_for="1 GiB is 2^30 bytes, 1 GB is 10^9: the same cache has two numbers.",
        alt=f"{each:,} B per token; {both_sizes(total)} in all.",
    )


def _bars(model: Model, dtype: str, tokens: int, batch: int, as_mha: bool) -> Block:
    label = f"cache{', as if MHA' * as_mha}"
    bars = {label: cache_bytes(model, dtype, tokens, batch, as_mha=as_mha)}
    if not as_mha and elements_per_token(model) != elements_per_token(model, as_mha=True):
        bars["cache, as if MHA"] = cache_bytes(model, dtype, tokens, batch, as_mha=True)
    title, look_for = "The cache", "Each request brings a cache of its own."
    if (count := parameters(model)) is not None:
        title = "Against the weights"
        look_for = (
            "A decode step reads the weights once for all requests; each request brings a cache of its own."
        )
        bars["weights in bf16"] = 2 * count
    alt = "; ".join(f"{label} {both_sizes(n)}" for label, n in bars.items()) + "."
    return amounts("cache", bars, title=title, look_for=look_for, alt=alt)


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
        'print(f"{per_token:,.0f} B per token; {total / 2**30:,.4g} GiB = {total / 1e9:,.4g} GB")\n'
    )


def _wider(model: Model) -> str:
    return f" ({model.d_rope} of it for RoPE)" if model.d_rope else ""


def _per_token(dtype: str) -> Block:
    cols = {
        "model": "Model",
        "kind": "Attention",
        "layers": "Layers",
        "h_q": "Query heads",
        "h_kv": "Key/value heads",
        "d_head": "Head size",
        "bytes": ("Per token", "B"),
        "kib": ("Per token", "KiB"),
        "gib": (f"{LONG:,} tokens", "GiB"),
    }
    rows: list[Row] = [
        {
            "model": m.title,
            "kind": m.kind if m.window is None else f"{m.kind}, window of {m.window:,}",
            "layers": m.layers,
            "h_q": m.h_q,
            "h_kv": None if m.latent else m.h_kv,
            "d_head": m.d_head,
            "bytes": bytes_per_token(m, dtype),
            "kib": bytes_per_token(m, dtype) / KIB,
            "gib": cache_bytes(m, dtype, LONG) / GIB,
        }
        for m in MODELS.values()
    ]
    look_for = (
        "Falcon-40B and 180B keep 8 key/value heads: GQA, while Falcon-7B keeps one. A model with a window keeps no "
        "more tokens than it has."
    )
    return table("per-token", cols, rows, title=f"Bytes per token in {dtype}", look_for=look_for)


def _crossover(model: Model, dtype: str, tokens: int, as_mha: bool) -> list[Block]:
    count = parameters(model)
    if count is None:
        return []
    one = cache_bytes(model, dtype, tokens, as_mha=as_mha)
    rows: list[Row] = []
    for weights in BYTES:
        requests = requests_to_match_weights(model, dtype, tokens, as_mha=as_mha, weights=weights)
        gb = (weight_bytes(model, weights) or 0) / GB
        rows.append(
            {
                "weights": weights,
                "parameters": count,
                "weights_gb": gb,
                "request_gb": one / GB,
                "requests": requests,
            }
        )
    cols = {
        "weights": "Weights in",
        "parameters": "Weights, counted",
        "weights_gb": ("Weights", "GB"),
        "request_gb": ("Cache of one request", "GB"),
        "requests": "Requests to match",
    }
    needed = requests_to_match_weights(model, dtype, tokens, as_mha=as_mha, weights="bf16") or 0
    keep = counted(needed, "such request keeps", "such requests keep")
    claim = f"{keep} at least as many bytes as the bf16 weights."
    return [
        table("crossover", cols, rows, title="When the caches outweigh the weights"),
        check("crossover-check", claim, needed * one, ">=", 2 * count),
        check(
            "crossover-fewer",
            "One request fewer keeps less than they do.",
            (needed - 1) * one,
            "<",
            2 * count,
        ),
    ]


def _window(model: Model, dtype: str, tokens: int, as_mha: bool) -> list[Block]:
    """What a sliding window keeps, and how far back stacked layers can reach all the same."""
    if model.window is None:
        return []
    each = bytes_per_token(model, dtype, as_mha=as_mha)
    rows: list[Row] = [
        {"what": what, "tokens": kept, "mib": each * kept / MIB, "reach": reach}
        for what, kept, reach in (
            ("all tokens kept", tokens, tokens),
            (f"window of {model.window:,}", kept_tokens(model, tokens), model.layers * model.window),
        )
    ]
    cols = {
        "what": "Cache",
        "tokens": ("Kept", "tokens"),
        "mib": ("One request", "MiB"),
        "reach": ("Reach, layers x window", "tokens"),
    }
    look_for = (
        f"A layer reads {model.window:,} tokens, its own among them, so {model.layers} layers reach "
        f"{model.layers * (model.window - 1):,} back, or layers x window in round numbers: in theory, for what each "
        "layer hands on is a mixture."
    )
    return [table("window", cols, rows, title="A sliding window caps the cache", look_for=look_for)]


def _latent(model: Model) -> list[Block]:
    """What multi-head latent attention keeps, against grouped heads and in FP8."""
    rows: list[Row] = [
        {"format": name, "part": part.name, "elements": part.elements, "bytes": part.held}
        for name, parts in (("bf16", MLA_BF16), ("fp8", MLA_FP8))
        for part in parts
    ]
    rows += [
        {"format": name, "part": "together", "elements": None, "bytes": sum(part.held for part in parts)}
        for name, parts in (("bf16", MLA_BF16), ("fp8", MLA_FP8))
    ]
    cols = {"format": "Cache", "part": "Part", "elements": "Elements", "bytes": ("A token, a layer", "B")}
    return [
        table(
            "mla-fp8",
            cols,
            rows,
            title="The latent in FP8, as FlashMLA stores it",
            look_for="The RoPE key stays in bf16, and the products are computed in bf16, too.",
        ),
        _saving(),
    ]


def _saving() -> Block:
    """DeepSeek-V2's 93.3 %, reconstructed: the paper names the figure and the 6 bits, and does not derive it."""
    v2, older = MODELS["deepseek-v2"], MODELS["deepseek-67b"]
    steps = (("the same bits an element", 16), ("6 bits against 16", 6))
    rows: list[Row] = [
        {
            "step": step,
            "v2": elements_per_token(v2),
            "v2_bits": bits,
            "older": elements_per_token(older),
            "older_bits": 16,
            "saved": 100 * saving(v2, bits, older, 16),
        }
        for step, bits in steps
    ]
    cols = {
        "step": "Compared at",
        "v2": f"{v2.title}, elements a token",
        "v2_bits": ("Each", "bits"),
        "older": f"{older.title}, elements a token",
        "older_bits": ("Each", "bits"),
        "saved": ("Saved", "%"),
    }
    look_for = "A reconstruction: 93.3 % includes fewer bits and fewer layers. At the same bits it is 82.2 %."
    return table("mla-saving", cols, rows, title="Where 93.3 % comes from", look_for=look_for)


def _known(model: Model) -> tuple[Block, ...]:
    """Published figures that the calculator must give whatever was asked; those of MLA beside a model that has it."""
    llama = MODELS["llama-3-70b"]
    each = bytes_per_token(llama, "bf16")
    total = cache_bytes(llama, "bf16", 131072)
    return known(
        check("known-token", "Llama-3-70B keeps 327,680 B per token in bf16.", each, "=", 327_680),
        check("known-request", "131,072 tokens of it are 40 GiB = 42.95 GB.", total / GIB, "=", 40.0),
        *(_known_latent(model) if model.latent is not None else ()),
    )


def _known_latent(model: Model) -> tuple[Block, Block]:
    groups = elements_per_token(model) / (2 * model.layers * model.d_head)
    saved = 100 * saving(MODELS["deepseek-v2"], 6, MODELS["deepseek-67b"], 16)
    claim = "At 6 bits against 16, DeepSeek-V2 keeps 93.34 % less than DeepSeek-67B."
    return (
        check("mla-groups", "MLA keeps as much as 2.25 key/value heads would.", groups, "=", 2.25),
        check("mla-saving-check", claim, saved, "=", 93.34, 0.005),
    )
