"""A take and its judge, put together from the app's parts: what a page shows, and the question that is put."""

from dataclasses import dataclass

from fastapi.concurrency import run_in_threadpool
from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import attempt as attempts
from app.drill import service
from app.drill.attempt import Attempt
from app.drill.judge import service as judge
from app.drill.judge import views as judge_views
from app.drill.judge.chat import Judge
from app.drill.judge.service import Question
from app.drill.judge.views import Part
from app.drill.pitch import Take
from app.drill.said import service as said
from app.web.errors import Invalid
from app.web.parts import Parts

NO_JUDGE = "No judge is chosen; the settings list those that this server allows."
NO_TEXT = "There is no text that a judge could comment on; type what you said, or have the recording heard."


@dataclass(frozen=True, slots=True)
class Order:
    """A question, to whom it goes, and the key of the attempt that it is about."""

    judge: Judge
    question: Question
    key: str


def part(conn: Connection, its: Parts, learner: Learner, attempt: Attempt) -> Part:
    """What a page about a finished attempt shows of its judge."""
    known, question, coming = _question(conn, learner, attempt)
    return judge_views.part(
        judge.chosen(conn, learner, judge.allowed(its.settings)),
        judge.opinion(conn, learner, known),
        its.asking.about((learner.id, known)),
        card_id=attempt.card_id,
        take=attempts.sign(its.signer, attempt),
        points=question.points,
        said=question.said,
        coming=coming,
    )


def of_take(conn: Connection, learner: Learner, take: Take) -> Attempt:
    """The attempt that became `take`, for `part` of the page that shows it."""
    return Attempt(learner.id, take.card_id, judge.key_of(conn, learner, take.id), spoken_ms=take.spoken_ms)


def order(conn: Connection, its: Parts, learner: Learner, attempt: Attempt) -> Order:
    """The question to the learner's judge. Raises Invalid where there is nobody to ask, or nothing to ask about."""
    chosen = judge.chosen(conn, learner, judge.allowed(its.settings))
    if chosen is None:
        raise Invalid(NO_JUDGE)
    known, question, _ = _question(conn, learner, attempt)
    if not question.said.strip():
        raise Invalid(NO_TEXT)
    return Order(chosen, question, known)


def key(conn: Connection, learner: Learner, attempt: Attempt) -> str:
    """What the app's open questions know the attempt by."""
    return judge.root(conn, learner, attempt.key)


async def carry_out(its: Parts, learner: Learner, wanted: Order) -> str:
    """Ask, and keep the opinion; no transaction is open while the judge thinks. Gives when it was kept.

    Raises NoAnswer.
    """
    given = await judge.comment(wanted.judge, wanted.question)

    def keep() -> str:
        with its.db.write() as conn:
            judge.keep(conn, learner, its.clock(), wanted.key, wanted.judge, wanted.question, given)
            kept = judge.opinion(conn, learner, wanted.key)
        return kept.at.isoformat() if kept else ""

    return await run_in_threadpool(keep)


def _question(conn: Connection, learner: Learner, attempt: Attempt) -> tuple[str, Question, bool]:
    """The attempt's first key, and what a judge gets to see: of a saved take the points as they stood then.

    Last whether a text is on its way.
    """
    known = key(conn, learner, attempt)
    pitch = service.pitch(conn, learner, attempt.card_id)
    take = service.saved(conn, learner, attempt)
    points = take.points if take else pitch.points
    spoken = said.of_take(conn, learner, take) if take else said.of_attempt(conn, learner, attempt)
    coming = spoken.hearing is not None and spoken.hearing.open
    return known, Question(pitch.words, points, spoken.text), coming
