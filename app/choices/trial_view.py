"""How a trial of speech to text is told."""

from dataclasses import replace

from app.choices.trial import Trial
from app.choices.view import TestView
from app.drill.hearing.service import Ears
from app.jobs.states import State


def trial_view(trial: Trial | None, ears: Ears) -> TestView:
    """The offer of a trial, unless nobody would hear one, with what the newest one has come to."""
    told = _told(trial) if trial is not None else TestView(waiting="", said=(), problem="")
    return replace(told, offered=bool(ears.provider), where=ears.words if ears.provider else "")


def _told(trial: Trial) -> TestView:
    job = trial.job
    if job.state is State.QUEUED:
        before = f"{job.place} before it" if job.place else "it is next"
        return TestView(waiting=f"Waiting for a worker that hears: {before}.", said=(), problem="")
    if job.state is State.RUNNING:
        words = "It is being cancelled." if job.cancel else job.message or "A worker hears it."
        return TestView(waiting=words, said=(), problem="")
    if job.state is State.DONE:
        return TestView(waiting="", said=_heard(trial), problem="")
    return TestView(waiting="", said=(), problem="" if job.state is State.CANCELLED else job.message)


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
