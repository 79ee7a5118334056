"""The demo `mask-buffer`: the bytes of masks that are kept, from 2K to 128K tokens, and of what replaces them."""

from __future__ import annotations

from kernels import show
from kernels.job import Job
from kernels.mask_buffer import buffer_bytes, index_bytes, tensor_bytes
from kernels.result import Block, Row
from kernels.units import GIB, ITEMSIZE, MIB
from kernels.words import both_sizes, counted

LENGTHS = tuple(2**i for i in range(11, 18))  # 2K to 128K
D_MODEL = 4096


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: buffer, by-length, growth, quarter, cure, code, known, known-2k, known-32k, known-128k,
    known-32-layers."""
    tokens, layers = job.whole("tokens", "layers")
    dtype = job.word("dtype")
    return (
        _buffer(tokens, layers, dtype),
        _by_length(layers),
        _growth(),
        _quarter(tokens),
        show.note("cure", CURE, title="What to write instead"),
        show.code(_formula(tokens, layers, dtype), title="Worked out"),
        *_known(),
    )


CURE = (
    "Let the kernel compare positions: is_causal=True (square scores), causal_lower_right with a cache, a mask_mod in "
    "FlexAttention. Where a matrix is needed, build one bool mask for the call and share it among the layers, or "
    "register it once with persistent=False, so that it is not saved with the weights. A buffer also fails beyond its "
    "length, with a sentence about shapes that do not match."
)


def _buffer(tokens: int, layers: int, dtype: str) -> Block:
    each = buffer_bytes(tokens, dtype)
    bars = {f"{dtype}, one in each of {layers} layers": layers * each} if layers > 1 else {}
    bars[f"{dtype}, one for all layers"] = each
    bars["bool, one for all layers"] = buffer_bytes(tokens, "bool")
    bars["positions only, int64"] = index_bytes(tokens)
    total = layers * each
    return show.amounts(
        "buffer",
        bars,
        title=f"For {counted(tokens, 'token')}",
        look_for="Every layer hides the same cells, so one mask would do; no cell tells more than whether col <= row.",
        alt=f"In all layers {total:,} B: {both_sizes(total)}.",
    )


def _by_length(layers: int) -> Block:
    rows: list[Row] = [
        {
            "tokens": n,
            "bytes": (full := buffer_bytes(n, "fp32")),
            "mib": full / MIB,
            "gib": full / GIB,
            "bool_mib": buffer_bytes(n, "bool") / MIB,
            "all_gib": layers * full / GIB,
        }
        for n in LENGTHS
    ]
    cols = {
        "tokens": ("Longest sequence", "tokens"),
        "bytes": ("fp32, one layer", "B"),
        "mib": ("fp32, one layer", "MiB"),
        "gib": ("fp32, one layer", "GiB"),
        "bool_mib": ("bool, one layer", "MiB"),
        "all_gib": (f"fp32, {counted(layers, 'layer')}", "GiB"),
    }
    look_for = "Each row is four times the one above: 64 times the length is 4,096 times the bytes."
    return show.table("by-length", cols, rows, title="From 2K to 128K tokens", look_for=look_for)


def _growth() -> Block:
    """The mask of one layer beside what attention has to hold anyway."""
    ys = {
        "mask, fp32": [buffer_bytes(n, "fp32") / GIB for n in LENGTHS],
        "mask, bool": [buffer_bytes(n, "bool") / GIB for n in LENGTHS],
        "q, k, v and o": [tensor_bytes(n, D_MODEL) / GIB for n in LENGTHS],
    }
    crossing = tensor_bytes(1, D_MODEL) // ITEMSIZE["fp32"]
    look_for = (
        f"q, k, v and o grow with the length, the mask with its square: at {crossing:,} tokens one fp32 mask weighs as "
        "much as all four."
    )
    title = f"One layer, with d_model {D_MODEL:,} in bf16"
    return show.curves(
        "growth", LENGTHS, ys, title=title, x_label="tokens", unit="GiB", log=True, look_for=look_for
    )


def _quarter(tokens: int) -> Block:
    fp32, small = buffer_bytes(tokens, "fp32"), buffer_bytes(tokens, "bool")
    return show.check("quarter", "As bool a mask takes a quarter of its bytes in fp32.", fp32 / small, "=", 4)


def _known() -> tuple[Block, ...]:
    two, middle, most = (buffer_bytes(1024 * k, "fp32") for k in (2, 32, 128))
    all_layers = buffer_bytes(8 * 1024, "fp32", 32)
    return show.known(
        show.check("known-2k", "In fp32, 2,048 tokens take 16 MiB a layer.", two / MIB, "=", 16),
        show.check("known-32k", "32,768 tokens take 4 GiB.", middle / GIB, "=", 4),
        show.check("known-128k", "131,072 tokens take 64 GiB.", most / GIB, "=", 64),
        show.check("known-32-layers", "8,192 tokens in 32 layers take 8 GiB.", all_layers / GIB, "=", 8),
    )


def _formula(tokens: int, layers: int, dtype: str) -> str:
    return f"""tokens, layers = {tokens}, {layers}
cell = {ITEMSIZE[dtype]}  # bytes in {dtype}
each = tokens * tokens * cell
total = layers * each
print(f"{{each:,}} B a layer; in all {{total / 2**30:,.4g}} GiB = {{total / 1e9:,.4g}} GB")
"""
