"""Tokens for workers: each has a name, and can be revoked without a word to the others.

A token reads `gpu-box.<secret>`. Only its SHA-256 is kept, in a file that bears the name. So making and revoking one
write no database, work while the server runs, and hold from a worker's next request on.

The data folder is the server's user's, who may lay links in it, also while a command runs. So root, who often types
the command, writes there as that user and not as root: no link leads further than that user could go alone.
"""

import hashlib
import hmac
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from app.settings import place

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")


class TokenProblem(ValueError):
    """It cannot be made or revoked; the message is a sentence for whoever typed it."""


@dataclass(frozen=True)
class Named:
    """A token as far as it is kept; `made_at` is None where its file cannot be read."""

    name: str
    made_at: datetime | None


class Tokens:
    """The named tokens of a data folder."""

    def __init__(self, data: Path) -> None:
        self._folder = data / "tokens"

    def make(self, name: str, now: datetime) -> str:
        """A new token, to be shown once: it is not kept. Raises TokenProblem."""
        path, token = self._path(name), f"{name}.{secrets.token_urlsafe(32)}"
        kept = json.dumps({"sha256": _hash(token), "made_at": now.isoformat(timespec="seconds")})
        with _as_owner_of(self._folder.parent):
            if not self._is_there():
                self._folder.mkdir(mode=0o700)
            self._folder.chmod(0o700)  # an old one may be open to others
            try:
                place(path, kept)
            except FileExistsError:
                raise TokenProblem(
                    f'There is a token "{name}" already, and only its hash is kept. '
                    f"To replace it: aloud token {name} --revoke, then aloud token {name}."
                ) from None
        return token

    def named(self) -> list[Named]:
        """Every token, by its name. Raises OSError where the folder cannot be listed."""
        try:
            names = sorted(os.listdir(self._folder))
        except FileNotFoundError:
            return []
        paths = (self._folder / name for name in names if name.endswith(".json"))
        return [Named(path.stem, _made_at(path)) for path in paths]

    def revoke(self, name: str) -> None:
        """From its next request on, the worker that shows it is refused. Raises TokenProblem."""
        path = self._path(name)
        with _as_owner_of(self._folder.parent):
            self._is_there()
            try:
                path.unlink()
            except FileNotFoundError:
                there = ", ".join(token.name for token in self.named())
                raise TokenProblem(
                    f'There is no token "{name}"; ' + (f"there is {there}." if there else "there are none.")
                ) from None

    def known(self, name: str) -> bool:
        """Whether a token of that name was made here and not revoked since."""
        return os.path.lexists(self._path(name))

    def holder(self, token: str) -> str | None:
        """The name of `token`, if it is one that was made here and not revoked since."""
        name = name_in(token)
        if not name:
            return None
        try:
            kept = str(json.loads(self._path(name).read_text())["sha256"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return name if hmac.compare_digest(kept.encode(), _hash(token).encode()) else None

    def _path(self, name: str) -> Path:
        if not NAME.fullmatch(name):
            raise TokenProblem(
                "A token's name is 1 to 40 small letters, digits and hyphens, with a letter or digit at either end, "
                f"e.g. gpu-box; {name!r} is not."
            )
        return self._folder / f"{name}.json"

    def _is_there(self) -> bool:
        """Whether the folder of the tokens was made already. Raises TokenProblem where something else has its name."""
        try:
            found = self._folder.lstat()
        except FileNotFoundError:
            return False
        if not stat.S_ISDIR(found.st_mode):
            what = "a link" if stat.S_ISLNK(found.st_mode) else "no folder"
            raise TokenProblem(f"{self._folder} is {what}; move it away, and a folder is made in its place.")
        return True


@contextmanager
def _as_owner_of(folder: Path) -> Iterator[None]:
    """Root acts as the owner of `folder`, to whom belongs what is made meanwhile; anybody else as they are."""
    owner = folder.stat()
    if os.geteuid() != 0 or owner.st_uid == 0:
        yield
        return
    group, groups = os.getegid(), os.getgroups()
    try:
        os.setgroups([owner.st_gid])
        os.setegid(owner.st_gid)
        os.seteuid(owner.st_uid)
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)


def name_in(token: str) -> str:
    """The name that a token bears, whether it is valid or not; empty where it bears none."""
    name, dot, secret = token.partition(".")
    return name if dot and secret and NAME.fullmatch(name) else ""


def _hash(token: str) -> str:
    """A plain hash is enough: the secret is 256 random bits, which nobody guesses."""
    return hashlib.sha256(token.encode()).hexdigest()


def _made_at(path: Path) -> datetime | None:
    try:
        return datetime.fromisoformat(json.loads(path.read_text())["made_at"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
