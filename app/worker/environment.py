"""The environment of a child process: caches that can be written, one device, and no secrets."""

import contextlib
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from app.settings import own_folder

SECRETS = ("ALOUD_TOKEN", "ALOUD_ENDPOINT_KEYS")


def child_environment(
    caches: Path | None = None, device: str | None = None, base: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """`base` with the compilers' caches below `caches` (unless they are set already) and only CUDA device `device`.

    Without `caches`, or where they cannot be written, a temporary folder holds them: a container that runs as nobody
    has no home for Triton's ~/.triton. Threads that wait sleep, unless chosen otherwise: spinning, they would take the
    cores from the web side beside them.
    """
    made = {name: value for name, value in base.items() if name not in SECRETS}
    folder = caches if caches is not None and writable(caches) else temporary()
    made.setdefault("TRITON_CACHE_DIR", str(folder / "triton"))
    made.setdefault("TORCHINDUCTOR_CACHE_DIR", str(folder / "inductor"))
    made.setdefault("OMP_WAIT_POLICY", "passive")
    made["PYTHONUNBUFFERED"] = "1"
    if device is not None:
        made["CUDA_VISIBLE_DEVICES"] = device
    return made


def writable(folder: Path) -> bool:
    """Whether files can be made in `folder`, which is made if need be: tried, since modes do not tell."""
    try:
        own_folder(folder)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def temporary() -> Path:
    """A cache folder that stays from run to run. Compiled code is loaded from it, so it must be this user's own."""
    folder = Path(tempfile.gettempdir()) / f"aloud-cache-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    return folder if own else Path(tempfile.mkdtemp(prefix="aloud-cache-"))
