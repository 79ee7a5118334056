"""The entry of the demo `mixing`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params, whole


def rules(p: Params) -> Iterator[str]:
    n, first, second = whole(p, "n", "first", "second")
    for name, place in (("first", first), ("second", second)):
        if place >= n:
            yield f"{name} counts from 0, so with n={n} it must be at most {n - 1}."
    if first == second:
        yield f"first and second must be two tokens; both are {first}."


DEMO = Demo(
    name="mixing",
    title="One head blends, two heads keep",
    summary="A head's output is a weighted mean of values; to pass on two of them intact takes two heads.",
    look_for="One head on two tokens returns something between them; two heads return both.",
    topic="heads and projections",
    params=(
        Param("n", "int", 4, "Values", "Each is a unit vector, so that one sees what went where.", low=2, high=32),
        Param("first", "int", 0, "First token", "One of the two that are wanted, from 0.", low=0, high=31),
        Param("second", "int", 1, "Second token", "The other one.", low=0, high=31),
        Param("share", "float", 0.5, "Weight of the first", "The single head gives the rest to the second.",
              low=0, high=1),
        Param("h", "int", 4, "Heads below the output projection", "For what W_O does.", low=2, high=16),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
    rules=rules,
)  # fmt: skip
