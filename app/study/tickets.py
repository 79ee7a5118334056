"""Notes that travel through the browser, signed: a showing (this card was shown), a ticket (it was revealed).

A ticket can only be had for a showing, and a grade needs a ticket; so no card is graded before its answer was seen.
The key is made when the card is shown: however often a grade is sent, the key makes it count once.
"""

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Literal

from app.accounts.learner import Learner
from app.study.cards import Card
from app.web.errors import Invalid
from app.web.signing import Signer

Purpose = Literal["showing", "ticket"]
WHERE_FROM = {
    "showing": "This card was not shown by this server, or not to you. Ask for the next card and reveal that one.",
    "ticket": "This answer was not revealed by this server, or not to you. Reveal the card again and grade it then.",
}


@dataclass(frozen=True)
class Note:
    """What is signed. `shown_ms` is the moment at which the card was shown, in milliseconds since 1970.

    A ticket carries what was `given`: what was said before the reveal, and its mark, as the page told it.
    A grade of a `cram` goes into the log and leaves the schedule alone.
    """

    learner: int
    card: str
    revision: str
    key: str
    shown_ms: int
    given: Mapping[str, object] = field(default_factory=dict)
    cram: bool = False

    def waited_ms(self, now: datetime) -> int:
        """Time since the card was shown; the service caps it."""
        return _ms(now) - self.shown_ms


def show(card: Card, learner: Learner, now: datetime, *, cram: bool = False) -> Note:
    return Note(learner.id, card.id, card.revision, secrets.token_urlsafe(12), _ms(now), cram=cram)


def sign(signer: Signer, purpose: Purpose, note: Note) -> str:
    return signer.sign(f"study {purpose}", asdict(note))


def read(signer: Signer, purpose: Purpose, text: str, learner: Learner) -> Note:
    """The note in `text`; raises Invalid when it was signed elsewhere, for another purpose or for somebody else."""
    try:
        note = Note(**signer.open(f"study {purpose}", text))  # type: ignore[arg-type]
    except (ValueError, TypeError):  # NotOurs is a ValueError, and so is text that cannot be encoded
        raise Invalid(WHERE_FROM[purpose]) from None
    if note.learner != learner.id:
        raise Invalid(WHERE_FROM[purpose])
    return note


def _ms(moment: datetime) -> int:
    return round(moment.astimezone(UTC).timestamp() * 1000)
