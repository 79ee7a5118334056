"""What this machine can do for Aloud, and what is in the way: one finding after another, each with its fix."""

import contextlib
import os
import shutil
import sqlite3
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import httpx
from sqlalchemy.exc import DatabaseError

from app import doctor_worker
from app import setting_rules as rules
from app.db.migrate import knows, versions
from app.db.trouble import cause, remedy
from app.drill.recording import inspecting
from app.finding import Finding
from app.jobs.tokens import Tokens
from app.settings import LOOPBACK, Settings
from app.worker.link import TurnedAway, known_as

OLDEST_SQLITE = (3, 37, 0)  # STRICT tables
ROOM = 1 << 30  # bytes; a year of takes and results is a fraction of it
NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "9p", "fuse.sshfs", "glusterfs", "ceph")


def examine(settings: Settings) -> Iterator[Finding]:
    """Every finding, the quick ones first. Nothing is changed, and no torch is imported in this process."""
    yield python()
    yield sqlite()
    yield from data_folder(settings.data)
    yield database(settings)
    if os.access(nearest(settings.data), os.R_OK | os.X_OK):
        yield tokens(settings)
        yield keys(settings)
    yield from inspecting.told(settings)
    yield microphone(settings)
    yield web_side(settings)
    yield from doctor_worker.worker(caches(settings.data))
    yield doctor_worker.speech(settings)


def python() -> Finding:
    return Finding("ok", f"Python {'.'.join(map(str, sys.version_info[:3]))}")


def sqlite() -> Finding:
    have = f"SQLite {sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        return Finding("fail", have, "Aloud needs 3.37 or newer; a newer Python brings one.")
    with contextlib.closing(sqlite3.connect(":memory:")) as probe:
        if not probe.execute("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").fetchone():
            fix = (
                "A search reads every card, and a database made with it is refused; another Python brings it."
            )
            return Finding("warn", f"{have} without FTS5", fix)
    return Finding("ok", have)


def data_folder(folder: Path) -> Iterator[Finding]:
    """Whether the data folder can be written, has room, and lies on a disk of this machine."""
    at = nearest(folder)
    if not at.is_dir():
        yield Finding("fail", f"Data folder {folder}: {at} is a file", "Name another folder with ALOUD_DATA.")
        return
    try:
        tempfile.TemporaryFile(dir=at).close()
    except OSError as error:
        fix = "Name another folder with ALOUD_DATA, or let this user write there."
        yield Finding("fail", f"Data folder {folder} cannot be written: {error.strerror}", fix)
        return
    if at == folder.absolute() and at.stat().st_mode & 0o007:
        fix = f"All that is learned lies in it: chmod o= {folder}"
        yield Finding("warn", f"Data folder {folder} is open to other users of this machine", fix)
    free = shutil.disk_usage(at).free
    room = f"Data folder {folder}, {free / ROOM:.1f} GiB free"
    yield (
        Finding("ok", room)
        if free >= ROOM
        else Finding("warn", room, "Make room, or move it with ALOUD_DATA.")
    )
    kind = mount(at, _mounts()).kind
    if kind in NETWORK:
        fix = "SQLite's log breaks on network disks; keep the data folder on a disk of this machine."
        yield Finding("fail", f"The data folder lies on {kind}", fix)


class Mount(NamedTuple):
    """A mounted file system: where, of which type, and how."""

    point: str = ""
    kind: str = ""
    options: Sequence[str] = ()


def mount(path: Path, mounts: str) -> Mount:
    """The file system that holds `path`, by a text like /proc/self/mounts; an empty one when unknown."""
    best = Mount()
    for line in mounts.splitlines():
        point, kind, options = line.split()[1:4]
        point = point.replace("\\040", " ")
        if path.is_relative_to(point) and len(point) >= len(best.point):
            best = Mount(point, kind, options.split(","))
    return best


def nearest(path: Path) -> Path:
    """The path itself, or the nearest folder above it that is there."""
    return next(at for at in (path.absolute(), *path.absolute().parents) if os.path.exists(at))


def _mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text()
    except OSError:
        return ""


def database(settings: Settings) -> Finding:
    path = settings.database
    try:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            path.open("r+b").close()  # SQLite reads what it cannot write, and says so only when it has to
        have, wanted = versions(path)
    except (DatabaseError, OSError) as error:
        fix = f"{remedy(path, error)}, or name another folder with ALOUD_DATA."
        return Finding("fail", f"{path} cannot be used: {cause(error)}", fix)
    if have is None:
        return Finding("ok", "No database yet; the first start makes it")
    if not knows(have):
        fix = "Update this Aloud, or name another folder with ALOUD_DATA."
        return Finding("fail", f"{path} is of version {have}, which a newer Aloud wrote", fix)
    if have != wanted:
        return Finding("ok", f"Database at version {have}; the next start brings it to {wanted}")
    return Finding("ok", f"Database at version {have}")


def tokens(settings: Settings) -> Finding:
    try:
        made = Tokens(settings.data).named()
    except OSError as error:
        fix = "Let this user read it, or run Aloud as its owner."
        return Finding("fail", f"{error.filename} cannot be read: {error.strerror}", fix)
    damaged = [token.name for token in made if token.made_at is None]
    if damaged:
        fix = f"Make it anew: aloud token {damaged[0]} --revoke, then aloud token {damaged[0]}."
        return Finding("warn", f"The token {damaged[0]} cannot be read, so its worker is refused", fix)
    names = ", ".join(token.name for token in made)
    return Finding(
        "ok", f"Tokens for workers elsewhere: {names}" if names else "No tokens for workers elsewhere"
    )


def keys(settings: Settings) -> Finding:
    """Whether what opens doors here is its owner's alone, as it was when it was made."""
    kept = [settings.data / "secret", settings.data / "worker-token", settings.data / "tokens"]
    kept += (settings.data / "tokens").glob("*.json")
    for path in filter(os.path.lexists, kept):
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            return Finding("warn", f"{path} is a link", "Move it away; Aloud makes its own there.")
        if found.st_mode & 0o077:
            return Finding("warn", f"{path} is open to other users of this machine", f"chmod go= {path}")
    return Finding("ok", f"Keys and tokens in {settings.data} are open to their owner alone")


def web_side(settings: Settings) -> Finding:
    """Whether `aloud worker` with these settings would find the web side, and be let in."""
    server, token = settings.web_side, _token(settings)
    if isinstance(token, Finding):
        return token
    try:
        name = known_as(server, token)
    except httpx.HTTPError as error:
        fix = "A worker waits for it. Start it there with `aloud serve`, or give its address as --server."
        return Finding(
            "warn", f"The web side at {server} does not answer: {error or type(error).__name__}", fix
        )
    except TurnedAway as refused:
        return Finding("fail", f"The web side at {server} would refuse a worker from here", str(refused))
    whose = f'with the token "{name}"' if name else "with its own token"
    return Finding("ok", f"The web side at {server} answers, and takes a worker from here {whose}")


def _token(settings: Settings) -> str | Finding:
    """The token that a worker would show, or why there is none to show; a look makes none."""
    path = settings.data / "worker-token"
    try:
        token = settings.token or rules.token(path.read_bytes().decode(errors="replace").strip())
    except (FileNotFoundError, NotADirectoryError):
        token = ""
    except OSError as error:
        fix = "Let this user read it, or run the worker as its owner."
        return Finding("fail", f"The token in {path} cannot be read: {error.strerror}", fix)
    except ValueError as error:
        return Finding(
            "fail", f"The token in {path} {error}", "Remove the file; `aloud serve` makes a new one."
        )
    if token:
        return token
    fix = "`aloud serve` makes it; a worker elsewhere gets one as ALOUD_TOKEN (aloud token NAME makes it)."
    return Finding("warn", f"There is no token for a worker in {settings.data}", fix)


def microphone(settings: Settings) -> Finding:
    if settings.host in LOOPBACK:
        return Finding(
            "ok", f"Browsers on this machine may use the microphone at http://localhost:{settings.port}"
        )
    fix = "From other machines, put a proxy with https in front (docs/self-hosting.md)."
    return Finding("warn", "Browsers give the microphone to localhost and to https only", fix)


def caches(data: Path) -> Finding:
    """Where compiled kernels are kept, as app.worker.environment decides; nothing is made by looking."""
    chosen = os.environ.get("TRITON_CACHE_DIR")
    folder = Path(chosen) if chosen else data / "cache"
    at = nearest(folder)
    if not (at.is_dir() and os.access(at, os.W_OK)):
        fix = (
            "Let this user write there; until then a temporary folder is used, and kernels are compiled anew."
        )
        return Finding(
            "fail" if chosen else "warn", f"The cache {folder} of compiled kernels cannot be written", fix
        )
    if "noexec" in mount(at, _mounts()).options:
        fix = "Compiled kernels are loaded from there. Name another folder with TRITON_CACHE_DIR."
        return Finding("fail", f"The cache {folder} lies on a file system mounted noexec", fix)
    return Finding("ok", f"Compiled kernels are kept in {folder}")
