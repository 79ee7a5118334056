"""The judge: a chat endpoint that the server's settings allow and the learner chose comments on what they said."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.accounts.preferences import preference
from app.drill.judge import chat, judging
from app.drill.judge import store as store_opinions
from app.drill.judge.chat import LIMIT_S, Judge, NoAnswer
from app.drill.judge.judging import Opinion
from app.drill.pitch import Point, TakeId
from app.settings import Settings

PREFERENCE = "judge"
AGAIN = "again:"  # how the keys of attempts begin that rate an undone take anew (see app.drill.attempt)


@dataclass(frozen=True, slots=True)
class Kept:
    """An opinion with who gave it; `said` is the mark of the text that it is about."""

    judge: str
    model: str
    host: str
    opinion: Opinion
    said: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """All that a judge gets to see: what was asked, what a good answer says, and what the learner said."""

    text: str
    points: tuple[Point, ...]
    said: str


def allowed(settings: Settings) -> tuple[Judge, ...]:
    """The judges that whoever runs this server allows, in their order."""
    return tuple(
        Judge(one.name, one.url, one.model, settings.endpoint_key(one.name)) for one in settings.judges
    )


def chosen(conn: Connection, learner: Learner, judges: Sequence[Judge]) -> Judge | None:
    """The judge that the learner chose; None: none, or one that is no longer allowed."""
    name = preference(conn, learner, PREFERENCE)
    return next((judge for judge in judges if judge.name == name), None)


def opinion(conn: Connection, learner: Learner, key: str) -> Kept | None:
    """The newest opinion of the attempt with this key; None: no judge has said anything of it."""
    row = store_opinions.latest(conn, learner.id, root(conn, learner, key))
    if row is None:
        return None
    body = row.body
    return Kept(row.judge, row.model, body["host"], Opinion.of(body), body["said"], row.at)


def root(conn: Connection, learner: Learner, key: str) -> str:
    """The key of the attempt in which the words were said: a take that is rated again has one of its own."""
    while key.startswith(AGAIN):
        key = key_of(conn, learner, TakeId(int(key.removeprefix(AGAIN))))
    return key


def key_of(conn: Connection, learner: Learner, take_id: TakeId) -> str:
    """The key of the attempt that became this take."""
    return store_opinions.idem_of(conn, learner.id, take_id).removeprefix("take:")


async def comment(judge: Judge, question: Question, limit_s: float = LIMIT_S) -> Opinion:
    """Ask the judge. Raises NoAnswer, with a sentence, for whatever goes wrong there."""
    body = judging.request(judge.model, question.text, question.points, question.said)
    answer = await chat.ask(judge, body, judging.plainer(body), limit_s=limit_s)
    try:
        return judging.read(judging.content(answer), [point.id for point in question.points])
    except judging.Unreadable as problem:
        raise NoAnswer(str(problem)) from None


def keep(
    conn: Connection,
    learner: Learner,
    now: datetime,
    key: str,
    judge: Judge,
    question: Question,
    given: Opinion,
) -> None:
    body = {**given.body(), "host": judge.host, "said": mark(question.said)}
    store_opinions.keep(conn, learner.id, key, judge=judge.name, model=judge.model, body=body, at=now)


def mark(said: str) -> str:
    """A short mark of a text, by which it is known that it has changed since."""
    return hashlib.sha256(said.encode()).hexdigest()[:16]
