"""What a learner has chosen, and what of. Data only."""

from dataclasses import dataclass

HOURS = range(13)  # at which a study day may begin, as ALOUD_ROLLOVER has them


@dataclass(frozen=True, slots=True)
class Chosen:
    """What the learner chose, "" where they have not, and whether their study day begins at an hour of their own."""

    speech: str
    judge: str
    own_rollover: bool
