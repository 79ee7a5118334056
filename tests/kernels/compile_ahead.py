"""Compiles kernels for chips that are not here, and prints what each one uses as JSON, one kernel a line.

    echo '{"kernel": "flash", "chip": 90, "d": 128, "causal": true}' | python tests/kernels/compile_ahead.py

It reads a build a line. One of flash or naive has d, causal and maybe dtype and window; one of decode has d, the rows
that a group packs, and maybe window. flash and decode take a setting, if one is given ([bm, bn, warps, stages] and, for
flash, tma). This is a script of its own, since it must run in a process where Triton is not set to interpret. It calls
the public functions with a driver that knows the chip and has none, and builds where they would launch, so that every
argument is specialised just as in a real call.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor
from triton.backends.compiler import GPUTarget
from triton.runtime import driver
from triton.runtime.jit import JITFunction

from kernels import decode, flash, naive, tuning
from kernels.split_kv import MOST_SPLITS
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


def built_by(call: Callable[[], object]) -> list[Any]:
    """The kernels that a call would launch, compiled and not launched."""
    built = []
    run = JITFunction.run

    def only_build(self: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> None:
        built.append(run(self, *args, grid=grid, warmup=True, **options))

    JITFunction.run = only_build
    try:
        call()
    finally:
        JITFunction.run = run
    return built


def called(build: Build) -> tuple[tuple[int, ...], Callable[[], object]]:
    """The setting that the build names or that is chosen for it, and the call that launches its kernels."""
    d, window = build["d"], build.get("window")
    dtype = getattr(torch, build.get("dtype", "bfloat16"))
    if build["kernel"] == "decode":
        rows = build["rows"]
        q, k = empty(8 * rows, 1, d, dtype), empty(8, 65_536, d, dtype)
        tile = decode.Tile(*build["setting"]) if "setting" in build else decode.config(rows, d, dtype)
        return tile, partial(decode.decode, q, k, k, window=window, splits=MOST_SPLITS, setting=tile)
    q, k = empty(4, 512, d, dtype), empty(2, 512, d, dtype)
    if build["kernel"] == "naive":
        return (), partial(naive.naive, q, k, k, causal=build["causal"], window=window)
    setting = tuning.Config(*build["setting"]) if "setting" in build else tuning.config(d, dtype)
    return setting, partial(flash.flash, q, k, k, causal=build["causal"], window=window, setting=setting)


def empty(heads: int, tokens: int, d: int, dtype: torch.dtype) -> Tensor:
    """A tensor of this kind, of which there is no byte."""
    return torch.empty(1, heads, tokens, d, dtype=dtype, device="meta")


def told(build: Build) -> list[Build]:
    """Registers, stack and shared memory of each kernel of the build, and the matrix units it runs on."""
    driver.set_active(Absent(build["chip"]))
    setting, call = called(build)
    found = []
    for kernel in built_by(call):
        units = sorted(set(re.findall(r"wgmma|tcgen05|cp\.async\.bulk\.tensor", kernel.asm["ptx"])))
        used = {"shared": kernel.metadata.shared, **resources(kernel.asm["cubin"]), "units": units}
        found.append(build | {"name": kernel.metadata.name, "setting": list(setting)} | used)
    return found


if __name__ == "__main__":
    for line in sys.stdin:
        for kernel in told(json.loads(line)):
            print(json.dumps(kernel), flush=True)
