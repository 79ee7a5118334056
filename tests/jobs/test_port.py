"""The contract of the jobs port: what every adapter keeps, whatever carries the jobs."""

from dataclasses import replace
from datetime import timedelta

import pytest

from app.accounts.learner import LearnerId
from app.accounts.store import FIRST
from app.jobs.port import JobId, Output, Waiting
from app.jobs.states import Outcome, State
from app.web.errors import Busy, Conflict, Invalid, NotFound

OUTPUT = Output('{"schema":1}', "CPU", "newer code", {"demo": "attention", "params": {}})


def test_jobs_are_claimed_in_the_order_they_came(jobs, order):
    first, second = jobs.submit(order(n=1)), jobs.submit(order(n=2))
    assert [jobs.claim("w", ["demo"]).id, jobs.claim("w", ["demo"]).id] == [first, second]
    assert jobs.claim("w", ["demo"]) is None


def test_a_claim_carries_all_that_the_worker_needs(jobs, order):
    jobs.submit(order(n=1))
    claim = jobs.claim("w", ["demo"])
    assert (claim.kind, claim.attempt, claim.deadline_s) == ("demo", 1, 2.0)
    assert claim.payload == {"demo": "attention", "params": {"n": 1}}


def test_a_worker_takes_only_from_its_lanes(jobs, order):
    jobs.submit(order())
    assert jobs.claim("w", ["background"]) is None


def test_a_queued_job_knows_its_place(jobs, order):
    made = [jobs.submit(order(n=n)) for n in range(3)]
    assert [jobs.get(job, FIRST).place for job in made] == [0, 1, 2]
    jobs.claim("w", ["demo"])
    assert [jobs.get(job, FIRST).place for job in made] == [0, 0, 1]


def test_progress_and_its_words_are_seen(jobs, order):
    job = jobs.submit(order())
    claim = jobs.claim("w", ["demo"])
    assert jobs.heartbeat(job, "w", claim.attempt, 0.25, "masking") is False
    seen = jobs.get(job, FIRST)
    assert (seen.state, seen.progress, seen.message) == (State.RUNNING, 0.25, "masking")


def test_a_finished_job_stays_finished_and_a_repeat_changes_nothing(jobs, order):
    job = jobs.submit(order())
    claim = jobs.claim("w", ["demo"])
    assert jobs.finish(job, "w", claim.attempt, Outcome.DONE, "", OUTPUT) is State.DONE
    assert jobs.finish(job, "w", claim.attempt, Outcome.DONE, "", OUTPUT) is State.DONE
    assert jobs.finish(job, "w", claim.attempt, Outcome.FAILED, "late", None) is State.DONE
    assert jobs.cancel(job, FIRST) is State.DONE


def test_the_output_of_another_payload_is_no_result(jobs, order):
    job = jobs.submit(order(n=1))
    claim = jobs.claim("w", ["demo"])
    assert jobs.finish(job, "w", claim.attempt, Outcome.DONE, "", OUTPUT) is State.FAILED
    assert "answers another run" in jobs.get(job, FIRST).message


def test_a_lost_lease_is_given_back_once_and_then_given_up(jobs, order, clock):
    job = jobs.submit(order())
    for state in (State.QUEUED, State.FAILED):
        jobs.claim("w", ["demo"])
        assert jobs.sweep() == 0
        clock.advance(seconds=16)
        assert jobs.sweep() == 1
        assert jobs.get(job, FIRST).state is state
    assert jobs.claim("w", ["demo"]) is None
    assert "second time" in jobs.get(job, FIRST).message


def test_a_heartbeat_keeps_the_lease(jobs, order, clock):
    job = jobs.submit(order())
    claim = jobs.claim("w", ["demo"])
    clock.advance(seconds=10)
    jobs.heartbeat(job, "w", claim.attempt, 0.1, "")
    clock.advance(seconds=6)
    assert jobs.sweep() == 0


def test_who_lost_the_lease_can_neither_renew_nor_finish(jobs, order, clock):
    job = jobs.submit(order())
    old = jobs.claim("w", ["demo"])
    clock.advance(seconds=16)
    jobs.sweep()
    new = jobs.claim("w", ["demo"])
    assert new.attempt == old.attempt + 1
    with pytest.raises(Conflict):
        jobs.heartbeat(job, "w", old.attempt, 0.5, "")
    with pytest.raises(Conflict):
        jobs.finish(job, "w", old.attempt, Outcome.DONE, "", OUTPUT)
    with pytest.raises(Conflict):
        jobs.finish(job, "another", new.attempt, Outcome.DONE, "", OUTPUT)
    assert jobs.finish(job, "w", new.attempt, Outcome.DONE, "", OUTPUT) is State.DONE


def test_a_worker_that_breathes_but_lets_the_deadline_pass_is_overruled(jobs, order, clock):
    job = jobs.submit(order())
    claim = jobs.claim("w", ["demo"])
    for _ in range(2):
        clock.advance(seconds=9)
        jobs.heartbeat(job, "w", claim.attempt, 0.1, "")
    assert jobs.sweep() == 1
    assert jobs.get(job, FIRST).state is State.TIMED_OUT


def test_a_stopped_worker_gives_its_job_back_to_the_head_of_the_queue(jobs, order):
    job, other = jobs.submit(order(n=1)), jobs.submit(order(n=2))
    claim = jobs.claim("w", ["demo"])
    assert jobs.finish(job, "w", claim.attempt, Outcome.STOPPED, "", None) is State.QUEUED
    assert jobs.get(other, FIRST).place == 1
    assert jobs.claim("v", ["demo"]).id == job


def test_what_the_workers_of_a_name_hold_is_given_back_and_counts_as_no_loss(jobs, order):
    his, mine = jobs.submit(order(n=1)), jobs.submit(order(n=2))
    old = jobs.claim("gpu_box/w", ["demo"])
    jobs.claim("gpu-box/w", ["demo"])
    assert jobs.give_back("gpu_box/", "It was sent away.") == 1
    assert jobs.give_back("gpu_box/", "It was sent away.") == 0
    assert (jobs.get(his, FIRST).state, jobs.get(his, FIRST).message) == (State.QUEUED, "It was sent away.")
    assert jobs.get(mine, FIRST).state is State.RUNNING
    assert jobs.faults(5) == []
    with pytest.raises(Conflict):
        jobs.finish(his, "gpu_box/w", old.attempt, Outcome.DONE, "", OUTPUT)


def test_cancel_ends_a_waiting_job_and_asks_a_running_one(jobs, order):
    running, waiting = jobs.submit(order(n=1)), jobs.submit(order(n=2))
    claim = jobs.claim("w", ["demo"])
    assert jobs.cancel(waiting, FIRST) is State.CANCELLED
    assert jobs.cancel(running, FIRST) is State.RUNNING
    assert jobs.heartbeat(running, "w", claim.attempt, 0.1, "") is True
    assert jobs.finish(running, "w", claim.attempt, Outcome.CANCELLED, "", None) is State.CANCELLED
    assert jobs.claim("w", ["demo"]) is None


def test_a_cancelled_job_whose_worker_died_is_not_run_again(jobs, order, clock):
    job = jobs.submit(order())
    jobs.claim("w", ["demo"])
    jobs.cancel(job, FIRST)
    clock.advance(seconds=16)
    jobs.sweep()
    assert jobs.get(job, FIRST).state is State.CANCELLED


def test_the_same_key_is_the_same_job(jobs, order):
    assert jobs.submit(order(key="k", n=1)) == jobs.submit(order(key="k", n=1))
    with pytest.raises(Conflict, match="other parameters"):
        jobs.submit(order(key="k", n=2))
    assert jobs.submit(order(n=1)) != jobs.submit(order(n=1))


def test_a_full_queue_says_when_to_come_back(jobs, order):
    for n in range(3):
        jobs.submit(order(n=n, key=str(n)))
    with pytest.raises(Busy) as refused:
        jobs.submit(order())
    assert int(refused.value.headers["Retry-After"]) > 0
    assert jobs.submit(order(n=1, key="1"))  # a repeat is no new job
    jobs.claim("w", ["demo"])
    assert jobs.submit(order())


def test_one_learner_cannot_fill_the_workers(jobs, order):
    for n in range(4):
        jobs.submit(order(n=n))
        jobs.claim("w", ["demo"])
    with pytest.raises(Busy, match="You have 4 runs open"):
        jobs.submit(order())


def test_another_learner_sees_and_cancels_nothing(jobs, order):
    job = jobs.submit(order())
    for act in (jobs.get, jobs.cancel):
        with pytest.raises(NotFound):
            act(job, LearnerId(2))
        with pytest.raises(NotFound):
            act(JobId("nothing"), FIRST)


def test_a_repeat_gives_the_same_job_though_nobody_would_take_it_now(jobs, order):
    first = jobs.submit(order(key="k"))
    assert jobs.submit(replace(order(key="k"), refusal="No worker here does that.")) == first
    with pytest.raises(Invalid, match="No worker here"):
        jobs.submit(replace(order(key="new"), refusal="No worker here does that."))


def test_what_waits_is_told_by_lanes_with_the_time_of_the_first(jobs, order, clock):
    assert jobs.waiting() == []
    began = clock()
    for n, lane in enumerate(("gpu", "demo", "demo")):
        jobs.submit(replace(order(n=n), lane=lane))
        clock.advance(seconds=1)
    jobs.claim("w", ["gpu"])
    assert jobs.waiting() == [Waiting("demo", 2, began + timedelta(seconds=1))]


def test_faults_are_told_newest_first_and_good_ends_are_none(jobs, order, clock):
    def run(*outcomes: Outcome) -> JobId:
        job = jobs.submit(order())
        for outcome in outcomes:
            clock.advance(seconds=1)
            attempt = jobs.claim("w", ["demo"]).attempt
            jobs.finish(job, "w", attempt, outcome, "", OUTPUT if outcome is Outcome.DONE else None)
        return job

    failed = run(Outcome.FAILED)
    run(Outcome.STOPPED, Outcome.CANCELLED)
    late = run(Outcome.TIMED_OUT)
    lost = run(Outcome.DIED, Outcome.CANCELLED)
    told = jobs.faults(10)
    assert [(fault.job, fault.state, fault.losses) for fault in told] == [
        (lost, State.CANCELLED, 1),
        (late, State.TIMED_OUT, 0),
        (failed, State.FAILED, 0),
    ]
    assert (told[0].at, told[0].learner, told[0].payload["demo"]) == (clock(), FIRST, "attention")
    assert [fault.job for fault in jobs.faults(1)] == [lost]


def test_a_job_that_only_some_lanes_serve_waits_for_them(jobs, order):
    job = jobs.submit(replace(order(), lane="gpu"))
    assert jobs.get(job, FIRST).lane == "gpu"
    assert jobs.claim("w", ["demo"]) is None
    assert jobs.claim("w", ["gpu", "demo"]).id == job


def test_what_cannot_be_asked_for_later_is_queued_however_much_waits(jobs, order):
    for n in range(3):
        jobs.submit(order(n=n))
    with pytest.raises(Busy):
        jobs.submit(order(n=4))
    assert jobs.get(jobs.submit(replace(order(n=4), always=True)), FIRST).state is State.QUEUED


def test_the_jobs_of_one_kind_keep_nobody_from_asking_for_another(jobs, order):
    for n in range(4):
        jobs.submit(replace(order(n=n), kind="speech", lane="speech", always=True))
    assert jobs.get(jobs.submit(order()), FIRST).place == 0


def test_what_a_job_is_about_is_told_to_the_holder_of_its_lease_alone(jobs, order):
    job = jobs.submit(order(n=1))
    with pytest.raises(Conflict):
        jobs.held(job, "w", 1)
    claim = jobs.claim("w", ["demo"])
    held = jobs.held(job, "w", claim.attempt)
    assert (held.id, held.learner, held.kind, held.payload) == (job, FIRST, "demo", claim.payload)
    for other in (("v", claim.attempt), ("w", claim.attempt + 1)):
        with pytest.raises(Conflict):
            jobs.held(job, *other)
    jobs.finish(job, "w", claim.attempt, Outcome.CANCELLED, "", None)
    with pytest.raises(Conflict):
        jobs.held(job, "w", claim.attempt)


def test_a_job_tells_its_kind(jobs, order):
    assert jobs.kind(jobs.submit(order())) == "demo"
    with pytest.raises(Conflict):
        jobs.kind(JobId("none"))
