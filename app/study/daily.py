"""The day's queue of a learner: what is due, what is new by the daily limit or by a round's plan, or a cram."""

from datetime import date, datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.rounds import service as rounds
from app.rounds.outlook import DayPlan
from app.study import answering, cramming, queue, store_queue
from app.study.chosen import Chosen
from app.study.cramming import Cram
from app.study.planned import planned
from app.study.queue import Limits, Queue, Waiting


def row(conn: Connection, learner: Learner, now: datetime, chosen: Chosen) -> Queue | Cram:
    """The chosen cards of the day in their order; of all cards where nothing in particular was chosen."""
    if chosen.cram is not None:
        cards = store_queue.cards(conn, learner.id, chosen, cramming.MOST)
        return cramming.build(cards, store_queue.crammed(conn, learner.id, chosen.cram), chosen.cram)
    day, limits = learner.day(now), answering.limits(learner)
    learning = store_queue.learning(conn, learner.id, day, chosen)
    here = store_queue.done_of(conn, learner.id, day, chosen) if chosen.some else None
    if chosen.ahead:
        reviews = store_queue.ahead(conn, learner.id, day, chosen)
        return queue.build(learning, reviews, (), {}, Limits(0, len(reviews)), here)
    plan = rounds.day_plan(conn, learner, now)
    found = queue.build(
        learning,
        store_queue.reviews(conn, learner.id, day, chosen, limits),
        _new_by_limit(conn, learner, day, chosen, limits, plan),
        store_queue.done(conn, learner.id, day),
        limits,
        here,
    )
    if plan is None:
        return found
    new = store_queue.new_among(conn, learner.id, day, chosen, plan.new)
    return planned(found, plan, new, store_queue.unlooked(conn, learner.id, day, chosen, plan.since))


def _new_by_limit(
    conn: Connection, learner: Learner, day: date, chosen: Chosen, limits: Limits, plan: DayPlan | None
) -> list[Waiting]:
    """The new cards that come by the daily limit: all of them, but for the topics of a round."""
    if plan is None:
        return store_queue.new(conn, learner.id, day, chosen, limits)
    if plan.everything:
        return []
    return store_queue.new_beside(conn, learner.id, day, chosen, limits, plan.topics)
