"""What only the SQLite adapter knows: results kept beside the jobs, and forgotten in time."""

from datetime import timedelta

from sqlalchemy import select, update

from app.db.tables import job as job_table
from app.db.tables import result
from app.jobs.port import Output
from app.jobs.states import Outcome


def finish(jobs, order) -> str:
    job = jobs.submit(order())
    claim = jobs.claim("w", ["demo"])
    output = Output('{"schema":1}', "CPU", "newer code", claim.payload)
    jobs.finish(job, "w", claim.attempt, Outcome.DONE, "", output)
    return job


def test_a_result_is_kept_with_the_hash_of_the_code_that_ran(jobs, order, folder_db):
    job = finish(jobs, order)
    with folder_db.read() as conn:
        kept = conn.execute(select(result)).one()
        code = conn.scalar(select(job_table.c.code_hash))
    assert (kept.job_id, kept.body, kept.device, kept.origin) == (job, '{"schema":1}', "CPU", "live")
    assert code == "newer code"


def test_old_results_go_unless_they_are_pinned(jobs, order, folder_db, clock):
    pinned, loose = finish(jobs, order), finish(jobs, order)
    with folder_db.write() as conn:
        conn.execute(update(result).where(result.c.job_id == pinned).values(pinned=True))
    clock.advance(days=91)
    fresh = finish(jobs, order)
    assert jobs.forget_results(clock() - timedelta(days=90)) == 1
    with folder_db.read() as conn:
        assert set(conn.scalars(select(result.c.job_id))) == {pinned, fresh}
    assert loose not in {pinned, fresh}
