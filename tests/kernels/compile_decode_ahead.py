"""Compiles the decode kernels for chips that are not here, and prints what each build uses as JSON.

    python tests/kernels/compile_decode_ahead.py 80,64,8,0 90,128,16,4096

A build is chip, d, packed rows, window (0: none). A script of its own, since it must run in a process where Triton is
not set to interpret.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kernels.decode import attend, combine, config
from kernels.split_kv import MOST_SPLITS
from tests.kernels.cubin import resources

IN = ("Q", "K", "V", "OUT")
FP32 = ("PART", "PART_LSE", "LSE")
COLUMN_STRIDES = ("q_col", "k_col", "v_col")


def compile_for(chip: int, d: int, rows: int, window: int) -> Iterator[dict[str, int | str]]:
    """Both kernels in bf16, rows 16-byte aligned as PyTorch allocates them, with the settings offered."""
    bm, bn, warps, stages = config(rows, d, torch.bfloat16)
    block_d = triton.next_power_of_2(d)
    tiles = {"D": d, "BLOCK_D": block_d, "BM": bm, "BN": bn, "WINDOW": window > 0}
    kernels = (
        (attend, tiles | dict.fromkeys(COLUMN_STRIDES, 1), {"num_warps": warps, "num_stages": stages}),
        (combine, {"D": d, "BLOCK_D": block_d, "BLOCK_S": MOST_SPLITS}, {"num_warps": 1 if d <= 64 else 2}),
    )
    for kernel, constants, options in kernels:
        built = triton.compile(source(kernel, constants), target=GPUTarget("cuda", chip, 32), options=options)
        used = resources(built.asm["cubin"])
        yield {
            "kernel": kernel.__name__,
            "chip": chip,
            "d": d,
            "rows": rows,
            "shared": built.metadata.shared,
            **used,
        }


def source(kernel: triton.JITFunction, constants: Mapping[str, int]) -> ASTSource:
    """The kernel with its argument types, pointers and strides known to be multiples of 16."""
    kinds = {name: "*bf16" if name in IN else "*fp32" if name in FP32 else "fp32" if name == "scale" else "i32"
             for name in kernel.arg_names}  # fmt: skip
    signature = kinds | dict.fromkeys(constants, "constexpr")
    aligned = [
        i
        for i, name in enumerate(kernel.arg_names)
        if name in IN + FP32 or re.fullmatch("[qkv]_(batch|head|row)", name)
    ]
    return ASTSource(kernel, signature, constants, {(i,): [["tt.divisibility", 16]] for i in aligned})


if __name__ == "__main__":
    for build in sys.argv[1:]:
        for told in compile_for(*map(int, build.split(","))):
            print(json.dumps(told), flush=True)
