"""What comes in, whatever it came from: a card in our Markdown, ready to stand in a deck. Pure."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Incoming:
    """A card from elsewhere. `id` is what its guid became; `plainly` are the texts to fall back on where `front` and
    `back` make no card; `deck` is the way to its deck.
    """

    guid: str
    id: str
    deck: tuple[str, ...]
    kind: str
    front: str
    back: str
    answer: str = ""
    tags: tuple[str, ...] = ()
    level: str = ""
    core: bool = False
    source: str = ""
    plainly: tuple[str, str] = ("", "")


@dataclass
class Left:
    """What was not taken, or not as it was, for the report."""

    skipped: list[tuple[str, str]] = field(default_factory=list)  # which card, and why
    pictures: int = 0
    as_code: int = 0
    merged: int = 0

    def skip(self, which: str, why: str) -> None:
        self.skipped.append((" ".join(which.split())[:80] or "a card without words", why))


@dataclass(frozen=True)
class Batch:
    """The cards of one file, in its order."""

    cards: tuple[Incoming, ...]
    left: Left
    media: int = 0
    anki: bool = False
