"""Results that ship as files, by demo and parameters: what a learner sees before anything has run here.

They are looked through in the background of the start, by whoever asks for them sooner, and again once a file has come,
gone or been replaced. One that cannot be read is told in the log and left out.
"""

import json
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from threading import Lock

from app.demos import drawing
from kernels import recorded
from kernels.catalog import DEMOS, BadParams, Params, code_hash, params_hash, parse, parse_line
from kernels.result import BadResult, Result, Unknown

log = logging.getLogger("aloud")
TICK_NS = 50_000_000  # far above the tick of any file system that Aloud is run on
EVER = datetime(1970, 1, 1, tzinfo=UTC)  # of a record that tells no moment


class State(StrEnum):
    """How a record stands to the code that is here now."""

    CURRENT = "current"
    OLDER = "from older code"
    UNUSED = "of no demo here"  # the demo, or these parameters, are gone
    UNREADABLE = "not readable"


@dataclass(frozen=True)
class Record:
    """A recorded result without its blocks. `id` is the file's name, and unique within its demo; `why` says what is
    wrong with one that cannot be used."""

    path: Path
    state: State
    head: Result | None = None
    params: Params | None = None
    params_hash: str = ""
    why: str = ""

    @property
    def id(self) -> str:
        return self.path.stem

    @property
    def demo(self) -> str:
        return self.path.parent.name

    @property
    def on(self) -> str:
        """The device, as a link names it."""
        return recorded.device_slug(self.head.device) if self.head else ""

    @property
    def at(self) -> datetime:
        try:
            made = datetime.fromisoformat(self.head.at if self.head else "")
        except ValueError:
            return EVER
        return made if made.tzinfo else made.replace(tzinfo=UTC)

    def body(self) -> str | None:
        """The whole result as JSON text; None, with a word in the log, where it cannot be read."""
        try:
            text = self.path.read_text(encoding="utf-8")
            json.loads(text)  # quick; what is no result beyond that, the drawing says in place of its blocks
        except (OSError, ValueError, RecursionError) as error:
            _warn(self.path, error)
            return None
        return text


def _warn(path: Path, why: object) -> None:
    log.warning("The recorded result %s/%s is left out: %s", path.parent.name, path.name, why)


def _settled(folders: tuple[tuple[str, int], ...]) -> bool:
    """Whether no folder changed so lately that one more change could bear the same time: clocks of files tick."""
    return all(changed < time.time_ns() - TICK_NS for _, changed in folders)


class Records:
    """The records below one folder."""

    def __init__(self, folder: Path, warn: Callable[[Path, object], None] = _warn) -> None:
        """`warn` gets each file that cannot be read, with the reason."""
        self.folder = folder
        self._warn = warn
        self._lock = Lock()
        self._seen: object = None
        self._all: tuple[Record, ...] = ()

    @property
    def all(self) -> tuple[Record, ...]:
        """Every file, readable or not, in the order of the catalogue, those of unknown demos last."""
        with self._lock:  # of many who ask first, one looks and the others wait
            if (now := self._folders()) != self._seen:
                self._all = self._look_through()
                self._seen = now if _settled(now) else None
            return self._all

    def _folders(self) -> tuple[tuple[str, int], ...]:
        """Which folders there are, and when each changed last: quick enough to be asked at each request."""
        try:
            found = sorted(os.scandir(self.folder), key=lambda entry: entry.name)
            return tuple((entry.name, entry.stat().st_mtime_ns) for entry in found if entry.is_dir())
        except OSError:
            return ()

    def _look_through(self) -> tuple[Record, ...]:
        order = list(DEMOS)
        found = [_look(path) for path in self.folder.glob("*/*.json")]
        for one in found:
            if one.state is State.UNREADABLE:
                self._warn(one.path, one.why)
        place = {name: at for at, name in enumerate(order)}
        return tuple(sorted(found, key=lambda r: (place.get(r.demo, len(order)), r.demo, r.id)))

    def of_demo(self, name: str) -> tuple[Record, ...]:
        """Those that can be shown, newest first."""
        usable = (r for r in self.all if r.demo == name and r.head)
        return tuple(sorted((r for r in usable if r.params is not None), key=lambda r: r.at, reverse=True))

    def of_params(self, name: str, wanted: str) -> tuple[Record, ...]:
        """Those of the parameters with the hash `wanted`: of this code before older code, of a CPU before a GPU."""
        same = (r for r in self.of_demo(name) if r.params_hash == wanted)
        return tuple(sorted(same, key=lambda r: (r.state is not State.CURRENT, r.on != recorded.CPU, r.on)))

    def find(self, name: str, record_id: str) -> Record | None:
        """The record of that demo and id, where it can be shown."""
        return next((r for r in self.of_demo(name) if r.id == record_id), None)

    @property
    def stale(self) -> tuple[Record, ...]:
        """Those that do not stand for the code that is here now."""
        return tuple(r for r in self.all if r.state is not State.CURRENT)

    def missing(self) -> tuple[str, ...]:
        """The demo lines that are wanted of a CPU, and of which it has no record. Raises ValueError for a bad list."""
        have = {r.params_hash for r in self.all if r.on == recorded.CPU}
        lines = recorded.wanted(recorded.listed(self.folder), recorded.CPU)
        return tuple(line for line in lines if params_hash(*parse_line(line)) not in have)


def _look(path: Path) -> Record:
    try:
        whole = recorded.load(path)
        if whole.demo != path.parent.name:
            raise BadResult(f"It is a result of {whole.demo!r}, and stands in another demo's folder.")
        drawing.check(whole)
    except (BadResult, drawing.Undrawable) as error:
        return Record(path, State.UNREADABLE, why=str(error))
    head = replace(whole, blocks=())
    if head.demo not in DEMOS:
        return Record(path, State.UNUSED, head, why="There is no such demo.")
    entry = DEMOS[head.demo]
    try:
        params = parse(entry, head.params)
    except BadParams as error:
        return Record(path, State.UNUSED, head, why=str(error))
    known = not any(isinstance(block.data, Unknown) for block in whole.blocks)
    state = State.CURRENT if known and head.code == code_hash(entry.name) else State.OLDER
    return Record(path, state, head, params, params_hash(entry, params))
