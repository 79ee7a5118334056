"""What the report of a mock interview is drawn from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.accounts.learner import Learner
from app.drill import shown
from app.drill import words as drill_words
from app.drill.hearing.service import Ears
from app.drill.pitch import Point
from app.drill.scoring.pace import Pace, speed_word
from app.drill.shown import Figure
from app.drill.timing import clock_text
from app.mock import course, report
from app.mock.interview import Interview
from app.mock.report import Line


@dataclass(frozen=True, slots=True)
class Sound:
    """What was recorded of an answer: its address, its length, and the address at which it can be deleted."""

    path: str
    ms: int
    delete_path: str


@dataclass(frozen=True, slots=True)
class PointView:
    """A key point, and the stage of the case that it belongs to, or ""."""

    html: Markup
    stage: str


@dataclass(frozen=True, slots=True)
class LineView:
    """A question of the report; `rate_path` is where what was skipped after it was said can be rated, or ""."""

    position: int
    words: str
    level: str
    follows: bool
    outcome: str
    figures: tuple[Figure, ...]
    said: tuple[PointView, ...]
    missed: tuple[PointView, ...]
    text: str
    typed: bool
    fate: str
    rate_path: str
    sound: Sound | None
    path: str
    link: str


@dataclass(frozen=True, slots=True)
class AgainView:
    """A card to look at again, and where it stands."""

    path: str
    words: str
    standing: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """`voice` are the figures of all recorded answers. `hear` is the button that has the rest of them written down, ""
    where there is nobody to do it; `hear_words` says where the sound goes then, or why nobody does. `call` is the
    button that puts `again` into today's queue, "" where nothing would move. `open`: it can be gone on with.
    """

    interview: int
    title: str
    lead: str
    at: str
    lines: tuple[LineView, ...]
    voice: tuple[str, ...]
    hear: str
    hear_words: str
    again: tuple[AgainView, ...]
    call: str
    called: str
    open: bool


def report_view(
    interview: Interview,
    lines: Sequence[Line],
    standings: Mapping[str, str],
    *,
    called: str,
    titles: Mapping[str, str],
    learner: Learner,
    callable_cards: frozenset[str],
    ears: Ears,
) -> ReportView:
    again = report.to_review(lines)
    unheard = sum(line.unheard for line in lines)
    by_id = {line.turn.card_id: line for line in lines}
    return ReportView(
        interview=interview.id,
        title=title(interview, titles),
        lead=f"{_marks(lines)}. {_time(lines, interview.wish.minutes)}{_spent(interview, lines)}",
        at=drill_words.day_text(learner.day(interview.started_at)),
        lines=tuple(
            _line(line, f"mock/{interview.id}", typed=interview.wish.mode == "typed") for line in lines
        ),
        voice=report.voice(lines),
        hear=f"Have {'it' if unheard == 1 else 'them'} written down" if unheard and ears.provider else "",
        hear_words=ears.words if unheard else "",
        again=tuple(AgainView(_card_path(by_id[c]), by_id[c].words, standings[c]) for c in again),
        call=f"Put {'it' if len(again) == 1 else 'them'} into today's queue" if callable_cards else "",
        called=called,
        open=interview.ended_at is None,
    )


def called_words(called: int | None) -> str:
    """What the click has done that put cards into today's queue; "" where there was none."""
    if called is None:
        return ""
    if not called:
        return "They are in today's queue already; suspended cards stay out of it."
    return f"{called} card{' is' if called == 1 else 's are'} in today's queue now."


def title(interview: Interview, titles: Mapping[str, str]) -> str:
    wish = interview.wish
    chosen = [titles.get(name, name) for name in wish.decks]
    topics = "all topics" if not chosen else chosen[0] if len(chosen) == 1 else f"{len(chosen)} topics"
    return f"{wish.level}, {wish.minutes} minutes, {wish.mode}: {topics}"


def _marks(lines: Sequence[Line]) -> str:
    words = report.marks([line.turn for line in lines])
    return words[:1].upper() + words[1:]


def _time(lines: Sequence[Line], minutes: int) -> str:
    used = course.spent_s([line.turn for line in lines])
    return f"{clock_text(used * 1000)} of {minutes}:00 used."


def _spent(interview: Interview, lines: Sequence[Line]) -> str:
    """That it was over for want of questions, where it was; with how to have more."""
    left = set(interview.drawn) - {line.turn.card_id for line in lines}
    if left or interview.ended_at is None:
        return ""
    return f" Nothing was left to ask{'; choose more topics for more' if interview.wish.decks else ''}."


def _line(line: Line, path: str, *, typed: bool) -> LineView:
    known = line.spoken_ms is not None
    figures = shown.figures(line.spoken_ms or 0, line.turn.planned_s, typed=typed) if known else ()
    points = len(line.said) + len(line.missed)
    said = (Figure("points said", f"{len(line.said)} of {points}"),) if points else ()
    return LineView(
        position=line.turn.position,
        words=line.words,
        level=line.turn.level,
        follows=line.turn.follows is not None,
        outcome=line.outcome if line.turn.done_at else "Open",
        figures=(*figures, *said, *_voice(line.pace)),
        said=_points(line.said),
        missed=_points(line.missed),
        text=line.text,
        typed=typed,
        fate=line.fate,
        rate_path=f"drill/sound/{line.recording.id}/review" if line.unrated and line.recording else "",
        sound=_sound(line, path),
        path=_take_path(line) or _card_path(line),
        link="The take" if line.take else "The card",
    )


def _points(given: Sequence[Point]) -> tuple[PointView, ...]:
    return tuple(PointView(shown.html(point.html), point.stage) for point in given)


def _voice(pace: Pace | None) -> tuple[Figure, ...]:
    if pace is None or not pace.words:
        return ()
    fillers = Figure("fillers", f"about {sum(pace.fillers.values()) or 'none'}")
    if pace.wpm is None:
        return Figure("words", str(pace.words)), fillers
    speed = speed_word(pace.wpm)
    return Figure("words a minute", f"{pace.wpm}{f', {speed}' if speed else ''}"), fillers


def _sound(line: Line, path: str) -> Sound | None:
    if line.recording is None or not line.heard:
        return None
    ms = line.pace.ms if line.pace else line.spoken_ms or 0
    return Sound(f"drill/sound/{line.recording.id}", ms, f"{path}/{line.turn.position}/sound/delete")


def _take_path(line: Line) -> str:
    return f"drill/{line.take.card_id}/takes/{line.take.id}" if line.take else ""


def _card_path(line: Line) -> str:
    return f"cards/{line.turn.card_id}"
