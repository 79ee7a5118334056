"""The memory model, behind one small interface: FSRS-6 as the `fsrs` package has it, through its public API only.

    model = Model(DEFAULT_WEIGHTS, retention=0.9, maximum_interval=36500)
    model.after(None, Grade.GOOD, elapsed_days=0)     # Recall(Memory(2.3065, 2.118...), days=2)

Formulas: the FSRS wiki, "The Algorithm", FSRS-6. Days are study days: who reviews at 23:00 and again two mornings
later has lived two days, which a difference of clock times would call one.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import cached_property

import fsrs

ALGORITHM = "fsrs-6/py-fsrs-6.3.2"
DEFAULT_WEIGHTS: tuple[float, ...] = fsrs.Scheduler().parameters
RETENTION = (0.70, 0.99)
NOON = datetime(2000, 1, 1, 12, tzinfo=UTC)  # only differences of whole days enter the formulas


class Grade(IntEnum):
    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4

    @property
    def word(self) -> str:
        return self.name.capitalize()


@dataclass(frozen=True)
class Memory:
    """Stability: days until recall falls to 90 %. Difficulty: 1 (easy) to 10."""

    stability: float
    difficulty: float


@dataclass(frozen=True)
class Recall:
    """The memory after an answer, and the whole days after which recall falls to the wanted retention."""

    memory: Memory
    days: int


@dataclass(frozen=True)
class Model:
    """Raises ValueError, in a sentence, for a retention, a maximum or weights that do not fit."""

    weights: tuple[float, ...]
    retention: float
    maximum_interval: int

    def __post_init__(self) -> None:
        low, high = RETENTION
        if not low <= self.retention <= high:
            raise ValueError(f"The retention must lie between {low:.2f} and {high}, not at {self.retention}.")
        if self.maximum_interval < 1:
            raise ValueError(f"The maximum interval must be at least 1 day, not {self.maximum_interval}.")
        self._scheduler  # noqa: B018  (checks the weights now rather than at the first answer)

    def after(self, memory: Memory | None, grade: Grade, elapsed_days: int) -> Recall:
        """What an answer makes of `memory` (None: the first answer ever), `elapsed_days` after the last one."""
        card = fsrs.Card(
            card_id=0,  # without an id the package sleeps for a millisecond to make one
            state=fsrs.State.Learning if memory is None else fsrs.State.Review,
            stability=memory.stability if memory else None,
            difficulty=memory.difficulty if memory else None,
            due=NOON,
            last_review=NOON - timedelta(days=max(0, elapsed_days)) if memory else None,
        )
        card, _ = self._scheduler.review_card(card, fsrs.Rating(grade), NOON)
        assert card.stability is not None
        assert card.difficulty is not None
        return Recall(Memory(card.stability, card.difficulty), (card.due - NOON).days)

    def retrievability(self, memory: Memory, elapsed_days: int) -> float:
        """The chance, 0 to 1, to recall `elapsed_days` after the last answer."""
        card = fsrs.Card(card_id=0, stability=memory.stability, due=NOON, last_review=NOON)
        return self._scheduler.get_card_retrievability(card, NOON + timedelta(days=max(0, elapsed_days)))

    @cached_property
    def _scheduler(self) -> fsrs.Scheduler:
        return fsrs.Scheduler(
            self.weights,
            desired_retention=self.retention,
            learning_steps=(),
            relearning_steps=(),
            maximum_interval=self.maximum_interval,
            enable_fuzzing=False,
        )
