"""What a page of a demo looks up is found by an index: jobs are never deleted, so a scan grows with the years."""

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Connection, event

from app.accounts.store import FIRST
from app.demos import store

LOOKS: dict[str, Callable[[Connection], object]] = {
    "a run's result": lambda conn: store.of_run(conn, FIRST, "run"),
    "the newest of these parameters": lambda conn: store.latest(conn, FIRST, "params", "code"),
    "the newest of a demo": lambda conn: store.of_demo(conn, FIRST, "flash", 20),
    "open runs": lambda conn: store.open_runs(conn, FIRST),
    "an open run of these parameters": lambda conn: store.open_runs(conn, FIRST, "params"),
}
UNIQUE = "USING INDEX sqlite_autoindex_job_1 (id=?)"
SORTS = {"open runs", "an open run of these parameters"}  # a few, as many as a learner may have open


@pytest.fixture
def plan(db) -> Iterator[Callable[[Callable[[Connection], object]], list[str]]]:
    """How SQLite goes about what is asked of it."""
    asked: list[tuple[str, tuple[object, ...]]] = []

    def note(conn, cursor, statement, parameters, context, many) -> None:
        asked.append((statement, parameters))

    with db.read() as conn:

        def explained(look: Callable[[Connection], object]) -> list[str]:
            event.listen(conn, "before_cursor_execute", note)
            look(conn)
            event.remove(conn, "before_cursor_execute", note)
            ((statement, parameters),) = asked
            return [row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]

        yield explained


@pytest.mark.parametrize("name", LOOKS)
def test_it_searches_by_an_index_that_leads_to_few_rows(name, plan):
    steps = plan(LOOKS[name])
    (jobs,) = [step for step in steps if step.startswith("SEARCH job ")]
    found_by = ("learner_id=? AND demo=?", "learner_id=? AND params_hash=?", "learner_id=? AND state=?")
    assert UNIQUE in jobs or any(f"({columns})" in jobs for columns in found_by)
    assert not [step for step in steps if "SCAN" in step]
    assert ("USE TEMP B-TREE FOR ORDER BY" in steps) == (name in SORTS)
