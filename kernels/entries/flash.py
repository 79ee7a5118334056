"""The entry of the demo `flash`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.entries.interpreting import CHECKED, refusals, tile_seconds
from kernels.params import SEED, Demo, Param, Params, grouping, whole
from kernels.tiles import computed
from kernels.units import GIB, ITEMSIZE

TENSOR_LIMIT = 2**31  # bytes of q, k, v and o together
BLOCKS = ("auto", "16", "32", "64", "128")


def tensor_bytes(p: Params) -> int:
    """Bytes of q, k, v and o."""
    size = ITEMSIZE[str(p["dtype"])]
    batch, h_q, h_kv, n_q, n_kv, d = whole(p, "batch", "h_q", "h_kv", "n_q", "n_kv", "d")
    return 2 * batch * (h_q * n_q + h_kv * n_kv) * d * size


def held_bytes(p: Params) -> int:
    """About the most that a run holds at once, in bytes: the inputs as drawn, in float32 and in their dtype; the
    outputs of the kernel, of plain PyTorch and of float64; plain PyTorch's two score matrices of one head; the mask."""
    size = ITEMSIZE[str(p["dtype"])]
    batch, h_q, h_kv, n_q, n_kv, d = whole(p, "batch", "h_q", "h_kv", "n_q", "n_kv", "d")
    queries, keys, pairs = batch * h_q * n_q * d, batch * h_kv * n_kv * d, n_q * n_kv
    inputs = (queries + 2 * keys) * size + 4 * max(queries, keys)
    return inputs + queries * (2 * size + 3 * 8) + pairs * (2 * size + 2) + CHECKED


def window_of(p: Params) -> int | None:
    """The sliding window; 0 stands for none."""
    return int(p["window"]) or None


def interpreter_blocks(p: Params) -> tuple[int, int]:
    """(bm, bn) that the interpreter uses; 64 x 64 unless the learner chose."""
    bm, bn = (64 if p[name] == "auto" else int(p[name]) for name in ("block_q", "block_kv"))
    return bm, bn


def interpreter_seconds(p: Params) -> float:
    """About how long a run takes with Triton's interpreter, which goes tile after tile in NumPy, on one core; then
    float64 and plain PyTorch take their time for every pair, hidden or not."""
    bm, bn = interpreter_blocks(p)
    batch, h_q, n_q, n_kv, d = whole(p, "batch", "h_q", "n_q", "n_kv", "d")
    programs = -(-n_q // bm)
    tiles = computed(n_q, n_kv, bm=bm, bn=bn, causal=bool(p["causal"]), window=window_of(p))
    kernel = 0.006 * programs + tiles * tile_seconds(bm, bn, d)
    return batch * h_q * (kernel * (2 if p["poison"] else 1) + 4e-8 * n_q * n_kv)


def rules(p: Params) -> Iterator[str]:
    yield from grouping(p)
    if (size := tensor_bytes(p)) > TENSOR_LIMIT:
        yield f"q, k, v and o would take {size / GIB:.1f} GiB (limit 2 GiB); lower batch, a length, h_q or d."
    if window_of(p) and not p["causal"]:
        yield "A sliding window looks back from each query, so it needs causal; or set window to 0."


def device_rules(p: Params, interpreter: bool) -> Iterator[str]:
    if interpreter:
        yield from refusals(p, interpreter_seconds(p), lower="a length, h_q or batch")


DEMO = Demo(
    name="flash",
    title="FlashAttention in Triton",
    summary="Our own fused kernel: tiles, online softmax, no score matrix in memory; checked against float64.",
    look_for="Which tiles are never touched, and whether the error stays within twice that of plain attention.",
    topic="kernels",
    params=(
        Param("n_q", "int", 128, "Queries", "Any length, primes too.", unit="tokens", low=1, high=16384),
        Param("n_kv", "int", 128, "Keys", "Any length; with fewer than queries, a causal mask blinds early rows.",
              unit="tokens", low=1, high=16384),
        Param("d", "int", 64, "Head size", "From 16 to 256; what is no power of two is padded and masked.",
              low=16, high=256),
        Param("h_q", "int", 2, "Query heads", "A multiple of the key/value heads.", low=1, high=64),
        Param("h_kv", "int", 1, "Key/value heads", "Shared by index: no copy is made.", low=1, high=64),
        Param("batch", "int", 1, "Batch", "Independent sequences.", low=1, high=8),
        Param("causal", "bool", True, "Causal mask", "Aligned to the bottom right, as a KV cache needs."),
        Param("window", "int", 0, "Sliding window", "Keys that a query sees, itself the last; 0 for all. Needs causal.",
              unit="tokens", low=0, high=16384),
        Param("dtype", "choice", "fp32", "Data type", "bf16 needs a GPU; the interpreter gets it wrong.",
              choices=("fp32", "fp16", "bf16")),
        Param("block_q", "choice", "auto", "Tile of queries", "Rows that one program owns.", choices=BLOCKS),
        Param("block_kv", "choice", "auto", "Tile of keys", "Columns that one step of its loop takes.",
              choices=BLOCKS),
        Param("poison", "bool", False, "Poisoned value", "A second run in which the last row of v is NaN."),
        SEED,
    ),
    deadline_s=180,
    needs=("torch", "triton"),
    modes=("interpreter", "compiled"),
    rules=rules,
    device_rules=device_rules,
)  # fmt: skip
