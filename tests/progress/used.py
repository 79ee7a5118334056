"""A data folder of somebody who has studied for a while, made by the service in fast motion."""

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection

from app.accounts import store as learners
from app.accounts.learner import Learner, Preferences
from app.db.engine import Database
from app.db.migrate import upgrade
from app.library.sync import sync
from app.settings import Settings
from app.study import service
from app.study.results import Showing

A_DAY = 14  # answers at most


def use(folder: Path, days: int, seed: int = 1) -> None:
    """Study about four days of five up to now, and recall about nine cards of ten."""
    settings = Settings(data=folder, zone="UTC")
    upgrade(settings.database)
    db, draw = Database(settings.database), random.Random(seed)
    now = datetime.now(UTC)
    with db.write() as conn:
        learners.ensure_first(conn, rollover=4, now=now)
    sync(settings, db, now)
    me = Learner(learners.FIRST, "UTC", 4, Preferences(new_per_day=4))
    for day in range(days, -1, -1):
        if draw.random() < 0.8:
            with db.write() as conn:
                sitting(conn, me, now - timedelta(days=day, minutes=30), draw)
    db.close()


def sitting(conn: Connection, me: Learner, now: datetime, draw: random.Random) -> None:
    for turn in range(draw.randint(3, A_DAY)):
        shown = service.next_card(conn, me, now)
        if not isinstance(shown, Showing):
            break
        grade = draw.choices([1, 2, 3, 4], [10, 10, 60, 20])[0]
        service.answer(
            conn,
            me,
            now,
            card_id=shown.card.id,
            revision=shown.card.revision,
            grade=grade,
            ms=draw.randint(3000, 70_000),
            idem=f"{now}-{turn}",
        )
        now += timedelta(minutes=1)
