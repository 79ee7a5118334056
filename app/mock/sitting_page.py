"""The page of an interview's open question, wherever one stands with it: to be answered, left, to be reviewed."""

from fastapi import Request
from fastapi.responses import Response
from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.drill import attempt as attempts
from app.drill.hearing import service as hearing
from app.drill.pitch import Pitch
from app.drill.recording import service as recordings
from app.drill.review import service as reviewing
from app.drill.said import service as said
from app.drill.said.views import SaidView
from app.drill.words import where_words
from app.mock import course, reporting, service, views, ways
from app.mock.interview import Sitting
from app.mock.plan import THINK_S
from app.web.parts import Parts


def page(request: Request, its: Parts, learner: Learner, interview: int, problem: str = "") -> Response:
    """The report's address once the interview is over."""
    with its.db.read() as conn:
        found = service.sitting(conn, learner, interview)
        if found.current is None:
            return ways.to_report(request, interview)
        name, view = _view(conn, its, learner, found, problem)
    return its.pages.render(request, f"mock/{name}.html", status=422 if problem else 200, view=view)


def answer(conn: Connection, its: Parts, learner: Learner, found: Sitting) -> tuple[int, SaidView]:
    """How many milliseconds the open question was answered, and what was said, as its review shows it."""
    asked, asks = found.current, found.asks
    assert asked is not None
    assert asks is not None
    words, points = (asks.words, asks.points) if isinstance(asks, Pitch) else (asks.face.words, ())
    path = f"mock/{found.interview.id}/{asked.turn.position}"
    told = reporting.told(conn, learner, asked)
    view = reviewing.answer(conn, its, learner, asked.attempt, told, words, points, path)
    return said.timed(asked.attempt, told).spoken_ms or 0, view


def _view(
    conn: Connection, its: Parts, learner: Learner, found: Sitting, problem: str
) -> tuple[str, views.ReviewView | views.LeftView | views.AskView]:
    """The name of the page, and what it is drawn from."""
    now, asked, asks = its.clock(), found.current, found.asks
    assert asked is not None
    assert asks is not None
    take = attempts.sign(its.signer, asked.attempt)
    if asked.attempt.state == "review":
        choices = service.choices(conn, learner, now, asks)
        spoken_ms, told = answer(conn, its, learner, found)
        return "review", views.review_view(found, spoken_ms, told, choices, take=take, problem=problem)
    begun = recordings.of_attempt(conn, learner, asked.attempt.key)
    elapsed_ms = asked.attempt.since_start_ms(now)
    if elapsed_ms is not None and course.is_left(elapsed_ms, asked.turn.planned_s):
        kept = begun is not None and begun.deleted_at is None
        return "left", views.left_view(found, now, recorded=kept, problem=problem)
    ask = views.ask_view(
        found,
        take=take,
        ready_s=THINK_S,
        now=now,
        where=where_words(hearing.sent_to(conn, learner, its.settings)),
        cut=begun is not None and begun.open,
        problem=problem,
    )
    return "ask", ask
