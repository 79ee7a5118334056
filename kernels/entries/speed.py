"""The entry of the demo `speed`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole
from kernels.units import GIB

SHORTEST = 512  # tokens: below, a call's overhead would be measured
SHORTEST_ON_A_GPU = 1024
STEPS = 4
CPU_PAIRS = 2**27
"""(query, key) pairs over all heads: 8 of 4,096 tokens, whose two matrices take 1 GiB in fp32."""
CPU_WORK = 2**33  # multiply-adds of one product: d = 64 for each of these pairs
TENSOR_LIMIT = 2**31  # bytes of q, k, v, o and the mask together


def lengths(longest: int, device: str) -> tuple[int, ...]:
    """The longest and its halves, up to four in all: each twice the one before."""
    shortest = SHORTEST if device == "cpu" else SHORTEST_ON_A_GPU
    return tuple(n for i in reversed(range(STEPS)) if (n := longest >> i) >= shortest)


def rules(p: Params) -> Iterator[str]:
    heads, d = whole(p, "heads", "d")
    longest = int(p["longest"])
    held = heads * longest * d * 5 * 4 + (longest**2 if p["causal"] else 0)
    if held > TENSOR_LIMIT:
        yield f"q, k, v and o would take {held / GIB:.1f} GiB (limit 2 GiB); lower longest, heads or d."


def device_rules(p: Params, interpreter: bool) -> Iterator[str]:
    if not interpreter:
        return
    if p["dtype"] == "fp16":
        yield "A CPU has no fast product for fp16, so its time would say nothing; use dtype=fp32 or bf16."
    heads, d = whole(p, "heads", "d")
    pairs = heads * int(p["longest"]) ** 2
    if pairs > CPU_PAIRS or pairs * d > CPU_WORK:
        yield (
            "Without a GPU it would take too long: heads x longest^2 is at most that of 8 heads of 4,096 tokens, and d "
            "times that at most as much as with d=64; lower one of the three."
        )


DEMO = Demo(
    name="speed",
    title="How long attention takes",
    summary="The same attention unfused, by PyTorch's fused kernel, and by ours where Triton compiles, by length.",
    look_for="The ratio, not the milliseconds: it holds on a busy machine, where the milliseconds do not.",
    topic="cost",
    params=(
        Param("longest", "choice", "2048", "Longest sequence",
              "Halved up to three times, down to 512 tokens (1,024 on a GPU).", unit="tokens",
              choices=("1024", "2048", "4096", "8192", "16384")),
        Param("heads", "int", 8, "Heads", "Of one sequence; a batch would count the same.", low=1, high=64),
        Param("d", "int", 64, "Head size", "64 and 128 are what kernels are tuned for.", low=16, high=256),
        Param("causal", "bool", False, "Causal mask",
              "A fused kernel skips what is hidden; unfused, all of it is computed."),
        Param("dtype", "choice", "auto", "Data type", "auto is fp32 on a CPU and bf16 on a GPU.",
              choices=("auto", "fp32", "bf16", "fp16")),
        Param("flex", "bool", False, "FlexAttention, too",
              "It is compiled on its first call, which takes up to a minute and needs a C++ compiler."),
        SEED,
    ),
    deadline_s=240,
    needs=("torch",),
    modes=("eager",),
    rules=rules,
    device_rules=device_rules,
)  # fmt: skip
