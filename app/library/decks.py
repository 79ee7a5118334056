"""The deck files of a running app: looked at when it starts, when somebody asks, and when one was written."""

import threading
from dataclasses import dataclass
from datetime import datetime

from app.clock import Clock
from app.db.engine import Database
from app.library.sync import Synced, sync
from app.settings import Settings


@dataclass(frozen=True)
class Look:
    """One look at the decks: when it was, and what it found."""

    at: datetime
    synced: Synced

    @property
    def told(self) -> bool:
        """Whether there is something to tell."""
        return bool(self.synced.changes.any or self.synced.errors)


class Decks:
    """What is read of the decks, and what the last look found. Looks may come from several threads at once."""

    def __init__(self, settings: Settings, db: Database, clock: Clock) -> None:
        self._settings, self._db, self._clock = settings, db, clock
        self._lock = threading.Lock()
        self._last: Look | None = None

    @property
    def last(self) -> Look | None:
        """The last look that somebody asked for, or that found something."""
        return self._last

    def look(self, *, asked: bool = True) -> Look:
        """Read what has changed on disk, and remember what that was; unless nothing was and nobody asked."""
        look = Look(self._clock(), sync(self._settings, self._db, self._clock()))
        with self._lock:
            if asked or look.told:
                self._last = look
        return look
