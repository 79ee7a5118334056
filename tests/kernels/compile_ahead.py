"""Compiles kernels for chips that are not here, and prints what each build uses as JSON, one build a line.

    python tests/kernels/compile_ahead.py '{"chip": 90, "d": 128, "causal": true}'

A build may name its setting ([bm, bn, warps, stages, tma]), dtype and window, or "kernel": "naive". This is a script
of its own, since it must run in a process where Triton is not set to interpret. It calls flash's own launch with a
driver that knows the chip and has none, so that every argument is specialised just as in a real call.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import torch
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.jit import JITFunction

from kernels.flash import warm
from kernels.naive import naive
from kernels.tuning import Config, config
from tests.kernels.cubin import resources

Build = dict[str, Any]


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


def compile_for(build: Build) -> Iterator[Build]:
    """Registers, stack and shared memory of each kernel that the build launches."""
    driver.set_active(Absent(build["chip"]))
    kernels = launched_by_naive(build) if build.get("kernel") == "naive" else [launched_by_flash(build)]
    for setting, built in kernels:
        ptx = built.asm["ptx"]
        units = sorted(set(re.findall(r"wgmma|tcgen05|cp\.async\.bulk\.tensor", ptx)))
        used = {"shared": built.metadata.shared, **resources(built.asm["cubin"]), "units": units}
        yield build | {"name": built.metadata.name, "setting": setting} | used


def launched_by_flash(build: Build) -> tuple[Config, Any]:
    """flash() with the setting of config() unless the build names its own."""
    d, dtype = build["d"], getattr(torch, build.get("dtype", "bfloat16"))
    setting = Config(*build["setting"]) if "setting" in build else config(d, dtype)
    q, k = torch.empty(1, 4, 512, d, dtype=dtype), torch.empty(1, 2, 512, d, dtype=dtype)
    return setting, warm(q, k, k, causal=build["causal"], window=build.get("window"), setting=setting)


def launched_by_naive(build: Build) -> list[tuple[None, Any]]:
    """The three kernels, built where they would be launched."""
    kernels: list[tuple[None, Any]] = []
    launch = JITFunction.run

    def only_build(self: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> None:
        kernels.append((None, launch(self, *args, grid=grid, warmup=True, **options)))

    JITFunction.run = only_build
    q, k = (torch.empty(1, h, 512, build["d"], dtype=torch.float16) for h in (4, 2))
    naive(q, k, k, causal=build["causal"], window=build.get("window"))
    JITFunction.run = launch
    return kernels


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        for told in compile_for(json.loads(argument)):
            print(json.dumps(told), flush=True)
