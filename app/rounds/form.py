"""What the form of a round is drawn from. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.library.values import LEVELS
from app.rounds.cards import Round
from app.rounds.views import path
from app.rounds.wanted import Wanted


@dataclass(frozen=True)
class Topics:
    """A deck to choose in the form."""

    name: str
    title: str
    chosen: bool


@dataclass(frozen=True)
class FormView:
    title: str
    path: str
    back: str
    wanted: Wanted
    levels: tuple[tuple[str, str], ...]
    topics: tuple[Topics, ...]
    removable: bool


def form_view(wanted: Wanted, decks: Sequence[tuple[str, str]], one: Round | None) -> FormView:
    listed = dict(decks) | {name: name for name in (one.topics if one else ()) if name not in dict(decks)}
    return FormView(
        f"Change {one.name}" if one else "A round to come",
        path(one) if one else "rounds",
        path(one) if one else "rounds",
        wanted,
        tuple((level, f"{level} and below" if at else level) for at, level in enumerate(LEVELS)),
        tuple(Topics(name, title, name in wanted.asked.topics) for name, title in listed.items()),
        removable=one is not None,
    )
