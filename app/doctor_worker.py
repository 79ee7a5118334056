"""What `aloud doctor` finds of a worker on this machine: what it runs on, what it compiles with, whether it hears."""

import re
import shutil
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version

from app.finding import Finding
from app.settings import Settings
from app.worker.oneshot import Bench, RunFailed
from app.worker.speech import model
from kernels.catalog import DEMOS

OLDEST_INTERPRETER = (3, 7)  # Triton's; an older one makes a number of an array, which numpy 2.4 refuses


def worker(cache: Finding) -> Iterator[Finding]:
    """Torch, Triton and the devices that they see, asked in a process of its own; `cache` is found of theirs."""
    found = {name: _installed(name) for name in ("torch", "triton")}
    if not found["torch"]:
        here = ", ".join(demo.name for demo in DEMOS.values() if "torch" not in demo.needs)
        yield Finding("warn", f"torch is not installed; what runs here without it: {here}", "make worker")
        return
    yield Finding("ok", f"torch {found['torch']}")
    if found["triton"]:
        yield Finding("ok", f"triton {found['triton']}")
    else:
        yield Finding(
            "warn", f"triton is not installed; {_needing_triton()} need it", "It exists for Linux only."
        )
    yield cache
    yield compilers()
    yield from devices()


def speech(settings: Settings) -> Finding:
    """Whether a worker here turns speech into text, and with which model; nothing is loaded for that."""
    if not _installed("faster-whisper"):
        return Finding("ok", "Speech to text is not installed here; make run SPEECH=1 adds it")
    try:
        found = model.find(settings.speech_model)
    except model.NoModel as missing:
        return Finding("fail", "Speech to text has no model", str(missing))
    name = model.called(settings.speech_model)
    fetched = " (fetched from its publisher the first time)" if isinstance(found, str) else ""
    elsewhere = "".join(f", or by the endpoint {one.name}" for one in settings.speech_endpoints)
    return Finding("ok", f"Speech to text: {name}{fetched}{elsewhere}")


def compilers() -> Finding:
    """FlexAttention compiles C++ on a CPU; what Triton needs on a GPU is told with the GPU."""
    found = [name for name in ("gcc", "g++") if shutil.which(name)]
    if "g++" not in found:
        fix = "FlexAttention is compiled by it. On Debian and Ubuntu: apt install g++"
        return Finding("warn", "There is no C++ compiler (g++)", fix)
    return Finding("ok", f"Compilers: {', '.join(found)}")


def devices() -> Iterator[Finding]:
    try:
        with Bench() as bench:
            found = bench.devices()
    except RunFailed as error:
        yield Finding(
            "fail", str(error), "If it stays so, install it anew: rm .venv/worker, then make worker"
        )
        return
    for one in found:
        yield from device(one)


def device(found: Mapping[str, object]) -> Iterator[Finding]:
    """What runs on a device, as kernels.device.capabilities tells it, and what of our kernels does not."""
    driver = f", driver {found['driver']}" if found.get("driver") else ""
    yield Finding("ok", f"Device {found['name']} ({found['kind']}{driver}); {_kernels(found)}")
    if found["interpreter"] and _release(str(found["triton"])) < OLDEST_INTERPRETER:
        yield Finding(
            "warn",
            f"The interpreter of triton {found['triton']} fails with numpy {_installed('numpy')}",
            f"Install triton 3.7 or newer; until then {_needing_triton()} fail here.",
        )
    if found["kind"] == "cuda" and found["triton"] and not (shutil.which("cc") or shutil.which("gcc")):
        yield Finding("fail", "Triton finds no C compiler", "On Debian and Ubuntu: apt install gcc")


def _kernels(found: Mapping[str, object]) -> str:
    if not found["triton"]:
        return f"Triton is not here, so {_needing_triton()} do not run"
    if found["interpreter"]:
        return "Triton kernels are interpreted: checked, never timed"
    return "Triton kernels compile"


def _needing_triton() -> str:
    return ", ".join(demo.name for demo in DEMOS.values() if "triton" in demo.needs)


def _release(told: str) -> tuple[int, ...]:
    """The numbers that a version begins with: (3, 7, 1) of "3.7.1+git2"."""
    numbers = re.match(r"[\d.]*\d", told)
    return tuple(map(int, numbers[0].split("."))) if numbers else ()


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
