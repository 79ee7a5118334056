"""Compiles the flash kernel for chips that are not here, and prints what each build uses as JSON.

    python tests/kernels/compile_ahead.py 80,64 90,128

A script of its own, since it must run in a process where Triton is not set to interpret.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kernels.flash import config, forward

CUOBJDUMP = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
POINTERS = ("Q", "K", "V", "OUT", "LSE")
COLUMN_STRIDES = ("q_col", "k_col", "v_col", "o_col")


def compile_for(chip: int, d: int) -> dict[str, int | str]:
    """The bf16 causal kernel with the setting offered for d, rows 16-byte aligned as PyTorch allocates them."""
    bm, bn, warps, stages = config(d, torch.bfloat16)
    constants = {"D": d, "BLOCK_D": triton.next_power_of_2(d), "BM": bm, "BN": bn, "CAUSAL": True}
    constants |= dict.fromkeys(COLUMN_STRIDES, 1)
    signature = {}
    for name in forward.arg_names:
        kind = (
            "*fp32"
            if name == "LSE"
            else "*bf16"
            if name in POINTERS
            else "fp32"
            if name == "scale"
            else "i32"
        )
        signature[name] = "constexpr" if name in constants else kind
    aligned = [
        i
        for i, name in enumerate(forward.arg_names)
        if name in POINTERS or re.search("_(batch|head|row)$", name)
    ]
    source = ASTSource(forward, signature, constants, {(i,): [["tt.divisibility", 16]] for i in aligned})
    options = {"num_warps": warps, "num_stages": stages}
    built = triton.compile(source, target=GPUTarget("cuda", chip, 32), options=options)
    return {"chip": chip, "d": d, "shared": built.metadata.shared, **resources(built.asm["cubin"])}


def resources(cubin: bytes) -> dict[str, int]:
    """Registers and stack bytes a thread; a stack means that registers were spilled."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        told = subprocess.run(
            [CUOBJDUMP, "-res-usage", file.name], capture_output=True, text=True, check=True
        ).stdout
    return {key.lower(): int(n) for key, n in re.findall(r"\b(REG|STACK):(\d+)", told)}


if __name__ == "__main__":
    for pair in sys.argv[1:]:
        print(json.dumps(compile_for(*map(int, pair.split(",")))), flush=True)
