"""Which workers have given a sign of late. Kept in memory: after a restart they announce themselves anew."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from threading import Lock

from app.clock import Clock
from app.jobs.standing import Device, Lane, Worker, WorkerState, WorkerView, view

log = logging.getLogger("aloud")

MOST_OF_A_TOKEN = 16  # workers; more are a mistake, and must neither fill the memory nor keep others out


class Registry:
    """A worker that has given no sign for `ttl_s` seconds is forgotten.

    Worker and token together name a worker, so that nobody takes leave for the holder of another token.
    """

    def __init__(self, clock: Clock, ttl_s: float) -> None:
        self.ttl_s = ttl_s
        self._clock = clock
        self._signs: dict[tuple[str, str], tuple[Worker, datetime]] = {}
        self._crowded: set[str] = set()  # tokens of which the log says that they have too many workers
        self._lock = Lock()

    def announce(
        self,
        name: str,
        state: WorkerState,
        words: str,
        devices: Sequence[Device],
        *,
        token: str = "",
        lanes: Sequence[Lane] = (),
        since: datetime | None = None,
    ) -> None:
        """Note what a worker says of itself; `absent` takes its leave.

        Of one token MOST_OF_A_TOKEN workers are noted. Another one may serve, but pages do not know of it.
        """
        now, key = self._clock(), (token, name)
        worker = Worker(name, state, since or now, token, words, tuple(devices), tuple(lanes))
        with self._lock:
            self._signs = {known: sign for known, sign in self._signs.items() if sign[1] >= now}
            if state is WorkerState.ABSENT:
                self._signs.pop(key, None)
            elif key in self._signs or self._has_room(token, name):
                self._signs[key] = worker, now + timedelta(seconds=self.ttl_s)

    def _has_room(self, token: str, name: str) -> bool:
        """Whether another worker of the token can be noted; said in the log once until there is room again."""
        if sum(of == token for of, _ in self._signs) < MOST_OF_A_TOKEN:
            self._crowded.discard(token)
            return True
        if token not in self._crowded:
            whose = f'the token "{token}"' if token else "this server's own token"
            log.warning(
                "The pages leave out the worker %r: %d workers are here with %s, as many as may be.",
                name,
                MOST_OF_A_TOKEN,
                whose,
            )
        self._crowded.add(token)
        return False

    def dismiss(self, token: str) -> None:
        """Forget the workers of a token that was revoked."""
        with self._lock:
            self._signs = {known: sign for known, sign in self._signs.items() if known[0] != token}

    def workers(self) -> list[Worker]:
        """Every worker that is there, in the order of their names."""
        now = self._clock()
        with self._lock:
            there = [worker for worker, until in self._signs.values() if until >= now]
        return sorted(there, key=lambda worker: (worker.name, worker.token))

    def view(self) -> WorkerView:
        """The best that can be said: one ready worker is enough."""
        return view(self.workers())
