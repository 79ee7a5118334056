"""The entry of the demo `roofline`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.hardware import CHIPS
from kernels.params import Demo, Param, Params, grouping, whole

HERE = "here"


def rules(p: Params) -> Iterator[str]:
    yield from grouping(p)
    n, tile = whole(p, "n", "tile")
    if tile > n:
        yield f"A tile has no more query rows than there are tokens; lower tile to at most n={n}."


DEMO = Demo(
    name="roofline",
    title="Bound by memory or by arithmetic?",
    summary="FLOP per byte of attention, unfused, fused and while decoding, under the roof of a real chip.",
    look_for="Which kernels stand left of the ridge: more FLOP/s would not help them, fewer bytes would.",
    topic="cost",
    params=(
        Param("device", "choice", "h100-sxm", "Chip",
              "A data sheet's figures; here measures the machine that runs this.", choices=(*CHIPS, HERE)),
        Param("n", "int", 4096, "Tokens", "Queries and keys of a prefill, or cached keys of a decode step.",
              unit="tokens", low=256, high=1_048_576),
        Param("d", "int", 128, "Head size", "Unfused attention does about d/2 FLOP for each byte.", low=16, high=512),
        Param("tile", "int", 128, "Tile of queries", "Query rows that a fused kernel holds while it reads all keys.",
              low=16, high=1024),
        Param("h_q", "int", 64, "Query heads", "A multiple of the key/value heads.", low=1, high=256),
        Param("h_kv", "int", 8, "Key/value heads", "The group size h_q / h_kv is the intensity of a decode step.",
              low=1, high=256),
        Param("h_mla", "int", 128, "Heads of MLA",
              "Query heads that share one latent on one chip: DeepSeek-V3 has 128, tensor parallelism divides them.",
              low=1, high=128),
        Param("n_q", "int", 1, "New tokens a step", "More than 1 where tokens are drafted and verified together.",
              unit="tokens", low=1, high=16),
        Param("d_model", "int", 4096, "Model width", "For the length at which attention outweighs the matrices.",
              low=64, high=65536),
        Param("sram", "int", 51200, "On-chip memory", "M of the theorem on HBM accesses, in elements.",
              unit="elements", low=1024, high=1_048_576),
    ),
    deadline_s=30,
    needs=("torch",),
    modes=("calculated", "eager"),
    measures=lambda p: p["device"] == HERE,
    rules=rules,
)  # fmt: skip
