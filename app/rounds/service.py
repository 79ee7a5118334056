"""What the rounds tell: the learner's dates, the plan towards each, how ready they are, and the day's share of it.

A plan is made of the morning's states, so it holds all day: it is worked out once for each learner and day, and again
when a round or a deck changes.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.rounds import plan, store
from app.rounds.cards import Round, RoundId, reaches
from app.rounds.memo import Memo
from app.rounds.outlook import DayPlan, Outlook
from app.rounds.plan import RoundPlan
from app.rounds.readiness import Topic, chances, readiness
from app.rounds.sheet import Held
from app.rounds.wanted import Asked, Wanted, read
from app.study.memory import Model
from app.study.queue import pace_s
from app.study.scheduling import CardId, SchedulerSettings
from app.web.errors import NotFound

MOST_ROUNDS = 20
DEBRIEF_DAYS = 14  # how long Today asks what was asked


_plans = Memo[tuple[RoundPlan, ...]]()
_chances = Memo[Mapping[CardId, float]]()
_ready = Memo[tuple[Topic, tuple[Topic, ...]]]()


def rounds(conn: Connection, learner: Learner) -> list[Round]:
    """All rounds, the earliest first."""
    return store.rounds(conn, learner.id)


def one_round(conn: Connection, learner: Learner, round_id: int) -> Round:
    """Raises NotFound."""
    for one in store.rounds(conn, learner.id):
        if one.id == round_id:
            return one
    raise NotFound("There is no such round; it may have been removed.", (("rounds", "All rounds"),))


def decks(conn: Connection) -> list[tuple[str, str]]:
    """Name and title of each deck that a round can be about."""
    return store.decks(conn)


def add(conn: Connection, learner: Learner, now: datetime, asked: Asked) -> Round | Wanted:
    """Keep the round; or give back what was asked, with a sentence for each field that does not fit."""
    found = _read(conn, learner, now, asked, full=len(store.rounds(conn, learner.id)) >= MOST_ROUNDS)
    if isinstance(found, Wanted):
        return found
    return replace(found, id=store.add(conn, learner.id, found, now))


def change(conn: Connection, learner: Learner, now: datetime, round_id: int, asked: Asked) -> Round | Wanted:
    """As `add`, of a round that is there. Raises NotFound."""
    known = one_round(conn, learner, round_id)
    found = _read(conn, learner, now, asked, known=known)
    if isinstance(found, Wanted):
        return found
    changed = replace(found, id=known.id, debriefed_at=known.debriefed_at)
    store.change(conn, learner.id, changed)
    return changed


def remove(conn: Connection, learner: Learner, round_id: int) -> None:
    """Forget the round; its cards and their history stay. A repeat changes nothing."""
    store.remove(conn, learner.id, RoundId(round_id))


def outlooks(conn: Connection, learner: Learner, now: datetime) -> tuple[Outlook, ...]:
    """Every round that lies ahead, the nearest first."""
    today, model = learner.day(now), _model(learner)
    key, made = _planned(conn, learner, today)
    begun = store.begun_today(conn, learner.id, today) if made else frozenset()

    def outlook(one: RoundPlan) -> Outlook:
        recalls = _chances.get((key, one.round.id), lambda: chances(one, model))
        whole, topics = _ready.get((key, one.round.id, begun), lambda: readiness(one, recalls, begun))
        return Outlook(one, whole, topics, begun)

    return tuple(outlook(one) for one in made)


def to_debrief(conn: Connection, learner: Learner, now: datetime) -> Round | None:
    """The last round that is over, of which was not yet written down what was asked; None after a fortnight."""
    today = learner.day(now)
    over = [
        one
        for one in store.rounds(conn, learner.id)
        if today - timedelta(days=DEBRIEF_DAYS) <= one.date <= today and one.debriefed_at is None
    ]
    return over[-1] if over else None


def on_the_eve(conn: Connection, learner: Learner, one: Round) -> list[Held]:
    """The round's cards that were seen, suspended ones too: what a sheet for the eve is chosen from."""
    known = store.cards(conn, learner.id, suspended=True)
    lapses = store.lapses(conn, learner.id)
    return [
        Held(card, lapses.get(card.id, 0))
        for card in known
        if card.seen and one.asks_of(card.deck) and reaches(one, card)
    ]


def debriefed(conn: Connection, learner: Learner, now: datetime, one: Round) -> None:
    """What was asked is written down, or there was nothing to write down."""
    store.debriefed(conn, learner.id, one.id, now)


def day_plan(conn: Connection, learner: Learner, now: datetime) -> DayPlan | None:
    """What the rounds ask of today; None: no round lies ahead."""
    today = learner.day(now)
    _, made = _planned(conn, learner, today)
    if not made:
        return None
    looks: dict[CardId, date] = {}
    since: dict[CardId, date] = {}
    for one in made:
        for card_id, day in one.looks.days.items():
            if day <= today and card_id not in looks:
                looks[card_id], since[card_id] = day, one.looks.since
    new = dict.fromkeys(card.id for one in made for card in one.share)
    unseen = {card.id for one in made for card in (*one.cards, *one.above) if not card.seen}
    topics = dict.fromkeys(topic for one in made for topic in one.round.topics)
    everything = any(not one.round.topics for one in made)
    return DayPlan(tuple(topics), everything, tuple(new), frozenset(unseen - new.keys()), looks, since)


def _planned(
    conn: Connection, learner: Learner, today: date
) -> tuple[tuple[object, ...], tuple[RoundPlan, ...]]:
    """The plans of this day, and the key they are kept under."""
    mine = tuple(one for one in store.rounds(conn, learner.id) if one.date > today)
    if not mine:
        return (), ()
    key = (str(conn.engine.url), learner.id, learner.prefers, today, mine, store.stamp(conn))

    def work_out() -> tuple[RoundPlan, ...]:
        pace = pace_s(*store.spent_before(conn, learner.id, today))
        return plan.plans(mine, store.cards(conn, learner.id, today), today, pace, _model(learner))

    return key, _plans.get(key, work_out)


def _model(learner: Learner) -> Model:
    return SchedulerSettings.of(learner.prefers).model


def _read(
    conn: Connection,
    learner: Learner,
    now: datetime,
    asked: Asked,
    *,
    known: Round | None = None,
    full: bool = False,
) -> Round | Wanted:
    names = [name for name, _ in store.decks(conn)]
    return read(asked, learner.day(now), names, known=known, full=MOST_ROUNDS if full else 0)
