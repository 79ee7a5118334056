"""What the settings page is drawn from. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from app.accounts.learner import Learner
from app.choices.chosen import HOURS, Chosen
from app.drill.judge.asking import Asked
from app.drill.judge.chat import LIMIT_S, Judge
from app.jobs.standing import Worker
from app.setting_rules import Endpoint
from app.settings import Settings


@dataclass(frozen=True, slots=True)
class Option:
    """One of several that may be chosen; `words` say what it means."""

    value: str
    label: str
    words: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Fact:
    """What the server is set to, and by which setting."""

    name: str
    value: str
    setting: str


@dataclass(frozen=True, slots=True)
class TestView:
    """A test that is offered, waited for, or has ended: with `said`, or with a `problem`.

    `where` says whither the sound goes; `news` is what a screen reader hears when it has ended.
    """

    waiting: str
    said: tuple[str, ...]
    problem: str
    offered: bool = False
    where: str = ""

    @property
    def news(self) -> str:
        return self.problem or " ".join(self.said)


@dataclass(frozen=True, slots=True)
class Sounds:
    """What takes' sound takes on the disk, and how long it is kept."""

    used: str
    kept: str
    any: bool


@dataclass(frozen=True, slots=True)
class SettingsView:
    said: str
    zone: str
    now: str
    hours: tuple[tuple[str, str], ...]
    hour: str
    limits: tuple[Fact, ...]
    speech: tuple[Option, ...]
    speech_gone: str
    heard_by: str
    judges: tuple[Option, ...]
    judge_gone: str
    sounds: Sounds


def settings_view(
    settings: Settings,
    learner: Learner,
    chosen: Chosen,
    *,
    now: datetime,
    said: str,
    workers: Sequence[Worker],
    judges: Sequence[Judge],
    used: tuple[int, int],
) -> SettingsView:
    """`used`: how many recordings there are, and their bytes."""
    return SettingsView(
        said=_said(said, learner),
        zone=learner.zone,
        now=_now(learner, now),
        hours=(("", f"{settings.rollover}:00, as this server has it"), *((str(h), f"{h}:00") for h in HOURS)),
        hour=str(learner.rollover) if chosen.own_rollover else "",
        limits=_limits(settings),
        speech=_speech(settings.speech_endpoints, chosen.speech),
        speech_gone=_speech_gone(settings, chosen.speech),
        heard_by=_heard_by(workers),
        judges=_judges(judges, chosen.judge),
        judge_gone=_judge_gone(settings, chosen.judge),
        sounds=_sounds(settings, *used),
    )


def judge_test(judge: Judge | None, asked: Asked | None) -> TestView:
    """How a test stands; what another judge than the chosen one made of it is not shown."""
    waiting = f"Waiting for {asked.whom}, at most {LIMIT_S:g} seconds." if asked and asked.open else ""
    of_it = asked if judge and asked and asked.whom == judge.where else None
    return TestView(
        offered=judge is not None,
        waiting=waiting,
        said=(f"{of_it.whom}: {of_it.said}",) if of_it and of_it.said else (),
        problem=of_it.problem if of_it else "",
    )


_SAID = {
    "speech": "Kept: how takes are written down from now on.",
    "judge": "Kept: whom takes may be sent to for a comment.",
    "sounds": "The sound of all takes is deleted. Their texts, ticks and ratings are kept.",
}


def _said(what: str, learner: Learner) -> str:
    """What a change that has just been made has come to."""
    if what == "zone":
        return f"Your time zone is {learner.zone} now. Answers keep the day on which they were given."
    if what == "rollover":
        return f"Your study days begin at {learner.rollover}:00 now. Answers keep the day on which they were given."
    return _SAID.get(what, "")


def _now(learner: Learner, now: datetime) -> str:
    local, day = now.astimezone(ZoneInfo(learner.zone)), learner.day(now)
    return f"It is {local:%H:%M} there, and your study day is {day:%A}, {day.day} {day:%B}."


def _limits(settings: Settings) -> tuple[Fact, ...]:
    def fact(name: str, value: str, field: str) -> Fact:
        return Fact(name, value, f"ALOUD_{field.upper()}")

    return (
        fact("New cards a day", f"{settings.new_per_day}", "new_per_day"),
        fact("Reviews a day", f"{settings.reviews_per_day}", "reviews_per_day"),
        fact("Recall aimed at", f"{settings.retention:.0%}".replace("%", " %"), "retention"),
        fact("Longest interval", f"{settings.maximum_interval:,} days", "maximum_interval"),
        fact("Steps of a new card", _steps(settings.learning_steps), "learning_steps"),
        fact("Steps after a lapse", _steps(settings.relearning_steps), "relearning_steps"),
        fact("Get ready to speak", f"{settings.ready_s:g} s", "ready_s"),
    )


def _steps(minutes: Sequence[float]) -> str:
    return f"{', '.join(f'{m:g}' for m in minutes)} min" if minutes else "none"


def _speech(endpoints: Sequence[Endpoint], chosen: str) -> tuple[Option, ...]:
    known = chosen or "auto"
    here = "The sound goes to no other service."
    options = [
        ("auto", "A worker of this server, where one can", f"{here} Where none can, takes have no text."),
        ("embedded", "A worker of this server, whenever one comes", f"{here} Recordings wait for it."),
        *(
            (f"endpoint:{one.name}", one.name, f"The sound goes to {one.url}, to the model {one.model}.")
            for one in endpoints
        ),
        ("none", "Nobody", "Takes can still be recorded and played back."),
    ]
    return tuple(Option(value, label, words, value == known) for value, label, words in options)


def _speech_gone(settings: Settings, chosen: str) -> str:
    """That what the learner chose can no longer be had, or ""."""
    name = chosen.removeprefix("endpoint:")
    if name == chosen or settings.speech_endpoint(name):
        return ""
    return f"You chose {name}, which this server no longer allows: nobody writes takes down until you choose another."


def _judge_gone(settings: Settings, chosen: str) -> str:
    if not chosen or settings.judge(chosen):
        return ""
    then = " until you choose another" if settings.judges else ""
    return f"You chose {chosen}, which this server no longer allows: nobody is asked{then}."


def _heard_by(workers: Sequence[Worker]) -> str:
    """Which worker hears, with which model."""
    hearing = [(w.name, lane.device) for w in workers for lane in w.lanes if lane.hears]
    if not hearing:
        return ""
    return "; ".join(f"{name} hears with {model or 'a model of its own'}" for name, model in hearing) + "."


def _judges(judges: Sequence[Judge], chosen: str) -> tuple[Option, ...]:
    off = chosen not in {judge.name for judge in judges}
    return (
        Option("", "Nobody", "No take is sent anywhere.", off),
        *(Option(j.name, j.name, f"The model {j.model}, at {j.url}.", j.name == chosen) for j in judges),
    )


def _sounds(settings: Settings, count: int, size: int) -> Sounds:
    recordings = "1 recording" if count == 1 else f"{count} recordings"
    days = f"{settings.keep_audio_days} days" if settings.keep_audio_days else ""
    room = f"{settings.keep_audio_mb} MB" if settings.keep_audio_mb else ""
    limits = " and ".join(filter(None, (f"for {days}" if days else "", f"up to {room}" if room else "")))
    return Sounds(
        used=f"{recordings}, {megabytes(size)}" if count else "No sound is kept.",
        kept=f"This server keeps sound {limits}; the oldest goes first."
        if limits
        else "It is kept until you delete it.",
        any=count > 0,
    )


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"
