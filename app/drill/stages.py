"""The stages of a case: which part of it is on after so many milliseconds of speech, and which comes next. Pure.

static/js/stages.js holds the same rules for the browser; a test compares the two.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.drill.timing import clock_text

When = Literal["done", "now", "next", "later"]


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a case and the time it has."""

    name: str
    seconds: int

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "Stage":
        return cls(body["name"], body["seconds"])


@dataclass(frozen=True, slots=True)
class StageShown:
    """A stage as the page has it. `time` is its length, `left` what is left of the one that is on, else ""."""

    name: str
    time: str
    from_ms: int
    to_ms: int
    when: When
    left: str


def stages_at(elapsed_ms: int | None, stages: Sequence[Stage]) -> tuple[StageShown, ...]:
    """Every stage, as the clock stands; None: it does not run yet, and the first comes next.

    In overtime the last one is on, with nothing left.
    """
    ends = [sum(stage.seconds for stage in stages[: at + 1]) * 1000 for at in range(len(stages))]
    on = (
        -1
        if elapsed_ms is None
        else next((at for at, end in enumerate(ends) if elapsed_ms < end), len(ends) - 1)
    )
    return tuple(
        StageShown(
            name=stage.name,
            time=clock_text(stage.seconds * 1000),
            from_ms=end - stage.seconds * 1000,
            to_ms=end,
            when=_when(at, on),
            left=clock_text(end - (elapsed_ms or 0)) if at == on else "",
        )
        for at, (stage, end) in enumerate(zip(stages, ends, strict=True))
    )


def _when(at: int, on: int) -> When:
    if at < on:
        return "done"
    if at == on:
        return "now"
    return "next" if at == on + 1 else "later"
