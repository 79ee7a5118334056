"""What a learner puts on a card besides answering it: buried, suspended, a flag, a note to self. Pure."""

from dataclasses import asdict, dataclass
from datetime import date
from typing import Literal

from app.study.scheduling import CardState

LEECH_AT, LEECH_EVERY = 8, 4  # lapses
LONGEST_REMARK = 2000  # characters

Kind = Literal["bury", "unbury", "suspend", "unsuspend", "flag", "note"]
KINDS: tuple[Kind, ...] = ("bury", "unbury", "suspend", "unsuspend", "flag", "note")
MOVES: tuple[Kind, ...] = (
    "bury",
    "unbury",
    "suspend",
    "unsuspend",
)  # these take a card out of a queue, or back


@dataclass(frozen=True)
class Marks:
    """`buried_until` is the study day on which the card may be shown again; `flag` is 0 where there is none."""

    buried_until: date | None = None
    suspended: bool = False
    flag: int = 0
    remark: str = ""

    def to_json(self) -> dict[str, object]:
        until = self.buried_until.isoformat() if self.buried_until else None
        return asdict(self) | {"buried_until": until}

    @classmethod
    def from_json(cls, body: dict[str, object]) -> "Marks":
        until = body["buried_until"]
        return cls(
            date.fromisoformat(str(until)) if until else None,
            bool(body["suspended"]),
            int(str(body["flag"])),
            str(body["remark"]),
        )

    def hidden(self, today: date) -> bool:
        """Whether the card is buried on the study day `today`."""
        return self.buried_until is not None and self.buried_until > today


def kind_of(before: Marks, after: Marks, today: date) -> Kind:
    """What a change of one mark is called in the log."""
    if before.suspended != after.suspended:
        return "suspend" if after.suspended else "unsuspend"
    if before.buried_until != after.buried_until:
        return "bury" if after.hidden(today) else "unbury"
    return "flag" if before.flag != after.flag else "note"


def is_leech(state: CardState) -> bool:
    """Whether the card was forgotten so often that another wording will help more than another look."""
    return state.lapses >= LEECH_AT


def suspends(before: CardState, after: CardState) -> bool:
    """Whether an answer suspends its card as a leech: at the 8th lapse, then at every 4th one more."""
    lapsed = after.lapses > before.lapses
    return lapsed and is_leech(after) and (after.lapses - LEECH_AT) % LEECH_EVERY == 0
