"""Which questions an interview asks. Pure: the same candidates, wish and seed give the same questions.

What is weak or due is drawn more often, never alone: who knows beforehand what will be asked prepares for that.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, get_args

from app.library.values import LEVELS, Level
from app.study.scheduling import CardId

Mode = Literal["spoken", "typed", "quiet"]
MODES: tuple[Mode, ...] = get_args(Mode)
MINUTES = (10, 20, 30, 45)

THINK_S = 15
AFTER_S = 45  # to read the answer, tick and rate
ANSWER_S = 60  # for a card that has no time of its own
BELOW = 0.3  # the weight of a question one level below the chosen one
WEAK_DAYS = 7.0  # of stability
READ_PER_SPOKEN = 2
MOST = 40  # questions


@dataclass(frozen=True, slots=True)
class Wish:
    """What the learner chose; no decks: all of them."""

    level: Level
    decks: tuple[str, ...]
    minutes: int
    mode: Mode


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card that may be asked, and where the learner stands with it.

    `recall` is the chance that it is known today, None where it was never answered; `missed` is the part of the key
    points that the last take left out.
    """

    card_id: CardId
    deck: str
    level: str
    core: bool
    spoken: bool
    planned_s: int
    lapses: int = 0
    stability: float | None = None
    recall: float | None = None
    due: bool = False
    missed: float = 0.0


def needs_s(planned_s: int) -> int:
    """The seconds that a question takes in all: to think, to answer, to look back."""
    return THINK_S + planned_s + AFTER_S


def weight(card: Candidate, level: str) -> float:
    """How likely the card is drawn, against 1 for one that is known well."""
    if card.recall is None:
        weak = 3.0 if card.core else 1.5
    else:
        weak = 1 + min(card.lapses, 4) * 0.5 + 3 * (1 - card.recall)
        weak += 1.0 if (card.stability or 0) < WEAK_DAYS else 0.0
    weak += 2 * card.missed + (1.0 if card.due else 0.0)
    return weak if card.level == level else BELOW * weak


def asked_at(level: str, wished: str) -> bool:
    """Whether a question of `level` belongs into an interview of another: its own, or the one below."""
    if level not in LEVELS:
        return False
    return LEVELS.index(wished) - LEVELS.index(level) in (0, 1)


def draw(candidates: Iterable[Candidate], wish: Wish, seed: int) -> tuple[CardId, ...]:
    """The questions in the order in which they are asked: one to be said at length, then two to be answered."""
    fits = [c for c in candidates if asked_at(c.level, wish.level) and 2 * c.planned_s <= wish.minutes * 60]
    ranked = sorted(fits, key=lambda c: _luck(c, wish.level, seed), reverse=True)
    spoken = [c for c in ranked if c.spoken]
    read = [c for c in ranked if not c.spoken]
    return tuple(c.card_id for c in _spread(_mixed(spoken, read))[:MOST])


def _luck(card: Candidate, level: str, seed: int) -> float:
    """A draw by weight, without replacement: u ** (1 / weight), of which the largest come first (Efraimidis 2006)."""
    drawn = blake2b(f"{seed} {card.card_id}".encode(), digest_size=8).digest()
    return float(((int.from_bytes(drawn) + 1) / 2**64) ** (1 / weight(card, level)))


def _mixed(spoken: Sequence[Candidate], read: Sequence[Candidate]) -> list[Candidate]:
    made: list[Candidate] = []
    said, answered = list(spoken), list(read)
    while said or answered:
        made += said[:1]
        made += answered[:READ_PER_SPOKEN]
        del said[:1], answered[:READ_PER_SPOKEN]
    return made


def _spread(cards: Sequence[Candidate]) -> list[Candidate]:
    """The same, without two questions of a deck in a row as far as the next few allow."""
    left, made = list(cards), list[Candidate]()
    while left:
        last = made[-1].deck if made else ""
        at = next((i for i, c in enumerate(left[:6]) if c.deck != last and c.spoken == left[0].spoken), 0)
        made.append(left.pop(at))
    return made
