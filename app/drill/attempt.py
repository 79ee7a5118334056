"""An attempt at a take, from the prompt to the review: signed, it travels through the browser.

It is stored only once it is rated. Until then a reload, a second tab or the Back button finds the attempt in the
address, just as it was; its key lets it be saved once, and afterwards the same address leads to the take.
"""

import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from app.accounts.learner import LearnerId
from app.drill.pitch import Take, TakeId
from app.study.scheduling import CardId
from app.web.errors import Invalid
from app.web.signing import NotOurs, Signer

PURPOSE = "take"
DAY_MS = 24 * 3600 * 1000
State = Literal["prompt", "speaking", "review"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """`started_at` is set where the server keeps the time, `spoken_ms` once the learner has finished.

    `typed`: the answer is written instead of said. Whether one that is said was recorded, its recording tells.
    `untimed`: no page's clock ran to its end, so `spoken_ms` is a guess until its sound was measured; 0: there is none.
    """

    learner_id: LearnerId
    card_id: CardId
    key: str
    started_at: datetime | None = None
    spoken_ms: int | None = None
    notes_shown: bool = False
    interrupted: bool = False
    ticks: tuple[str, ...] = ()
    typed: bool = False
    untimed: bool = False

    @property
    def state(self) -> State:
        if self.spoken_ms is not None:
            return "review"
        return "prompt" if self.started_at is None else "speaking"

    def since_start_ms(self, now: datetime) -> int | None:
        """Milliseconds since the start by the server's clock, negative while the learner gets ready.

        None where the server does not keep the time: the start was never sent.
        """
        return None if self.started_at is None else (now - self.started_at) // timedelta(milliseconds=1)

    def start(self, now: datetime, ready_s: float) -> "Attempt":
        """The clock runs from `ready_s` seconds after `now`. A repeat may bring that forward, never set it back."""
        at = now + timedelta(seconds=ready_s)
        return self if self.started_at and self.started_at <= at else replace(self, started_at=at)

    def show_notes(self) -> "Attempt":
        return replace(self, notes_shown=True)

    def finish(self, now: datetime, spoken_ms: int | None, interrupted: bool, notes_shown: bool) -> "Attempt":
        """Done speaking, after `spoken_ms` by the browser's clock, or else by the server's.

        Before the server's clock runs there is nothing to finish: the attempt goes on as it is.
        """
        if spoken_ms is not None and spoken_ms < 0:
            raise Invalid("A take cannot be shorter than no time at all; send spoken_ms as 0 or more.")
        spoken = self.since_start_ms(now) if spoken_ms is None else spoken_ms
        if spoken is None:
            raise Invalid("This take has not begun; press Start first.")
        if spoken < 0:
            return self
        return replace(
            self,
            spoken_ms=min(spoken, DAY_MS),
            interrupted=self.interrupted or interrupted,
            notes_shown=self.notes_shown or notes_shown,
        )

    def tick(self, ticks: tuple[str, ...]) -> "Attempt":
        return replace(self, ticks=ticks)

    def finished(self) -> "Attempt":
        """Itself, if it can be reviewed; raises Invalid."""
        if self.spoken_ms is None:
            raise Invalid("This take is not finished; say it to its end, then rate it.")
        return self


_JSON: TypeAdapter[Attempt] = TypeAdapter(Attempt)


def begin(learner_id: LearnerId, card_id: CardId, *, typed: bool = False) -> Attempt:
    """A new attempt, with a key of its own."""
    return Attempt(learner_id, card_id, secrets.token_urlsafe(9), typed=typed)


def anew(attempt: Attempt) -> Attempt:
    """The same question once more. Its key begins with the first attempt's, so that it asks with the same numbers."""
    made = begin(attempt.learner_id, attempt.card_id)
    return replace(made, key=f"{attempt.key.partition('.')[0]}.{made.key}")


def again_key(take_id: TakeId) -> str:
    """The key of the one new rating that an undone take can get; no key of `begin` has a colon."""
    return f"again:{take_id}"


def again_of(key: str) -> TakeId | None:
    """The undone take that an attempt with this key rates anew; None: it is an attempt of its own."""
    number = key.removeprefix("again:")
    return TakeId(int(number)) if number != key else None


def rate_again(learner_id: LearnerId, take: Take) -> Attempt:
    """The review of a take whose rating was undone, to be rated anew: once, for its key follows from the take."""
    return Attempt(
        learner_id,
        take.card_id,
        again_key(take.id),
        spoken_ms=take.spoken_ms,
        notes_shown=take.notes_shown,
        interrupted=take.interrupted,
        ticks=take.ticks,
        typed=take.typed,
    )


def sign(signer: Signer, attempt: Attempt) -> str:
    body: dict[str, Any] = _JSON.dump_python(attempt, mode="json", exclude_defaults=True)
    return signer.sign(PURPOSE, body)


def read(signer: Signer, text: str, learner_id: LearnerId, card_id: CardId) -> Attempt:
    """The attempt that was signed for this learner and card; raises Invalid for anything else."""
    try:
        attempt = _JSON.validate_python(signer.open(PURPOSE, text))
    except (NotOurs, ValidationError):
        raise Invalid("This take was not begun here; go back to the drill and start it again.") from None
    if (attempt.learner_id, attempt.card_id) != (learner_id, card_id):
        raise Invalid("This take belongs to another card; open the card from the drill and start again.")
    return attempt
