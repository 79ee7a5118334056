"""A learner's sitting: the study room's service on a real database file, with a clock that moves when told."""

from sqlalchemy import func, select

from app.accounts.learner import Learner
from app.db import tables as t
from app.db.engine import Database
from app.study import service
from app.study.queue import Counts
from app.study.results import Answered, Done, Showing
from tests.conftest import MovableClock


class Room:
    """A learner at the study room's service."""

    def __init__(self, db: Database, learner: Learner, clock: MovableClock) -> None:
        self.db, self.learner, self.clock = db, learner, clock
        self.keys = 0

    def next(self) -> Showing | Done:
        with self.db.read() as conn:
            return service.next_card(conn, self.learner, self.clock())

    def shown(self) -> Showing:
        found = self.next()
        assert isinstance(found, Showing)
        return found

    def counts(self) -> Counts:
        with self.db.read() as conn:
            return service.counts(conn, self.learner, self.clock())

    def answer(
        self, grade: int, showing: Showing | None = None, ms: int | None = 4000, idem: str = ""
    ) -> Answered:
        showing = showing or self.shown()
        self.keys += 1
        with self.db.write() as conn:
            return service.answer(
                conn,
                self.learner,
                self.clock(),
                card_id=showing.card.id,
                revision=showing.card.revision,
                grade=grade,
                ms=ms,
                idem=idem or f"key-{self.keys}",
            )

    def undo(self, event: int) -> service.Undone:
        with self.db.write() as conn:
            return service.undo(conn, self.learner, self.clock(), event)

    def rows(self) -> tuple[int, int]:
        with self.db.read() as conn:
            events = conn.scalar(select(func.count()).select_from(t.event)) or 0
            return events, conn.scalar(select(func.count()).select_from(t.undo)) or 0

    def replayed(self) -> None:
        with self.db.read() as conn:
            assert service.replay(conn) == ()
