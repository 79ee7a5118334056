"""The entry of the demo `kv-cache`."""

from __future__ import annotations

from kernels.models import MODELS
from kernels.params import Demo, Param

DEMO = Demo(
    name="kv-cache",
    title="What the KV cache costs",
    summary="Bytes per token and per request for real models, against the bytes of their weights.",
    look_for="Which factor moved: layers, key/value heads, head size, bytes an element. And GiB is not GB.",
    topic="decoding and serving",
    params=(
        Param("model", "choice", "llama-3-70b", "Model", "Each configuration names its source.",
              choices=tuple(MODELS)),
        Param("tokens", "int", 131072, "Context", "Tokens kept for one request.",
              unit="tokens", low=1, high=16_777_216),
        Param("batch", "int", 1, "Requests", "Requests served at once, each with a cache of its own.",
              low=1, high=65536),
        Param("dtype", "choice", "bf16", "Cache type", "2 bytes an element, 1, or a half; scales not counted.",
              choices=("bf16", "fp8", "int4")),
        Param("as_mha", "bool", False, "As if MHA",
              "As if every query head kept its own keys and values; MLA's keys with their RoPE part: 128 + 64."),
    ),
    deadline_s=10,
    needs=(),
    modes=("calculated",),
)  # fmt: skip
