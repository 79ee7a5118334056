"""The day's queue of a learner: what is due, what is new by the daily limit or by a round's plan, or a cram."""

from dataclasses import replace
from datetime import date, datetime

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.rounds import service as rounds
from app.rounds.outlook import DayPlan
from app.study import answering, cramming, queue, store_heaps, store_queue
from app.study.chosen import Chosen
from app.study.cramming import Cram
from app.study.planned import planned
from app.study.queue import Heap, Queue, Room, Row, Waiting
from app.study.scheduling import CardId


def row(
    conn: Connection, learner: Learner, now: datetime, chosen: Chosen, first: CardId | None = None
) -> Queue | Cram:
    """The chosen cards of the day in their order; of all cards where nothing in particular was chosen.

    `first` comes before the others, if it may be shown at `now`.
    """
    if chosen.cram is not None:
        cards = store_queue.cards(conn, learner.id, chosen, cramming.MOST)
        given = store_queue.crammed(conn, learner.id, chosen.cram)
        return cramming.build(cards, given, chosen.cram, first)
    day = learner.day(now)
    learning = store_queue.learning(conn, learner.id, day, chosen)
    here = store_queue.done_of(conn, learner.id, day, chosen) if chosen.some else None
    if chosen.ahead:
        return _ahead(conn, learner, now, chosen, learning, here, first)
    room = Room.left(answering.limits(learner), store_queue.done(conn, learner.id, day))
    plan = rounds.day_plan(conn, learner, now)
    reviews = store_heaps.reviews(conn, learner.id, day, chosen, room.limits)
    found = queue.build(learning, reviews, _new_by_limit(conn, learner, day, chosen, room, plan), room, here)
    new: list[Waiting] = []
    looks: list[Waiting] = []
    if plan is not None:
        new = store_queue.new_among(conn, learner.id, day, chosen, plan.new)
        looks = store_queue.unlooked(conn, learner.id, day, chosen, plan.since)
        found = planned(found, plan, new, looks)
    if first and (
        any(card.card_id == first for card in (*found.at(now), *new, *looks))
        or _due(conn, learner, day, chosen, room, first)
        or _comes_new(conn, learner, day, chosen, room, plan, first)
    ):
        return replace(found, asked=first)
    return found


def _ahead(
    conn: Connection,
    learner: Learner,
    now: datetime,
    chosen: Chosen,
    learning: list[Waiting],
    here: queue.Tally | None,
    first: CardId | None,
) -> Queue:
    reviews = store_queue.ahead(conn, learner.id, learner.day(now), chosen)
    found = Queue(queue.by_minute(learning), Row.of(reviews), Row(), here or queue.Tally())
    asked = any(card.card_id == first for card in (*found.at(now), *reviews))
    return replace(found, asked=first if asked else None)


def _new_by_limit(
    conn: Connection, learner: Learner, day: date, chosen: Chosen, room: Room, plan: DayPlan | None
) -> list[Heap]:
    """The new cards that come by the daily limit: all of them, but for the topics of a round."""
    if plan is None:
        return store_heaps.new(conn, learner.id, day, chosen, room.limits)
    if plan.everything:
        return []
    return store_heaps.new(conn, learner.id, day, chosen, room.limits, beside=plan.topics)


def _due(conn: Connection, learner: Learner, day: date, chosen: Chosen, room: Room, card_id: CardId) -> bool:
    """Whether the card is a due review, and its tree has room for one."""
    card = store_heaps.review(conn, learner.id, day, chosen, card_id)
    return card is not None and room.reviews(card.deck) > 0


def _comes_new(
    conn: Connection,
    learner: Learner,
    day: date,
    chosen: Chosen,
    room: Room,
    plan: DayPlan | None,
    card_id: CardId,
) -> bool:
    """Whether the card is new, comes by the daily limit, and its tree has room for one."""
    if plan is not None and plan.everything:
        return False
    topics = plan.topics if plan else ()
    return any(
        room.new(card.deck) > 0 and not any(queue.within(card.deck, topic) for topic in topics)
        for card in store_queue.new_among(conn, learner.id, day, chosen, [card_id])
    )
