"""A learner's sitting: the study room's service on a real database file, with a clock that moves when told."""

from typing import Any

from sqlalchemy import func, select

from app.accounts.learner import Learner
from app.db import tables as t
from app.db.engine import Database
from app.study import changes, service
from app.study.chosen import ALL, Chosen
from app.study.queue import Counts
from app.study.results import Answered, Done, Marked, Showing, Undone
from tests.conftest import MovableClock


class Room:
    """A learner at the study room's service."""

    def __init__(self, db: Database, learner: Learner, clock: MovableClock) -> None:
        self.db, self.learner, self.clock = db, learner, clock
        self.keys = 0

    def next(self, chosen: Chosen = ALL) -> Showing | Done:
        with self.db.read() as conn:
            return service.next_card(conn, self.learner, self.clock(), chosen)

    def shown(self, chosen: Chosen = ALL) -> Showing:
        found = self.next(chosen)
        assert isinstance(found, Showing)
        return found

    def counts(self, chosen: Chosen = ALL) -> Counts:
        with self.db.read() as conn:
            return service.counts(conn, self.learner, self.clock(), chosen)

    def answer(
        self,
        grade: int,
        showing: Showing | None = None,
        ms: int | None = 4000,
        idem: str = "",
        cram: bool = False,
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
                cram=cram,
            )

    def mark(self, card_id: str, **marks: Any) -> Marked:
        with self.db.write() as conn:
            return changes.mark(conn, self.learner, self.clock(), card_id, **marks)

    def undo(self, event: int) -> Undone:
        with self.db.write() as conn:
            return changes.undo(conn, self.learner, self.clock(), event)

    def redo(self, event: int) -> Undone:
        with self.db.write() as conn:
            return changes.redo(conn, self.learner, self.clock(), event)

    def undo_newest(self) -> Undone:
        """Press undo."""
        event = self.next().undoable
        assert event is not None
        return self.undo(event)

    def redo_newest(self) -> Undone:
        """Press redo."""
        event = self.next().redoable
        assert event is not None
        return self.redo(event)

    def rows(self) -> tuple[int, int]:
        with self.db.read() as conn:
            events = conn.scalar(select(func.count()).select_from(t.event)) or 0
            return events, conn.scalar(select(func.count()).select_from(t.undo)) or 0

    def replayed(self) -> None:
        with self.db.read() as conn:
            assert service.replay(conn) == ()
