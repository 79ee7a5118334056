"""The entry of the demo `softmax`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.params import SEED, Demo, Param, Params

SHIFTS_UP_TO = 1024  # the curve over shifts goes that far, whatever is chosen
FP16_LIMIT = 60_000  # fp16 holds numbers up to 65,504
WIDEST = 8  # standard deviations that no random score will leave


def rules(p: Params) -> Iterator[str]:
    reach = WIDEST if p["scores"] == "random" else int(p["n"]) - 1
    shift = max(abs(float(p["shift"])), SHIFTS_UP_TO)
    largest = (shift + float(p["spread"]) * reach) / float(p["temperature"])
    if p["dtype"] == "fp16" and largest > FP16_LIMIT:
        yield (
            f"Scores of up to {largest:,.0f} are more than fp16 holds (its largest is 65,504); raise temperature, or "
            "lower shift or spread."
        )


DEMO = Demo(
    name="softmax",
    title="Softmax that does not overflow",
    summary="Scores around 1,000: the formula as it reads gives NaN, and with the maximum subtracted it is right.",
    look_for="Where exp leaves the range of the type, and that what is subtracted changes no weight.",
    topic="the formula",
    params=(
        Param("scores", "choice", "steps", "Scores",
              "steps are 0, 1, 2 and so on; random ones are drawn from a normal distribution.",
              choices=("steps", "random")),
        Param("n", "int", 3, "How many", "Length of one row of scores.", low=2, high=32),
        Param("shift", "float", 1000.0, "Shift", "Added to every score; no weight depends on it.",
              low=-10_000, high=10_000),
        Param("spread", "float", 1.0, "Spread", "Multiplies the scores before the shift.", low=0.01, high=100),
        Param("temperature", "float", 1.0, "Temperature", "Divides all of it: below 1 sharper, above 1 flatter.",
              low=0.05, high=20),
        Param("dtype", "choice", "fp32", "Data type", "What scores, exponentials and weights are held in.",
              choices=("fp32", "fp16", "bf16", "fp64")),
        SEED,
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("eager",),
    on="cpu",
    rules=rules,
)  # fmt: skip
