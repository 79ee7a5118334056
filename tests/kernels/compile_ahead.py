"""Compiles the flash kernel for chips that are not here, and prints what each build uses as JSON, one a line.

    python tests/kernels/compile_ahead.py '{"chip": 90, "d": 128, "causal": true}'

A build may name its setting ([bm, bn, warps, stages, tma]), dtype and window, too. A script of its own, since it must
run in a process where Triton is not set to interpret. It launches as flash() does, with a driver that knows the chip
and has none: so every argument is specialised just as in a real call.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import torch
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

from kernels.flash import warm
from kernels.tuning import Config, config
from tests.kernels.cubin import resources


class Absent:
    """What Triton asks of a driver before it compiles, for a chip of compute capability `chip`."""

    def __init__(self, chip: int) -> None:
        self.chip = chip

    def get_current_device(self) -> int:
        return self.chip  # Triton keeps its builds by device

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", self.chip, 32)


def compile_for(build: dict[str, Any]) -> dict[str, Any]:
    """Registers, stack and shared memory of one build, with the setting of config() unless it names its own."""
    d, dtype = build["d"], getattr(torch, build.get("dtype", "bfloat16"))
    setting = Config(*build["setting"]) if "setting" in build else config(d, dtype)
    driver.set_active(Absent(build["chip"]))
    q = torch.empty(1, 4, 512, d, dtype=dtype)
    k = torch.empty(1, 2, 512, d, dtype=dtype)
    built = warm(q, k, k, causal=build["causal"], window=build.get("window"), setting=setting)
    used = {"setting": list(setting), "shared": built.metadata.shared, **resources(built.asm["cubin"])}
    return (
        build
        | used
        | {"ptx": sorted(set(re.findall(r"wgmma|tcgen05|cp\.async\.bulk\.tensor", built.asm["ptx"])))}
    )


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(json.dumps(compile_for(json.loads(argument))), flush=True)
