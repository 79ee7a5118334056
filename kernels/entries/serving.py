"""The entry of the demo `serving`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.cost import BYTES
from kernels.hardware import CHIPS
from kernels.models import MODELS
from kernels.params import Demo, Param, Params

COUNTS = ("1", "2", "4", "8", "16", "32")


def rules(p: Params) -> Iterator[str]:
    model, count = MODELS[str(p["model"])], int(p["count"])
    if model.h_q % count:
        yield f"The chips divide the query heads evenly, and {model.title} has {model.h_q}; choose another count."


DEMO = Demo(
    name="serving",
    title="How many requests, how fast",
    summary="What fits beside the weights on real chips, and the least time that a decode step can take.",
    look_for="What a step reads: the weights once for all requests, and a cache for each of them.",
    topic="decoding and serving",
    params=(
        Param("model", "choice", "llama-3-70b", "Model", "Those whose weights can be counted.",
              choices=tuple(name for name, model in MODELS.items() if model.dense)),
        Param("device", "choice", "h100-sxm", "Chip", "Memory and bandwidth are those of its data sheet.",
              choices=tuple(name for name, chip in CHIPS.items() if chip.memory)),
        Param("count", "choice", "8", "Chips", "One tensor-parallel group.", choices=COUNTS),
        Param("context", "int", 131072, "Context", "Tokens of each request, all of them kept.", unit="tokens",
              low=1, high=16_777_216),
        Param("batch", "int", 8, "Requests", "Served in one decode step.", low=1, high=65536),
        Param("cache", "choice", "bf16", "Cache type", "Bytes an element: 2, 1 or a half; scales are not counted.",
              choices=tuple(BYTES)),
        Param("weights", "choice", "bf16", "Weight type", "Bytes an element: 2, 1 or a half; scales are not counted.",
              choices=tuple(BYTES)),
    ),
    deadline_s=10,
    needs=(),
    modes=("calculated",),
    rules=rules,
)  # fmt: skip
