"""The port, on every adapter there is. A new adapter joins the list of `jobs` and must pass test_port.py."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.accounts import store as learners
from app.db.engine import Database
from app.demos.outputs import RUN
from app.jobs.hub import Hub
from app.jobs.kinds import by_name
from app.jobs.port import Jobs, Order
from app.jobs.store import Limits, SqliteJobs

LEASE_S = 15.0


@pytest.fixture
def folder_db(tmp_path: Path, clock, _schema: Path) -> Iterator[Database]:
    path = tmp_path / "aloud.db"
    path.write_bytes(_schema.read_bytes())
    made = Database(path)
    with made.write() as conn:
        learners.ensure_first(conn, rollover=4, now=clock())
    yield made
    made.close()


@pytest.fixture(params=["sqlite"])
def jobs(folder_db: Database, clock) -> Jobs:
    return SqliteJobs(folder_db, clock, Hub(), Limits(queue=3, learner=4, lease_s=LEASE_S), by_name(RUN))


@pytest.fixture
def order() -> Callable[..., Order]:
    def made(name: str = "attention", *, key: str | None = None, learner=learners.FIRST, **params) -> Order:
        payload = {"demo": name, "params": params}
        return Order("demo", "demo", learner, payload, f"{name} {params}", "code", 2.0, key)

    return made
