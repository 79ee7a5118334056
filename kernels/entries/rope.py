"""The entry of the demo `rope`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole

FARTHEST = 131_072


def rules(p: Params) -> Iterator[str]:
    (d,) = whole(p, "d")
    if d % 2:
        yield f"RoPE turns pairs of numbers, so d must be even; {d} is odd."


DEMO = Demo(
    name="rope",
    title="Positions as rotations",
    summary="RoPE turns queries and keys by their positions, and scores come out depending on the distance alone.",
    look_for="The same distance gives the same score anywhere; another distance gives another score.",
    topic="heads and projections",
    params=(
        Param("d", "int", 64, "Head size", "Even: d / 2 pairs of numbers, each with a speed of its own.",
              low=2, high=256),
        Param("m", "int", 7, "Query's position", "", low=0, high=FARTHEST),
        Param("n", "int", 3, "Key's position", "", low=0, high=FARTHEST),
        Param("shift", "int", 100, "Both moved by", "", unit="tokens", low=1, high=FARTHEST),
        Param("base", "int", 10_000, "Base", "10,000 in the paper, 500,000 in Llama 3: a larger one turns more slowly.",
              low=10, high=10_000_000),
        Param("factor", "int", 1, "Positions divided by",
              "More than 1 is position interpolation: longer texts meet no angle that training had not.",
              low=1, high=64),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
    rules=rules,
)  # fmt: skip
