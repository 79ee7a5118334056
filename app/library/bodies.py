"""What the library's part of several JSON answers looks like."""

from app.library.cards import FollowUp
from app.web.api import Body


class FollowUpOut(Body):
    """A card that an interviewer goes on to."""

    id: str
    question: str
    level: str

    @classmethod
    def of(cls, found: FollowUp) -> "FollowUpOut":
        return cls(id=found.id, question=found.words, level=found.level)
