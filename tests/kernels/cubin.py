"""What a kernel compiled for an NVIDIA chip uses, read from its binary, and what the chip has; none is needed here."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import triton

CUOBJDUMP = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"

SHARED = {80: 166_912, 86: 101_376, 90: 232_448, 100: 232_448, 120: 101_376}
"""Bytes of shared memory that one block may use (CUDA C++ Programming Guide, compute capabilities)."""


def resources(cubin: bytes) -> dict[str, int]:
    """Registers and stack bytes a thread; a stack means that registers were spilled."""
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        told = subprocess.run(
            [CUOBJDUMP, "-res-usage", file.name], capture_output=True, text=True, check=True
        ).stdout
    return {key.lower(): int(n) for key, n in re.findall(r"\b(REG|STACK):(\d+)", told)}
