"""Rebuild every state from the log, and say where the rebuilt and the kept ones differ. Pure.

An answer is computed anew when the algorithm that gave it is the one we have; of an older algorithm the log's own
"after" is taken.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from app.study.cards import Event, Standing
from app.study.memory import ALGORITHM
from app.study.scheduling import CardId, CardState, SchedulerSettings, When, answers


@dataclass(frozen=True)
class Difference:
    """`what` is "before" or "after" of an answer, or "state" or "buried" of the card as it is kept."""

    card_id: CardId
    what: str
    kept: str
    rebuilt: str

    def __str__(self) -> str:
        return f"{self.card_id}: {self.what} is kept as {self.kept}, and the log leads to {self.rebuilt}"


def differences(
    log: Iterable[Event], settings: Mapping[int, SchedulerSettings], kept: Mapping[CardId, Standing]
) -> tuple[Difference, ...]:
    """Follow the `log`, oldest answer first, each under its snapshot's `settings`, to the states that are `kept`."""
    states: dict[CardId, CardState] = {}
    buried: dict[CardId, date | None] = {}
    found: list[Difference] = []

    def compare(card_id: CardId, what: str, have: object, want: object) -> None:
        if have != want:
            found.append(Difference(card_id, what, str(have), str(want)))

    for event in log:
        if event.undone:
            continue
        before = states.get(event.card_id, CardState())
        compare(event.card_id, "before", event.before, before)
        after = _recomputed(event, settings[event.snapshot_id])
        compare(event.card_id, "after", event.after, after)
        states[event.card_id] = after
        buried.update({sibling.card_id: sibling.until for sibling in event.buried})
    for card_id in sorted({*states, *buried, *kept}):
        standing = kept.get(card_id)
        compare(card_id, "state", standing.state if standing else None, states.get(card_id, CardState()))
        compare(card_id, "buried", standing.buried_until if standing else None, buried.get(card_id))
    return tuple(found)


def _recomputed(event: Event, settings: SchedulerSettings) -> CardState:
    if event.algorithm != ALGORITHM:
        return event.after
    when = When(event.at, event.study_day, event.day_ends)
    return answers(event.before, settings, when, event.card_id)[event.grade].state
