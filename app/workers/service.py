"""The workers that are there, what waits for them, and what went wrong of late."""

from datetime import datetime

from app.accounts.learner import Learner
from app.jobs.port import Jobs
from app.jobs.registry import Registry
from app.jobs.standing import view
from app.workers.view import WorkerPage, worker_page

FAULTS = 10


def page(jobs: Jobs, registry: Registry, learner: Learner, now: datetime) -> WorkerPage:
    """All that the page shows; every worker is seen by everybody, what a run was only by its learner."""
    workers = registry.workers()
    return worker_page(view(workers), workers, jobs.waiting(), jobs.faults(FAULTS), learner, now)
