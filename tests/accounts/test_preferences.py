"""What a learner chose is theirs alone, and the latest choice holds."""

from dataclasses import replace

from sqlalchemy import insert

from app.accounts.learner import Learner, LearnerId
from app.accounts.preferences import choose, preference
from app.db import tables as t
from app.db.engine import Database
from tests.conftest import MovableClock

ANNA = Learner(LearnerId(1), "UTC", 4)


def test_what_was_never_chosen_is_nothing(db: Database) -> None:
    with db.read() as conn:
        assert preference(conn, ANNA, "speech") == ""


def test_the_latest_choice_holds_and_touches_no_other(db: Database) -> None:
    for name, value in (("speech", "embedded"), ("judge", "box"), ("speech", "none")):
        with db.write() as conn:
            choose(conn, ANNA, name, value)
    with db.read() as conn:
        assert (preference(conn, ANNA, "speech"), preference(conn, ANNA, "judge")) == ("none", "box")


def test_a_choice_is_its_learners_own(db: Database, clock: MovableClock) -> None:
    ben = replace(ANNA, id=LearnerId(2))
    with db.write() as conn:
        conn.execute(insert(t.learner).values(id=2, name="ben", zone="UTC", rollover=4, created_at=clock()))
        choose(conn, ben, "judge", "box")
    with db.read() as conn:
        assert preference(conn, ANNA, "judge") == ""
        assert preference(conn, ben, "judge") == "box"
