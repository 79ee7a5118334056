"""The entry of the demo `fusing`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.entries.interpreting import CHECKED, refusals, tile_seconds
from kernels.params import SEED, Demo, Param, Params, grouping, whole
from kernels.tiles import computed
from kernels.units import GIB, ITEMSIZE

SCORES_LIMIT = 2**32  # bytes of S, and as much of P
TILE = 64


def score_bytes(p: Params) -> int:
    """Bytes of S, and of P."""
    h_q, n_q, n_kv = whole(p, "h_q", "n_q", "n_kv")
    return h_q * n_q * n_kv * ITEMSIZE[str(p["dtype"])]


def held_bytes(p: Params) -> int:
    """About the most that a run holds at once, in bytes: S and P of all heads; inputs as drawn and in their dtype;
    three outputs and that of float64; plain PyTorch's two score matrices of one head; the mask."""
    h_q, h_kv, n_q, n_kv, d = whole(p, "h_q", "h_kv", "n_q", "n_kv", "d")
    size = ITEMSIZE[str(p["dtype"])]
    inputs = (h_q * n_q + 2 * h_kv * n_kv) * d * (size + 4)
    return (
        2 * score_bytes(p)
        + inputs
        + h_q * n_q * d * (3 * size + 3 * 8)
        + n_q * n_kv * (2 * size + 2)
        + CHECKED
    )


def interpreter_seconds(p: Params) -> float:
    """About how long both ways take in Triton's interpreter, and float64 and plain PyTorch after them."""
    h_q, n_q, n_kv, d = whole(p, "h_q", "n_q", "n_kv", "d")
    rows, cols = -(-n_q // TILE), -(-n_kv // TILE)
    tile = tile_seconds(TILE, TILE, d)
    fused = 0.006 * rows + tile * computed(n_q, n_kv, bm=TILE, bn=TILE, causal=bool(p["causal"]))
    softmax = 0.004 * n_q * max(n_kv, 64) / 4096
    unfused = rows * cols * (0.006 + 2 * tile) + 0.004 * (rows + 1) + softmax
    return h_q * (fused + unfused + 4e-8 * n_q * n_kv)


def rules(p: Params) -> Iterator[str]:
    yield from grouping(p)
    if (size := score_bytes(p)) > SCORES_LIMIT:
        yield f"The score matrices would take {size / GIB:.1f} GiB each (limit 4 GiB); lower a length or h_q."


def device_rules(p: Params, interpreter: bool) -> Iterator[str]:
    if interpreter:
        yield from refusals(p, interpreter_seconds(p), lower="a length or h_q", kernels="kernels are")


DEMO = Demo(
    name="fusing",
    title="Three kernels or one",
    summary="The same attention as three Triton kernels that meet in memory, and fused into one: bytes and errors.",
    look_for="How many bytes cross the memory bus each way, and which tensor exists in one of the two only.",
    topic="kernels",
    params=(
        Param("n_q", "int", 128, "Queries", "Any length.", unit="tokens", low=1, high=8192),
        Param("n_kv", "int", 128, "Keys", "Any length.", unit="tokens", low=1, high=8192),
        Param("d", "int", 64, "Head size", "From 16 to 256.", low=16, high=256),
        Param("h_q", "int", 2, "Query heads", "A multiple of the key/value heads.", low=1, high=64),
        Param("h_kv", "int", 1, "Key/value heads", "Shared by index.", low=1, high=64),
        Param("causal", "bool", True, "Causal mask", "Aligned to the bottom right; only the fused kernel skips tiles."),
        Param("dtype", "choice", "fp16", "Data type", "Of all tensors, S and P among them; bf16 needs a GPU.",
              choices=("fp16", "fp32", "bf16")),
        SEED,
    ),
    deadline_s=180,
    needs=("torch", "triton"),
    modes=("interpreter", "compiled"),
    rules=rules,
    device_rules=device_rules,
)  # fmt: skip
