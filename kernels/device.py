"""What this machine can do: its device, its versions, and whether Triton compiles or interprets here."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

from kernels.result import Refused


class Machine(NamedTuple):
    """Where runs of this process take place."""

    kind: Literal["cpu", "cuda"]
    interpreter: bool


def settle() -> Machine:
    """Decides, once per process and before Triton is imported, where kernels run.

    Triton reads TRITON_INTERPRET while its own functions are being defined, so it cannot be changed afterwards.
    Without a CUDA device nothing but the interpreter works; with one, a TRITON_INTERPRET=1 set by hand is kept.
    """
    kind: Literal["cpu", "cuda"] = "cuda" if _cuda() else "cpu"
    if kind == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    return Machine(kind, _interprets())


def _interprets() -> bool:
    return os.environ.get("TRITON_INTERPRET", "0") not in ("", "0")


def require(needs: tuple[str, ...]) -> None:
    """Raises Refused, with what to install, unless the libraries are here."""
    for library in needs:
        if find_spec(library) is None:
            hint = " It exists for Linux only." if library == "triton" else ""
            raise Refused(f"This demo needs {library}, which is not installed on this worker.{hint}")


def describe(kind: Literal["cpu", "cuda"]) -> dict[str, str]:
    """The `device` block of a run's result on this machine's GPU or CPU; what is absent is an empty text."""
    cuda = kind == "cuda"
    return {
        "kind": kind,
        "name": _gpu_name() if cuda else cpu_name(),
        "driver": _driver() if cuda else "",
        "torch": _version("torch"),
        "triton": _version("triton"),
    }


def capabilities() -> list[dict[str, str | bool]]:
    """Every device here, a CUDA device before the CPU, with `interpreter` true where Triton only interprets."""
    here: list[dict[str, str | bool]] = []
    versions = {"torch": _version("torch"), "triton": _version("triton")}
    if _cuda():
        import torch

        by_hand = _interprets()
        for index in range(torch.cuda.device_count()):
            name = torch.cuda.get_device_name(index)
            here.append(
                {"kind": "cuda", "name": name, "driver": _driver(), **versions, "interpreter": by_hand}
            )
    interpreter = bool(versions["triton"] and versions["torch"])
    here.append({"kind": "cpu", "name": cpu_name(), "driver": "", **versions, "interpreter": interpreter})
    return here


@cache
def cpu_name() -> str:
    """The processor's model name, as exactly as the system tells it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


@cache
def _cuda() -> bool:
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


def _gpu_name() -> str:
    import torch

    return torch.cuda.get_device_name()


@cache
def _driver() -> str:
    """The NVIDIA driver's version from the kernel module, or from nvidia-smi where /proc hides it."""
    module = Path("/sys/module/nvidia/version")
    if module.exists():
        return module.read_text().strip()
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.splitlines()[0].strip() if answer.stdout else ""


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return ""
