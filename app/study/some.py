"""What the page to choose some cards shows, ready to be drawn. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.library.values import LEVELS
from app.study import cramming
from app.study.chosen import Chosen
from app.study.queue import Counts, tree

AHEAD = 7  # days that the page suggests
Options = list[tuple[str, str]]


@dataclass(frozen=True)
class Tallied:
    """How many cards there are of a kind: all, never answered, due by today."""

    cards: int = 0
    new: int = 0
    due: int = 0

    def __add__(self, other: "Tallied") -> "Tallied":
        return Tallied(self.cards + other.cards, self.new + other.new, self.due + other.due)


@dataclass(frozen=True)
class Tallies:
    """By deck, by level and by tag; `core` of the core cards alone, `here` of those that were chosen."""

    decks: dict[str, Tallied]
    levels: dict[str, Tallied]
    tags: dict[str, Tallied]
    core: Tallied
    here: Tallied


@dataclass(frozen=True)
class Line:
    """A row of a table, and what its link chooses."""

    words: str
    query: dict[str, str]
    tally: Tallied


@dataclass(frozen=True)
class Table:
    id: str
    title: str
    lines: tuple[Line, ...]
    open: bool


@dataclass(frozen=True)
class SomeView:
    chosen: Chosen
    query: dict[str, str]
    here: Tallied
    today: str
    cram: str
    ahead: int
    deck_options: Options
    tag_options: Options
    level_options: Options
    tables: tuple[Table, ...]


def view(
    chosen: Chosen, tallies: Tallies, today: Counts, *, decks: Sequence[tuple[str, str]], tags: Sequence[str]
) -> SomeView:
    crammed = min(tallies.here.cards, cramming.MOST)
    of = f" of {tallies.here.cards:,}" if tallies.here.cards > crammed else ""
    return SomeView(
        chosen=chosen,
        query=Chosen(chosen.deck, chosen.tag, chosen.level, chosen.core).query(),
        here=tallies.here,
        today=_today(today),
        cram=f"Cram {crammed}{of} card{'' if crammed == 1 else 's'}" if crammed else "",
        ahead=chosen.ahead or AHEAD,
        deck_options=[*_trees(decks), *decks],
        tag_options=[(tag, tag) for tag in tags],
        level_options=[(level, level) for level in LEVELS],
        tables=(
            Table("decks", "Decks", _decks(decks, tallies), open=True),
            Table("levels", "Levels", _levels(tallies), open=True),
            Table("tags", "Tags", _lines("tag", tallies.tags), open=False),
        ),
    )


def _today(counts: Counts) -> str:
    named = ((counts.new, "new"), (counts.learning, "learning"), (counts.review, "due"))
    return " · ".join(f"{count} {name}" for count, name in named if count)


def _trees(decks: Sequence[tuple[str, str]]) -> Options:
    """Each tree with more than one deck, to be chosen whole."""
    names = [tree(name) for name, _ in decks]
    return [(name, f"{name}: all its decks") for name in dict.fromkeys(names) if names.count(name) > 1]


def _decks(decks: Sequence[tuple[str, str]], tallies: Tallies) -> tuple[Line, ...]:
    return tuple(
        Line(title, {"deck": name}, tallies.decks[name]) for name, title in decks if name in tallies.decks
    )


def _levels(tallies: Tallies) -> tuple[Line, ...]:
    core = Line("core", {"core": "yes"}, tallies.core)
    return (core, *(line for line in _lines("level", tallies.levels) if line.words))


def _lines(name: str, found: dict[str, Tallied]) -> tuple[Line, ...]:
    return tuple(Line(value, {name: value}, tally) for value, tally in found.items())
