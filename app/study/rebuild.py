"""Rebuild every state from the log, and say where the rebuilt and the kept ones differ. Pure.

An answer is computed anew when the algorithm that gave it is the one we have; of an older algorithm the log's own
"after" is taken.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from app.study.cards import Change, Damaged, Entry, Event, Moved, Standing
from app.study.marks import MOVES, Marks
from app.study.memory import ALGORITHM
from app.study.scheduling import CardId, CardState, SchedulerSettings, When, answers, called


@dataclass(frozen=True)
class Difference:
    """`what` differs: "answer", "settings", "before" or "after" of an answer, or a part of the card as it is kept."""

    card_id: CardId
    what: str
    words: str

    def __str__(self) -> str:
        return f"{self.card_id}: {self.words}"


def settings(body: str) -> SchedulerSettings | None:
    """The settings that a snapshot's JSON text holds; None where it is damaged."""
    try:
        return SchedulerSettings.from_json(json.loads(body)["scheduler"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def differences(
    log: Iterable[Entry | Damaged],
    settings: Mapping[int, SchedulerSettings],
    kept: Mapping[CardId, Standing],
) -> tuple[Difference, ...]:
    """Follow the `log`, oldest answer first, each under its snapshot's `settings`, to the states that are `kept`."""
    rebuilt = _Rebuilt(settings)
    for event in log:
        rebuilt.follow(event)
    rebuilt.hold_against(kept)
    return tuple(rebuilt.found)


class _Rebuilt:
    """The states that the log leads to. What follows a damaged answer is taken up from the next one that is whole."""

    def __init__(self, settings: Mapping[int, SchedulerSettings]) -> None:
        self.found: list[Difference] = []
        self._settings = settings
        self._states: dict[CardId, CardState] = {}
        self._marks: dict[CardId, Marks] = {}
        self._changes: Counter[CardId] = Counter()
        self._lost: set[CardId] = set()
        self._whole = True  # a damaged answer may have hidden siblings, and nobody knows which

    def follow(self, event: Entry | Damaged) -> None:
        if isinstance(event, Damaged):
            words = f"answer {event.id} cannot be read ({event.why})"
            self.found.append(Difference(event.card_id, "answer", words))
            self._lost.add(event.card_id)
            self._whole = False
        elif isinstance(event, Change):
            self._change(event)
        elif isinstance(event, Moved):
            self._move(event)
        else:
            self._answer(event)

    def _change(self, event: Change) -> None:
        if event.kind in MOVES:
            self._changes[event.card_id] += 1 + event.turns
        if event.undone:
            return
        if self._whole and event.card_id not in self._lost:
            before = self._marks.get(event.card_id, Marks())
            self._compare(event.card_id, "before", event.before, before, f" change {event.id}")
        self._marks[event.card_id] = event.after

    def _move(self, event: Moved) -> None:
        self._changes[event.card_id] += 1 + event.turns
        if event.undone:
            return
        before = self._states.get(event.card_id, CardState())
        if event.card_id not in self._lost:
            self._compare(event.card_id, "before", event.before, before, f" change {event.id}")
        self._lost.discard(event.card_id)
        after = called(event.before, event.study_day)
        self._compare(event.card_id, "after", event.after, after, f" change {event.id}")
        self._states[event.card_id] = after

    def _answer(self, event: Event) -> None:
        if event.kind == "cram":
            return
        moved = [event.card_id, *(sibling.card_id for sibling in event.buried)]
        self._changes.update(moved * (1 + event.turns))
        if event.undone:
            return
        before = self._states.get(event.card_id, CardState())
        if event.card_id not in self._lost:
            self._compare(event.card_id, "before", event.before, before, f" answer {event.id}")
        self._lost.discard(event.card_id)
        after = self._recomputed(event)
        self._compare(event.card_id, "after", event.after, after, f" answer {event.id}")
        self._states[event.card_id] = after
        if event.leech:
            marks = self._marks.get(event.card_id, Marks())
            self._marks[event.card_id] = replace(marks, suspended=True)
        for sibling in event.buried:
            marks = self._marks.get(sibling.card_id, Marks())
            self._marks[sibling.card_id] = replace(marks, buried_until=sibling.until)

    def hold_against(self, kept: Mapping[CardId, Standing]) -> None:
        for card_id in sorted({*self._states, *self._marks, *kept}):
            standing = kept.get(card_id)
            have = standing or Standing(CardState(), None, suspended=False, version=0)
            want = self._marks.get(card_id, Marks())
            if card_id not in self._lost:
                state = standing.state if standing else None
                self._compare(card_id, "state", state, self._states.get(card_id, CardState()))
            if self._whole:
                self._compare(card_id, "buried", have.buried_until, want.buried_until)
                self._compare(card_id, "version", have.version, self._changes[card_id])
                self._compare(card_id, "suspended", have.suspended, want.suspended)
                self._compare(card_id, "flag", have.flag, want.flag)
                self._compare(card_id, "note to self", have.remark, want.remark)

    def _recomputed(self, event: Event) -> CardState:
        if event.algorithm != ALGORITHM:
            return event.after
        if event.snapshot_id is None or event.snapshot_id not in self._settings:
            words = f"the settings of answer {event.id} (snapshot {event.snapshot_id}) are gone or damaged"
            self.found.append(Difference(event.card_id, "settings", words))
            return event.after
        when = When(event.at, event.study_day, event.day_ends)
        return answers(event.before, self._settings[event.snapshot_id], when, event.card_id)[
            event.grade
        ].state

    def _compare(self, card_id: CardId, what: str, have: object, want: object, of: str = "") -> None:
        if have != want:
            kept, rebuilt = _unlike(have, want)
            words = f"{what}{of} is kept as {kept}, and the log leads to {rebuilt}"
            self.found.append(Difference(card_id, what, words))


def _unlike(have: object, want: object) -> tuple[str, str]:
    """Both in words; of two states only what differs."""
    if not (isinstance(have, CardState) and isinstance(want, CardState)):
        return _text(have), _text(want)
    mine, other = have.to_json(), want.to_json()
    names = [name for name in mine if mine[name] != other[name]]
    told = (", ".join(f"{name} {_text(state[name])}" for name in names) for state in (mine, other))
    return next(told), next(told)


def _text(value: object) -> str:
    if isinstance(value, CardState):
        return f"state {value.state}"
    if isinstance(value, Marks):
        return str(value.to_json())
    return "nothing" if value in (None, "") else str(value).lower() if isinstance(value, bool) else str(value)
