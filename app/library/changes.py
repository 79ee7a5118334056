"""What a reading of the decks changed, counted in cards, and said in a sentence. Pure."""

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class Changes:
    """Cards that are new, say something else than before, are back after they were gone, or are gone."""

    new: int = 0
    changed: int = 0
    back: int = 0
    gone: int = 0

    def __add__(self, other: "Changes") -> "Changes":
        return Changes(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    @property
    def any(self) -> bool:
        return self != Changes()

    @property
    def words(self) -> str:
        """ "2 cards changed, 1 new", or "nothing changed"."""
        parts = [
            f"{count} {what}"
            for count, what in (
                (self.changed, "changed"),
                (self.new, "new"),
                (self.back, "back"),
                (self.gone, "retired"),
            )
            if count
        ]
        if not parts:
            return "nothing changed"
        count, _, what = parts[0].partition(" ")
        return ", ".join((f"{count} card{'' if count == '1' else 's'} {what}", *parts[1:]))
