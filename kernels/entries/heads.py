"""The entry of the demo `heads`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import Demo, Param, Params, whole


def rules(p: Params) -> Iterator[str]:
    d_model, most = whole(p, "d_model", "h_most")
    if d_model % most:
        yield f"d_model must be a multiple of h_most, since each head takes an equal part; {d_model} is none of {most}."


DEMO = Demo(
    name="heads",
    title="What more heads cost",
    summary="The same width in more heads: matrix products of the same FLOPs, and one more softmax for each.",
    look_for="The products' FLOPs do not move; exponentials and score memory double with the heads.",
    topic="heads and projections",
    params=(
        Param("n", "int", 1024, "Tokens", "Length of the sequence.", unit="tokens", low=1, high=131072),
        Param("d_model", "int", 512, "Model width", "Shared out among the heads.", low=64, high=16384),
        Param("h_most", "choice", "64", "Heads up to", "From 1 in doublings.",
              choices=("2", "4", "8", "16", "32", "64")),
        Param("dtype", "choice", "fp32", "Data type of the scores", "4 bytes an element, or 2.",
              choices=("fp32", "bf16")),
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("calculated",),
    rules=rules,
)  # fmt: skip
