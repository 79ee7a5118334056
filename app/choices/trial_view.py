"""How a trial of speech to text is told."""

from app.choices.trial import Trial
from app.choices.view import TestView
from app.jobs.states import State


def trial_view(trial: Trial | None) -> TestView:
    """The offer of a trial, with what the newest one has come to."""
    if trial is None:
        return TestView(offered=True, waiting="", said=(), problem="")
    job = trial.job
    if job.state is State.QUEUED:
        before = f"{job.place} before it" if job.place else "it is next"
        return TestView(
            offered=True, waiting=f"Waiting for a worker that hears: {before}.", said=(), problem=""
        )
    if job.state is State.RUNNING:
        words = "It is being cancelled." if job.cancel else job.message or "A worker hears it."
        return TestView(offered=True, waiting=words, said=(), problem="")
    if job.state is State.DONE:
        return TestView(offered=True, waiting="", said=_heard(trial), problem="")
    problem = "" if job.state is State.CANCELLED else job.message
    return TestView(offered=True, waiting="", said=(), problem=problem)


def _heard(trial: Trial) -> tuple[str, ...]:
    if trial.heard is None:
        return ()  # forgotten by now
    what = (
        f"Heard: “{trial.heard}”"
        if trial.heard
        else "No speech heard. Is the microphone muted, or another one chosen?"
    )
    took = f"{trial.seconds:.1f} s" if trial.seconds is not None else ""
    return what, f"With {trial.model}{f', in {took}' if took else ''}. The sound is deleted."
