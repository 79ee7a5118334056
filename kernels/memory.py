"""How much memory a call takes at its peak, and how much there is. Measured, not estimated."""

from __future__ import annotations

import ctypes
import gc
import re
from collections.abc import Callable
from pathlib import Path

import torch

from kernels.result import Refused
from kernels.units import GIB

_CGROUP = Path("/sys/fs/cgroup")
_CLEAR_REFS = Path("/proc/self/clear_refs")
_STATUS = Path("/proc/self/status")


def peak(call: Callable[[], object], device: str) -> int | None:
    """Bytes that `call` needs at its peak beyond what is held before it. None where it cannot be measured.

    On a GPU the allocator counts them. On Linux the kernel does: its high-water mark of resident memory is set
    back first, and freed heap is returned to the system, so that the call cannot hide in memory it was left, nor what
    the garbage collector would free during it. Pages of files do not count: of a library's code, some may have been
    dropped while it was idle, and are read again by whoever comes first.
    """
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        call()
        torch.cuda.synchronize()
        return torch.cuda.max_memory_allocated() - before
    gc.collect()
    if not _reset_high_water_mark():
        return None
    held = _status("VmRSS") - _status("RssFile")
    call()
    return max(_status("VmHWM") - _status("RssFile") - held, 0)


def require(need: int, device: str, advice: str) -> None:
    """Raises Refused, ending with `advice`, where a run that holds `need` bytes would not fit the memory free now.

    A fifth of it is left to others.
    """
    free = available(device)
    if free is not None and need > free * 4 / 5:
        raise Refused(
            f"This run would hold {need / GIB:.1f} GiB and {free / GIB:.1f} GiB are free, "
            f"of which a fifth is left to others; {advice}"
        )


def available(device: str) -> int | None:
    """Bytes that can be allocated now, in this container if it has a limit. None where the system does not tell."""
    if device == "cuda":
        return torch.cuda.mem_get_info()[0]
    info = Path("/proc/meminfo")
    told = (_kib(info.read_text(), "MemAvailable") if info.exists() else None, left_in_container(_CGROUP))
    return min((n for n in told if n is not None), default=None)


def left_in_container(group: Path) -> int | None:
    """What cgroup v2 still allows: memory.max less memory.current, file pages that can be dropped not counted."""
    try:
        most, held = ((group / f"memory.{name}").read_text().strip() for name in ("max", "current"))
        droppable = re.search(r"^inactive_file (\d+)$", (group / "memory.stat").read_text(), re.MULTILINE)
    except OSError:
        return None
    if most == "max":
        return None
    return max(int(most) - int(held) + (int(droppable.group(1)) if droppable else 0), 0)


def _reset_high_water_mark() -> bool:
    """Writing 5 to clear_refs sets VmHWM back to VmRSS (proc(5)); false where that is not offered."""
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        _CLEAR_REFS.write_text("5")
    except (OSError, AttributeError):
        return False
    return True


def _status(field: str) -> int:
    return _kib(_STATUS.read_text(), field) or 0


def _kib(text: str, field: str) -> int | None:
    found = re.search(rf"^{field}:\s+(\d+) kB$", text, re.MULTILINE)
    return int(found.group(1)) * 1024 if found else None
