"""What a learner chose to study: all or some cards, as the schedule has them, ahead of it, or beside it. Pure."""

from dataclasses import dataclass
from typing import Literal

Way = Literal["schedule", "ahead", "cram"]
MOST_AHEAD = 365  # days


@dataclass(frozen=True)
class Chosen:
    """Which cards, and how. Empty texts ask for nothing in particular; `deck` takes in the decks below it.

    `ahead`: reviews of so many coming days, too, are shown now. `cram`: the newest event when a cram began, from which
    its answers are known; the schedule is not touched. None: it is no cram.
    """

    deck: str = ""
    tag: str = ""
    level: str = ""
    core: bool = False
    ahead: int = 0
    cram: int | None = None

    @property
    def way(self) -> Way:
        return "cram" if self.cram is not None else "ahead" if self.ahead else "schedule"

    @property
    def some(self) -> bool:
        """Whether not all cards are meant."""
        return bool(self.deck or self.tag or self.level or self.core)

    def takes(self, deck: str, level: str, core: bool) -> bool:
        """Whether cards like these are meant, as far as their tags do not decide."""
        in_deck = not self.deck or f"{deck}/".startswith(f"{self.deck}/")
        return in_deck and self.level in ("", level) and (core or not self.core)

    def query(self) -> dict[str, str]:
        """As an address and a form carry it."""
        said = {
            "deck": self.deck,
            "tag": self.tag,
            "level": self.level,
            "core": "yes" if self.core else "",
            "ahead": str(self.ahead or ""),
            "cram": "" if self.cram is None else str(self.cram),
        }
        return {name: text for name, text in said.items() if text}


ALL = Chosen()
