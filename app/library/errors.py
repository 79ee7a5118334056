"""What is wrong in a deck, said so that its author can mend it at once."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True, slots=True)
class DeckError:
    """One mistake: where it stands, what it is, what to change.

    >>> str(DeckError("content/a.md", 12, 'level "IC9" is not known', "use IC4."))
    'content/a.md:12: level "IC9" is not known. Fix: use IC4.'
    """

    path: str
    line: int
    problem: str
    fix: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.problem}. Fix: {self.fix}"


class DeckErrors(Exception):
    """Every mistake found in one file, in the order of its lines."""

    def __init__(self, errors: Iterable[DeckError]) -> None:
        self.errors: tuple[DeckError, ...] = tuple(sorted(set(errors)))
        super().__init__("\n".join(map(str, self.errors)))
