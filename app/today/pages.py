"""Today: what is due, and the one thing to do next."""

from fastapi import APIRouter, Request
from fastapi.responses import Response

from app.accounts.service import Current
from app.drill import service as drill
from app.library import service as library
from app.rounds import service as rounds
from app.rounds import views as round_views
from app.study import service as study
from app.study.words import until
from app.today.view import Have, today_view
from app.web.api import Its
from kernels.catalog import DEMOS

router = APIRouter(include_in_schema=False)


@router.get("/")
def today(request: Request, its: Its, learner: Current) -> Response:
    now = its.clock()
    with its.db.read() as conn:
        decks = library.decks(conn)
        problems = library.problems(conn)
        begun = study.begun(conn, learner)
        cards = study.today(conn, learner, now)
        pitches = drill.today(conn, learner, now)
        ahead = rounds.outlooks(conn, learner, now)
        over = rounds.to_debrief(conn, learner, now)
    have = Have(
        cards=sum(deck.cards for deck in decks),
        begun=begun,
        due=cards.counts.learning + cards.counts.review,
        new=cards.counts.new,
        minutes=cards.minutes,
        done=cards.done,
        next_due=until(cards.next_due, now) if cards.next_due and cards.next_due > now else "",
        pitches=pitches.due + pitches.new,
        pitches_s=pitches.planned_s,
        first_pitch=pitches.first or "",
        demos=len(DEMOS),
        worker=its.workers.view().words,
    )
    view = today_view(have, [f"{p.path}:{p.line}: {p.problem}. {p.fix}" for p in problems])
    return its.pages.render(
        request,
        "today/today.html",
        view=view,
        ready=round_views.ready_view(ahead[0]) if ahead else None,
        over=round_views.over_view(over, learner.day(now)) if over else None,
    )
