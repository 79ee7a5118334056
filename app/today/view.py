"""What the Today page says, from what each room has for today. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

PITCH_OVERHEAD_S = 60  # getting ready, ticking and rating


@dataclass(frozen=True, slots=True)
class Have:
    """What the rooms have. `cards` counts the whole library; `begun` is whether anything was ever answered."""

    cards: int
    begun: bool
    due: int
    new: int
    minutes: int
    done: int
    next_due: str  # when the next card comes, in words; "" when none will
    pitches: int
    pitches_s: int
    first_pitch: str
    demos: int
    worker: str


@dataclass(frozen=True, slots=True)
class Step:
    """The one obvious next step."""

    path: str
    words: str


@dataclass(frozen=True, slots=True)
class Tile:
    path: str
    label: str
    figure: str
    words: str
    next: bool


@dataclass(frozen=True, slots=True)
class TodayView:
    title: str
    lead: str
    step: Step
    tiles: tuple[Tile, ...]
    problems: tuple[str, ...]
    newcomer: bool  # who has answered nothing yet may want to read first


def today_view(have: Have, problems: Sequence[str]) -> TodayView:
    """The page. What comes next is the cards, then the pitches, then a demo to play with."""
    step = _step(have)
    tiles = (
        Tile("study", "Study", _study_figure(have), _study_words(have), step.path == "study"),
        Tile("drill", "Drill", _drill_figure(have), _drill_words(have), step.path.startswith("drill")),
        Tile("demos", "Demos", count(have.demos, "demo"), have.worker, step.path == "demos"),
    )
    return TodayView(_title(have), _lead(have), step, tiles, tuple(problems), not have.begun)


def _step(have: Have) -> Step:
    if not have.cards:
        return Step("cards", "See the cards")
    if have.due or have.new:
        return Step("study", "Study" if have.begun else "See the first card")
    if have.pitches:
        return Step(f"drill/{have.first_pitch}", "Say a pitch")
    return Step("demos", "Run a demo")


def _title(have: Have) -> str:
    if not have.cards:
        return "No cards yet"
    if not have.begun:
        return "Begin with one card"
    minutes = _minutes(have)
    return f"About {count(minutes, 'minute')} today" if minutes else "Done for today"


def _lead(have: Have) -> str:
    if not have.cards:
        return "Cards are written in Markdown files, one deck a file; none could be read from the decks' folders."
    if not have.begun:
        return (
            f"{count(have.cards, 'card')} about attention and transformers: read the question, answer it in your "
            "head, look, and say how well you knew it. That decides when it comes back."
        )
    if not _minutes(have):
        comes = f"The next card comes in {have.next_due}. " if have.next_due else ""
        return f"{comes}Nothing is due: say a pitch once more, or see in a demo what a card claims."
    parts = [
        *([count(have.due, "card") + " to look at again"] if have.due else []),
        *([f"{have.new} new" if have.due else count(have.new, "new card")] if have.new else []),
        *([count(have.pitches, "pitch", "pitches") + " to say aloud"] if have.pitches else []),
    ]
    return f"{_joined(parts)}."


def _minutes(have: Have) -> int:
    speech_s = have.pitches_s + have.pitches * PITCH_OVERHEAD_S
    return have.minutes + -(-speech_s // 60)


def _study_figure(have: Have) -> str:
    parts = [
        *([f"{have.due} due"] if have.due else []),
        *([f"{have.new} new"] if have.new else []),
    ]
    return " · ".join(parts) or "All done"


def _study_words(have: Have) -> str:
    if have.due or have.new:
        return f"about {count(have.minutes, 'minute')}"
    return f"{count(have.done, 'card')} today" if have.done else "nothing is due"


def _drill_figure(have: Have) -> str:
    return count(have.pitches, "pitch", "pitches") if have.pitches else "None due"


def _drill_words(have: Have) -> str:
    if not have.pitches:
        return "any can be said"
    return (
        f"{-(-have.pitches_s // 60)} min of speech"
        if have.pitches_s >= 120
        else f"{have.pitches_s} s of speech"
    )


def _joined(parts: Sequence[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
