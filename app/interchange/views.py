"""What the page Import and export shows, ready to be drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.interchange.importing import Outcome
from app.library.cards import DeckRow
from app.library.errors import DeckError
from app.library.service import Wanted
from app.library.values import LEVELS

SHOWN = 20  # of what was not taken; the rest is counted


@dataclass(frozen=True)
class Told:
    """What an import did: a sentence that sums it up, the decks it touched, then what is to be known."""

    summary: str
    decks: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    more: str
    wrong: tuple[str, ...]

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> "Told":
        """From the JSON of what asdict gave."""
        return cls(
            str(kept["summary"]),
            tuple((name, title) for name, title in kept["decks"]),
            tuple(kept["notes"]),
            tuple((which, why) for which, why in kept["skipped"]),
            str(kept["more"]),
            tuple(kept["wrong"]),
        )


@dataclass(frozen=True)
class ExchangeView:
    wanted: Wanted
    level_options: list[tuple[str, str]]
    tag_options: list[tuple[str, str]]
    deck_options: list[tuple[str, str]]
    told: Told | None
    refused: str


def exchange_view(
    wanted: Wanted,
    decks: Sequence[DeckRow],
    tags: Sequence[str],
    *,
    told: Told | None = None,
    refused: str = "",
) -> ExchangeView:
    return ExchangeView(
        wanted,
        [(level, level) for level in LEVELS],
        [(tag, tag) for tag in tags],
        [(deck.name, deck.title) for deck in decks],
        told,
        refused,
    )


def told_of(outcome: Outcome, errors: Sequence[DeckError] = ()) -> Told:
    """`errors` are what the library found wrong in the decks when it read them again."""
    left = outcome.left
    return Told(
        summary(outcome),
        tuple(sorted(outcome.plan.decks.items())[:SHOWN]),
        tuple(notes(outcome)),
        tuple((which, why) for which, why in left.skipped[:SHOWN]),
        f"And {len(left.skipped) - SHOWN:,} more." if len(left.skipped) > SHOWN else "",
        tuple(map(str, errors[:SHOWN])),
    )


def summary(outcome: Outcome) -> str:
    """In one sentence: "deck.apkg: 12 cards added, 3 changed, 40 as before.\""""
    made, skipped = outcome.plan, len(outcome.left.skipped)
    counts = (
        (made.added, "added"),
        (made.changed, "changed"),
        (made.same, "as before"),
        (skipped, "not taken"),
    )
    words = [f"{n:,} {what}" for n, what in counts if n]
    if not words:
        return f"{outcome.file}: nothing in it was new."
    number, _, rest = words[0].partition(" ")
    first = f"{number} card{'' if number == '1' else 's'} {rest}"
    return f"{outcome.file}: {', '.join((first, *words[1:]))}."


def notes(outcome: Outcome) -> list[str]:
    """What is not as it was, or was left alone, a sentence each."""
    made, left = outcome.plan, outcome.left
    media = max(outcome.media, left.pictures)
    told = [
        (
            media,
            f"Pictures and sounds are not taken ({_number(media, 'file')}); their names stand in their place.",
        ),
        (left.as_code, f"{_number(left.as_code, 'formula')} cannot be drawn here and stand as code."),
        (
            left.merged,
            f"{_number(left.merged, 'formula')} held gaps and are hidden whole, since no gap begins inside one.",
        ),
        (made.here, f"Left alone, since they come from here: {_number(made.here, 'card')}."),
        (
            made.gone,
            f"{_number(made.gone, 'card')} you took out of their deck stay out. To have all anew, delete the file.",
        ),
        (made.twice, f"{_number(made.twice, 'card')} came twice under one guid; the first was taken."),
        (len(made.kept), f"Changed here and there, so yours was kept: {_listed(made.kept)}."),
        (outcome.anki, "Anki's intervals are not taken: these cards begin as new ones."),
    ]
    return [sentence for count, sentence in told if count]


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _listed(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:SHOWN])
    return f"{shown} and {len(ids) - SHOWN:,} more" if len(ids) > SHOWN else shown
