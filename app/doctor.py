"""What this machine can do for Aloud, and what is in the way: one finding after another, each with its fix."""

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from sqlalchemy.exc import DatabaseError

from app.db.migrate import knows, versions
from app.settings import LOOPBACK, Settings
from app.worker.oneshot import Bench, RunFailed
from kernels.catalog import DEMOS

OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
ROOM = 1 << 30  # bytes; a year of takes and results is a fraction of it
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "9p", "fuse.sshfs", "glusterfs", "ceph")


@dataclass(frozen=True)
class Finding:
    """`fix` says what to do and is empty where nothing needs doing."""

    mark: Literal["ok", "warn", "fail"]
    what: str
    fix: str = ""


def examine(settings: Settings) -> Iterator[Finding]:
    """Every finding, the quick ones first. Nothing is changed, and no torch is imported in this process."""
    yield python()
    yield sqlite()
    yield from data_folder(settings.data)
    yield database(settings)
    yield microphone(settings)
    yield from worker()


def python() -> Finding:
    return Finding("ok", f"Python {'.'.join(map(str, sys.version_info[:3]))}")


def sqlite() -> Finding:
    have = f"SQLite {sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        return Finding("fail", have, "Aloud needs 3.37 or newer; a newer Python brings one.")
    return Finding("ok", have)


def data_folder(folder: Path) -> Iterator[Finding]:
    """Whether the data folder can be written, has room, and lies on a disk of this machine."""
    at = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not at.is_dir():
        yield Finding("fail", f"Data folder {folder}: {at} is a file", "Name another folder with ALOUD_DATA.")
        return
    try:
        tempfile.TemporaryFile(dir=at).close()
    except OSError as error:
        fix = "Name another folder with ALOUD_DATA, or let this user write there."
        yield Finding("fail", f"Data folder {folder} cannot be written: {error.strerror}", fix)
        return
    free = shutil.disk_usage(at).free
    room = f"Data folder {folder}, {free / ROOM:.1f} GiB free"
    yield (
        Finding("ok", room)
        if free >= ROOM
        else Finding("warn", room, "Make room, or move it with ALOUD_DATA.")
    )
    kind = file_system(at, _mounts())
    if kind in NETWORK:
        fix = "SQLite's log breaks on network disks; keep the data folder on a disk of this machine."
        yield Finding("fail", f"The data folder lies on {kind}", fix)


def file_system(path: Path, mounts: str) -> str:
    """The type of the file system that holds `path`, by a text like /proc/self/mounts; empty when unknown."""
    best = ("", "")
    for line in mounts.splitlines():
        point, kind = line.split()[1:3]
        point = point.replace("\\040", " ")
        if path.is_relative_to(point) and len(point) >= len(best[0]):
            best = (point, kind)
    return best[1]


def _mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text()
    except OSError:
        return ""


def database(settings: Settings) -> Finding:
    try:
        have, wanted = versions(settings.database)
    except DatabaseError as error:
        fix = "Restore it from a backup, or move it away to begin anew."
        return Finding("fail", f"{settings.database} cannot be read: {error.orig}", fix)
    if have is None:
        return Finding("ok", "No database yet; the first start makes it")
    if not knows(have):
        fix = "Update this Aloud, or name another folder with ALOUD_DATA."
        return Finding("fail", f"{settings.database} is of version {have}, which a newer Aloud wrote", fix)
    if have != wanted:
        return Finding("ok", f"Database at version {have}; the next start brings it to {wanted}")
    return Finding("ok", f"Database at version {have}")


def microphone(settings: Settings) -> Finding:
    if settings.host in LOOPBACK:
        return Finding(
            "ok", f"Browsers on this machine may use the microphone at http://localhost:{settings.port}"
        )
    fix = "From other machines, put a proxy with https in front (docs/self-hosting.md)."
    return Finding("warn", "Browsers give the microphone to localhost and to https only", fix)


def worker() -> Iterator[Finding]:
    """Torch, Triton and the devices that they see, asked in a process of its own."""
    found = {name: _installed(name) for name in ("torch", "triton")}
    if not found["torch"]:
        here = ", ".join(demo.name for demo in DEMOS.values() if "torch" not in demo.needs)
        yield Finding("warn", f"torch is not installed, so of the demos only {here} runs here", "make worker")
        return
    yield Finding("ok", f"torch {found['torch']}")
    if found["triton"]:
        yield Finding("ok", f"triton {found['triton']}")
    else:
        yield Finding("warn", "triton is not installed; the flash demo needs it", "It exists for Linux only.")
    yield from devices()


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
    yield Finding("ok", f"Device {found['name']} ({found['kind']}); {_kernels(found)}")
    if found["kind"] == "cuda" and found["triton"] and not (shutil.which("cc") or shutil.which("gcc")):
        yield Finding("fail", "Triton finds no C compiler", "On Debian and Ubuntu: apt install gcc")


def _kernels(found: Mapping[str, object]) -> str:
    if not found["triton"]:
        return "Triton is not here, so the flash demo does not run"
    if found["interpreter"]:
        return "Triton kernels are interpreted: checked, never timed"
    return "Triton kernels compile"


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
