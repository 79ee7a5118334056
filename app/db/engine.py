"""One SQLite file, two engines: readers that cannot write, and one writer at a time.

    with db.write() as conn:      # BEGIN IMMEDIATE ... COMMIT, or ROLLBACK on an exception
        service.answer(conn, ...)

The process-wide lock is there because SQLite's own waiting is unfair: with it the slowest answers came fifteen
times sooner (docs/decisions/0002-one-write-one-transaction.md).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from app.settings import own_folder

BUSY_MS = 5000
MAPPED = 2**28  # bytes of the file that all connections read in place, instead of copying pages one by one
POOL = 40  # as many as the thread limiter lets handlers run at once


def make_engine(path: Path, *, writes: bool) -> Engine:
    """An engine on the file `path`. We emit BEGIN ourselves: the driver's own deferred one cannot be trusted."""
    engine = create_engine(
        f"sqlite:///{path}",
        connect_args={"isolation_level": None, "check_same_thread": False},
        pool_size=1 if writes else POOL,
        max_overflow=0,
    )

    @event.listens_for(engine, "connect")
    def _connect(raw: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
        cursor = raw.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute(f"PRAGMA mmap_size = {MAPPED}")
        if not writes:
            cursor.execute("PRAGMA query_only = 1")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(conn: Connection) -> None:
        conn.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


class Database:
    """The one database of a data folder. Only the web process writes it."""

    def __init__(self, path: Path) -> None:
        own_folder(path.parent)
        self.path = path
        self._lock = threading.Lock()
        self._writer = make_engine(path, writes=True)
        self._readers = make_engine(path, writes=False)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A read transaction: one snapshot of the database. Writing through it fails."""
        with self._readers.begin() as conn:
            yield conn

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A write transaction, alone; committed when the block ends, rolled back when it raises."""
        with self._lock, self._writer.begin() as conn:
            yield conn

    def close(self) -> None:
        self._readers.dispose()
        self._writer.dispose()
