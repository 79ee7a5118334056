"""Memory that ran out, as a result in words: what was asked for, what is free, what to change. Imports no torch."""

from __future__ import annotations

import gc
import re
import sys

from kernels.job import Job
from kernels.params import Demo
from kernels.result import OUT_OF_MEMORY, Block
from kernels.show import note
from kernels.words import UNITS, size

# "Tried to allocate 20.00 GiB" (CUDA), "you tried to allocate 4096 bytes" (CPU), "Unable to allocate 8.00 PiB" (NumPy)
_ASKED = re.compile(rf"allocate ([\d.]+) ({'|'.join(UNITS)})\b")


def caused(error: Exception) -> bool:
    """Whether memory ran out: torch's own error on a GPU, RuntimeError with these words on a CPU, NumPy's and Python's.

    "CUDA error: out of memory" is none of them: it comes from a context that may be broken.
    """
    known = isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"
    return known or "can't allocate memory" in str(error)


def asked(error: Exception) -> int | None:
    """The bytes that could not be had at once, where the error tells."""
    found = _ASKED.search(str(error))
    return int(float(found[1]) * UNITS[found[2]]) if found else None


def block(entry: Demo, job: Job, wanted: int | None) -> Block:
    """The note in place of a demo's blocks. What the run held, and what the allocator kept, is given back first."""
    free = _freed(job.device)
    told = ["Memory ran out during this run."]
    if wanted is not None:
        told.append(f"It asked for {size(wanted)} at once.")
    if free is not None:
        told.append(f"Now that it has ended, {size(free)} are free.")
    return note(OUT_OF_MEMORY, " ".join((*told, advice(entry, job))), title="Out of memory")


def advice(entry: Demo, job: Job) -> str:
    """Which of the demo's parameters can be lowered: every count that is not at its least."""
    names = [
        param.name
        for param in entry.params
        if param.kind == "int" and param.name != "seed" and int(job.params[param.name]) > (param.low or 0)
    ]
    if not names:
        return "Nothing here can be lowered; it takes a machine with more memory."
    *most, last = names
    return f"Lower {', '.join(most)} or {last}." if most else f"Lower {last}."


def _freed(device: str) -> int | None:
    """Bytes that are free once the run's own are given back; None where no one can tell."""
    gc.collect()
    if "torch" not in sys.modules:
        return None
    import torch

    from kernels import memory

    if device == "cuda":
        torch.cuda.empty_cache()
    return memory.available(device)
