"""The entry of the demo `memory`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole
from kernels.units import GIB, ITEMSIZE

HELD_LIMIT = 9 * 2**28  # 2.25 GiB: one head of 16,384 tokens in fp32 holds two matrices of 1 GiB
WORK_LIMIT = 2**34  # multiply-adds of one product over all heads: 16,384 x 16,384 x 64
SMALL = 2**24  # bytes: threads' buffers of the matrix product, and what fused attention holds


def lengths(longest: int) -> tuple[int, ...]:
    """The lengths that are run: each twice the one before, so that what is quadratic quadruples."""
    return (longest // 4, longest // 2, longest)


def score_bytes(n: int, heads: int, dtype: str) -> int:
    """Bytes of the scores and the weights, n x n a head, which unfused attention holds both at once."""
    return 2 * heads * n * n * ITEMSIZE[dtype]


def held_bytes(p: Params) -> int:
    """About the most that a run holds at once: inputs as drawn and in their dtype, the output, the two matrices."""
    longest, heads, d = (int(p[name]) for name in ("longest", "heads", "d"))
    dtype = str(p["dtype"])
    inputs = heads * longest * d * (4 * ITEMSIZE[dtype] + 4)
    return score_bytes(longest, heads, dtype) + inputs + SMALL


def rules(p: Params) -> Iterator[str]:
    heads, d = whole(p, "heads", "d")
    longest = int(p["longest"])
    if (held := held_bytes(p)) > HELD_LIMIT:
        yield f"This run would hold {held / GIB:.2f} GiB (limit 2.25 GiB); lower longest or heads."
    elif heads * d * longest * longest > WORK_LIMIT:
        yield "heads x longest^2 x d is more than 17 billion multiply-adds for one product; lower one of the three."


DEMO = Demo(
    name="memory",
    title="What n x n costs in memory",
    summary="The peak memory of unfused and of fused attention by length: measured, beside two n x n matrices.",
    look_for="Twice the length is four times the memory unfused; fused, the length hardly shows.",
    topic="cost",
    params=(
        Param("longest", "choice", "8192", "Longest sequence",
              "A quarter and a half of it are run, too. 16384 needs 2.2 GB in fp32.", unit="tokens",
              choices=("2048", "4096", "8192", "16384")),
        Param("heads", "int", 1, "Heads", "Each brings two n x n matrices of its own.", low=1, high=32),
        Param("d", "int", 64, "Head size", "It does not matter to an n x n matrix.", low=16, high=256),
        Param("dtype", "choice", "fp32", "Data type", "The type of q, k, v and of the scores.",
              choices=("fp32", "bf16")),
        Param("sram", "int", 51200, "On-chip memory", "M of the theorem on HBM accesses, in elements.",
              unit="elements", low=1024, high=1_048_576),
        SEED,
    ),
    deadline_s=90,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
)  # fmt: skip
