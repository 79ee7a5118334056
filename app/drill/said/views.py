"""What a page shows of what was said: the sound, the text, how hearing stands, the figures, the marks of the points."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.drill import shown
from app.drill.hearing.service import Ears
from app.drill.pitch import Point
from app.drill.said.prompt_copy import prompt
from app.drill.said.service import Said
from app.drill.scoring import pace
from app.drill.scoring.points import Heard, Mark
from app.drill.timing import clock_text

MARKS: dict[Mark, tuple[str, str]] = {
    "mentioned": ("Mentioned", "dot"),
    "check": ("Check this", "triangle"),
    "missed": ("Not heard", "dash"),
}
NOT_FOUND = "Not found"  # in what was typed, which nobody heard
NOTHING = "No speech was heard in this recording. Listen to it: the microphone may have been muted."


@dataclass(frozen=True, slots=True)
class Sound:
    """A recording to play; `path` is "" where it was deleted. `remark` says that it was cut off."""

    id: int
    path: str
    ms: int
    peaks: str
    remark: str


@dataclass(frozen=True, slots=True)
class PointSaid:
    """A key point with its mark, as a word and a shape, "" where there is none; `at_ms` is None without a time."""

    id: str
    html: Markup
    ticked: bool
    mark: str
    word: str
    shape: str
    snippet: str
    at_ms: int | None
    at: str
    stage: str  # a heading above it: the part of a case that begins with it


@dataclass(frozen=True, slots=True)
class SaidView:
    """`state` is quiet | typed | none | waiting | running | failed | silent | heard; `words` says it in a sentence.

    `offer` is what the button says that has it heard, "" where there is nobody to hear it: it is `unheard` then, unless
    it was heard before. `where` tells whither the sound goes, or why nobody hears. `settled` is what a screen reader is
    told when it comes, "" while it may still. `may_judge`: a judge could be chosen, and none is. `path` is the address
    below which its forms are sent: of the card in the drill, or of the question in an interview.
    """

    path: str
    state: str
    typed: bool
    sound: Sound | None
    words: str
    progress: float | None
    offer: str
    where: str
    unheard: bool
    settled: str
    text: str
    source: str
    pace: tuple[str, ...]
    prompt: str
    may_judge: bool
    points: tuple[PointSaid, ...]

    @property
    def has_text(self) -> bool:
        return self.state in ("typed", "heard")

    @property
    def open(self) -> bool:
        return self.state in ("waiting", "running")


def said_view(
    question: str,
    points: Sequence[Point],
    ticks: Collection[str],
    said: Said,
    ears: Ears,
    heard: Sequence[Heard],
    *,
    path: str,
    may_judge: bool,
) -> SaidView:
    """`heard` are the marks of the points, as they were kept or as they are now."""
    state = _state(said)
    found = said.hearing
    asks = (
        state in ("none", "failed", "silent")
        and said.recording is not None
        and said.recording.deleted_at is None
    )
    return SaidView(
        path=path,
        state=state,
        typed=said.typed,
        sound=_sound(said),
        words=_words(state, said, ears),
        progress=found.progress if found and state == "running" else None,
        offer=("Write it down" if state == "none" else "Try again") if asks and ears.provider else "",
        where=ears.words if asks else "",
        unheard=asks and not ears.provider,
        settled=_settled(state, heard),
        text=said.text,
        source=_source(said),
        pace=pace.sentences(said.pace) if said.pace else (),
        prompt=prompt(question, points, said.text, typed=said.typed) if said.text and points else "",
        may_judge=may_judge,
        points=_points(points, ticks, heard, typed=said.typed),
    )


def _state(said: Said) -> str:
    if said.typed:
        return "typed"
    if said.recording is None:
        return "quiet"
    if said.hearing is None:
        return "none"
    return "silent" if said.hearing.silent else said.hearing.state


def _sound(said: Said) -> Sound | None:
    recording, found = said.recording, said.hearing
    if recording is None:
        return None
    lost = {
        "microphone": "The microphone was lost during this take; what came before is here.",
        "page": "This take was cut off when its page was left; what came before is here.",
    }
    return Sound(
        id=recording.id,
        path="" if recording.deleted_at else f"drill/sound/{recording.id}",
        ms=found.ms if found else 0,
        peaks=f"[{','.join(map(str, found.peaks))}]" if found and found.peaks else "",
        remark=lost.get(recording.lost, ""),
    )


def _words(state: str, said: Said, ears: Ears) -> str:
    found = said.hearing
    if state == "silent":
        return NOTHING
    deleted = said.recording is not None and said.recording.deleted_at is not None
    if state == "none":
        return "" if ears.provider or deleted else ears.words
    if found is None:
        return ""
    if state == "waiting":
        many = f"{found.place} recording{'' if found.place == 1 else 's'} before it"
        return (
            f"Waiting to be written down: {many if found.place else 'next in line'}. {found.message}".strip()
        )
    if state == "running":
        return found.message or "Listening to it."
    kept = "" if deleted else " The recording is kept."
    return f"It was not written down. {found.message}{kept}" if state == "failed" else ""


def _settled(state: str, heard: Sequence[Heard]) -> str:
    if state == "heard":
        mentioned = sum(found.mark == "mentioned" for found in heard)
        points = f": {mentioned} of {len(heard)} key points mentioned" if heard else ""
        return f"The transcript is here{points}."
    return {"silent": "No speech was heard.", "failed": "It was not written down."}.get(state, "")


def _source(said: Said) -> str:
    found = said.hearing
    if said.typed or found is None or found.state != "heard":
        return ""
    edited = " Corrected by you." if found.edited is not None else ""
    return f"Written down by {found.model}; it mishears.{edited}"


def _points(
    points: Sequence[Point], ticks: Collection[str], heard: Sequence[Heard], *, typed: bool
) -> tuple[PointSaid, ...]:
    by_point = {found.point: found for found in heard}
    return tuple(
        _point(point, point.id in ticks, by_point.get(point.id), stage, typed=typed)
        for point, stage in zip(points, shown.headings(points), strict=True)
    )


def _point(point: Point, ticked: bool, heard: Heard | None, stage: str, *, typed: bool) -> PointSaid:
    word, shape = MARKS[heard.mark] if heard else ("", "")
    if typed and heard and heard.mark == "missed":
        word = NOT_FOUND
    return PointSaid(
        id=point.id,
        html=shown.html(point.html),
        ticked=ticked,
        mark=heard.mark if heard else "",
        word=word,
        shape=shape,
        snippet=heard.snippet if heard else "",
        at_ms=heard.at_ms if heard else None,
        at=clock_text(heard.at_ms) if heard and heard.at_ms is not None else "",
        stage=stage,
    )
