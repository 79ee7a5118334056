"""The entry of the demo `mask-buffer`."""

from __future__ import annotations

from kernels.params import Demo, Param

DEMO = Demo(
    name="mask-buffer",
    title="What a mask buffer costs",
    summary="A max_len x max_len mask registered in each layer: quadratic, copied, and saved with the weights.",
    look_for="Twice the length is four times the bytes; a kernel that compares two positions needs none of them.",
    topic="masks",
    params=(
        Param("tokens", "int", 8192, "Longest sequence", "The buffer is made for this many, whatever is asked.",
              unit="tokens", low=1, high=1_048_576),
        Param("layers", "int", 32, "Layers", "Each registers a buffer of its own, as tutorial code does.",
              low=1, high=256),
        Param("dtype", "choice", "fp32", "Type of a cell",
              "torch.tril(torch.ones(...)) is fp32; a bool takes one byte.", choices=("fp32", "bf16", "bool")),
    ),
    deadline_s=10,
    needs=(),
    modes=("calculated",),
)  # fmt: skip
