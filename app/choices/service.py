"""What a learner may choose, checked against what this server allows, and what became of a choice, in words."""

from sqlalchemy import Connection

from app.accounts import service as accounts
from app.accounts.learner import Learner
from app.accounts.preferences import choose, preference
from app.choices.chosen import HOURS, Chosen
from app.drill.hearing import service as hearing
from app.drill.judge import judging as asked
from app.drill.judge import service as judge
from app.drill.judge.chat import Judge
from app.drill.judge.service import Question
from app.drill.pitch import Point
from app.settings import Settings
from app.web.errors import Invalid

SAMPLE = Question(
    "Where does the causal mask go, and what does it hold?",
    (
        Point("before", "The mask is added to the scores before the softmax.", ""),
        Point("minus", "It holds minus infinity for every later position, so that its weight is zero.", ""),
    ),
    "We put the mask after the softmax, and it holds minus infinity for the later tokens.",
)


def chosen(conn: Connection, learner: Learner) -> Chosen:
    return Chosen(
        preference(conn, learner, hearing.PREFERENCE),
        preference(conn, learner, judge.PREFERENCE),
        accounts.own_rollover(conn, learner),
    )


def change_rollover(conn: Connection, learner: Learner, hour: str, settings: Settings) -> None:
    """Raises Invalid for what is no hour of the night; "" is the server's own."""
    if hour and hour not in map(str, HOURS):
        raise Invalid(f"A study day begins at an hour from {HOURS[0]} to {HOURS[-1]}; choose one of them.")
    accounts.change_rollover(conn, learner, int(hour) if hour else None, settings)


def choose_speech(conn: Connection, learner: Learner, settings: Settings, provider: str) -> None:
    """Raises Invalid for one that this server does not allow."""
    if provider not in ("auto", "embedded", "none") and provider not in endpoints(settings):
        raise Invalid("That way of turning speech into text is not on offer here; choose one of the list.")
    choose(conn, learner, hearing.PREFERENCE, provider)


def endpoints(settings: Settings) -> tuple[str, ...]:
    """The endpoints for speech, as a preference names them."""
    return tuple(f"endpoint:{one.name}" for one in settings.speech_endpoints)


def choose_judge(conn: Connection, learner: Learner, settings: Settings, name: str) -> None:
    """Raises Invalid for one that this server does not allow; "" is none."""
    if name and settings.judge(name) is None:
        raise Invalid("That judge is not one that this server allows; choose one of the list.")
    choose(conn, learner, judge.PREFERENCE, name)


def judge_of(conn: Connection, learner: Learner, settings: Settings) -> Judge:
    """The judge that a test asks. Raises Invalid."""
    found = judge.chosen(conn, learner, judge.allowed(settings))
    if found is None:
        raise Invalid("No judge is chosen; choose one, then test it.")
    return found


async def test_judge(judge_chosen: Judge) -> str:
    """Ask about a made-up answer; what it said, in a sentence. Raises NoAnswer."""
    given = await judge.comment(judge_chosen, SAMPLE)
    said = {remark.point: remark for remark in given.remarks}
    first = said.get("before")
    return _verdict(first) if first else "It answered in the right form."


def _verdict(remark: asked.Remark) -> str:
    caught = "It noticed" if remark.seems == "wrong" else "It did not notice"
    return f"{caught} that the mask comes before the softmax, not after it. It wrote: {remark.comment or '(nothing)'}"
