"""Have a recording heard, from a handler that has no transaction open: the queue has its own."""

from app.accounts.learner import Learner
from app.drill.hearing import service as hearing
from app.drill.recording import service as recordings
from app.drill.recording.sound import RecordingId, about_s
from app.jobs.service import jobs
from app.web.parts import Parts


def have_heard(its: Parts, learner: Learner, recording_id: RecordingId) -> None:
    """Order it, unless nobody would hear it or an order is open. Whoever asks twice gets one hearing."""
    with its.db.read() as conn:
        ears = hearing.ears(conn, learner, its.settings, hears=its.workers.view().hears)
        before = hearing.of(conn, learner, recording_id)
        recording = recordings.by_id(conn, learner, recording_id)
    if not ears.provider or (before and before.open):
        return
    after = before.job_id if before else ""
    length_s = about_s(recording, recordings.files(its.settings).size(recording))
    job_id = hearing.order(jobs(its), its.settings, learner, recording_id, ears.provider, after, length_s)
    with its.db.write() as conn:
        hearing.expect(conn, recording_id, job_id)


def leave(its: Parts, learner: Learner, recording_id: RecordingId) -> None:
    """Let nobody hear it; the recording stays. What has been heard stays, too."""
    with its.db.read() as conn:
        found = hearing.of(conn, learner, recording_id)
    if found and found.open:
        jobs(its).cancel(found.job_id, learner.id)


def withdraw(its: Parts, learner: Learner) -> None:
    """Keep sound back that waits for an endpoint which the learner has just left for another way."""
    with its.db.read() as conn:
        jobs_left = hearing.withdrawn(conn, learner)
    for job_id in jobs_left:
        jobs(its).cancel(job_id, learner.id)
