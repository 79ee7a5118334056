"""What the study room does: show the next card, reveal it, take an answer. Marks, undo and redo are in changes.py.

Every function works on an open connection at the moment `now` and begins no transaction. The drill room's spoken
cards share the log, the scheduler and undo: what it may call ends in _spoken.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.library import drawing
from app.library.values import LEVELS
from app.study import (
    answering,
    daily,
    queue,
    rebuild,
    store,
    store_kept,
    store_log,
    store_queue,
    store_undo,
    words,
)
from app.study.cards import Card, Event
from app.study.chosen import ALL, MOST_AHEAD, Chosen
from app.study.cramming import Cram
from app.study.memory import Grade, Memory
from app.study.queue import Counts, Queue
from app.study.rebuild import Difference
from app.study.results import Answered, Desk, Done, Showing, Spoken, Step, Today
from app.study.scheduling import CardId, CardState, Next, SchedulerSettings
from app.study.words import Choice
from app.web.errors import Conflict, Invalid, NotFound

LONGEST_MS = 60_000
STALE = "This card was answered or changed elsewhere meanwhile, so this answer was not counted."
KEPT_BESIDE = (
    ("answered", "its answers are summed up otherwise than the log has them", store_kept.answered),
    ("due", "it waits in the queue otherwise than its state says", store_kept.due),
    ("new", "it is new, and the queue begins after it", store_kept.passed),
    ("size", "its cards are counted otherwise than there are", store_kept.sizes),
)
RETIRED = "This card has left its deck meanwhile; its history is kept."


def next_card(
    conn: Connection, learner: Learner, now: datetime, chosen: Chosen = ALL, first: str | None = None
) -> Showing | Done:
    """The card to show at `now`, of those that were chosen; `first` is shown before others if it may be shown."""
    check(conn, chosen)
    row = daily.row(conn, learner, now, chosen, CardId(first) if first else None)
    desk = _desk(conn, learner, now, row)
    card_id = row.next(now)
    if card_id is None:
        return Done(*desk, next_due=_next_due(conn, learner, now, row, chosen))
    return Showing(*desk, card=_card(conn, learner, card_id))


def desk(conn: Connection, learner: Learner, now: datetime, chosen: Chosen = ALL) -> Desk:
    """The day as it stands, of the chosen cards."""
    return Desk(*_desk(conn, learner, now, daily.row(conn, learner, now, chosen)))


def counts(conn: Connection, learner: Learner, now: datetime, chosen: Chosen = ALL) -> Counts:
    """How many of the chosen cards are left today."""
    check(conn, chosen)
    return daily.row(conn, learner, now, chosen).counts


def check(conn: Connection, chosen: Chosen) -> None:
    """Raises NotFound, or Invalid, for what nobody can choose."""
    if chosen.deck and not store_queue.has_deck(conn, chosen.deck):
        raise NotFound(f"There is no deck {chosen.deck[:80]!r}. The Cards page lists all there are.")
    if chosen.tag and not store_queue.has_tag(conn, chosen.tag):
        raise NotFound(f"No card has the tag {chosen.tag[:80]!r}. The Cards page lists all tags there are.")
    if chosen.level and chosen.level not in LEVELS:
        raise Invalid(f"There is no level {chosen.level[:20]!r}; choose one of {', '.join(LEVELS)}.")
    if not 0 <= chosen.ahead <= MOST_AHEAD:
        raise Invalid(f"Reviews may be looked at 1 to {MOST_AHEAD} days ahead, not {chosen.ahead}.")


def today(conn: Connection, learner: Learner, now: datetime) -> Today:
    row = daily.row(conn, learner, now, ALL)
    due = now if row.next(now) else _next_due(conn, learner, now, row, ALL)
    return Today(*_desk(conn, learner, now, row), next_due=due)


def begun(conn: Connection, learner: Learner) -> bool:
    """Whether the learner ever answered a card, to read or to say."""
    return store_log.any_event(conn, learner.id)


def reveal(
    conn: Connection, learner: Learner, now: datetime, card_id: str, revision: str
) -> tuple[Card, dict[Grade, Next]]:
    """The card with its answer, and what each grade would do. Raises Conflict when it has changed since shown."""
    card = _unchanged(conn, learner, card_id, revision)
    return card, answering.outcomes(learner, now, card)


def answer(
    conn: Connection,
    learner: Learner,
    now: datetime,
    *,
    card_id: str,
    revision: str,
    grade: int,
    ms: int | None,
    idem: str,
    given: Mapping[str, object] = MappingProxyType({}),
    cram: bool = False,
) -> Answered:
    """Take a grade for a card; that of a `cram` goes into the log and changes nothing else.

    A repeat, known by `idem`, changes nothing and gives what the first gave.

    `idem` is the key of the showing, so the numbers that were drawn from it are kept with the answer, as is what was
    `given`: what was said before the reveal, and its mark.

    Raises Conflict when the card was answered, undone or edited since it was shown with `revision`.
    """
    graded_as = _grade(grade)
    known = store_log.event_by_idem(conn, learner.id, idem)
    if known is not None:
        return _answered(known)
    card = _unchanged(conn, learner, card_id, revision)
    capped = None if ms is None else min(max(ms, 0), LONGEST_MS)
    drawn = {"drawn": drawing.values(card.drawn, idem)} if card.drawn else {}
    detail: dict[str, object] = {**drawn, **given}
    write = answering.record_cram if cram else answering.record
    return _answered(write(conn, learner, now, card, graded_as, ms=capped, idem=idem, detail=detail))


def graded(conn: Connection, learner: Learner, idem: str) -> bool:
    """Whether an answer with this key was taken; one that was undone since stays taken."""
    return store_log.event_by_idem(conn, learner.id, idem) is not None


def state_of(conn: Connection, learner: Learner, card_id: str) -> CardState:
    """Where the learner stands with a card; one that was never answered stands as new."""
    return store.standings(conn, learner.id, [CardId(card_id)])[CardId(card_id)].state


def standings(conn: Connection, learner: Learner, now: datetime, card_ids: Sequence[str]) -> dict[str, str]:
    """For each card where it stands, in words: "new", "due today", "due in 3 days"."""
    found = store.standings(conn, learner.id, [CardId(card_id) for card_id in card_ids])
    day = learner.day(now)
    return {card_id: words.standing(standing, day, now) for card_id, standing in found.items()}


def history(conn: Connection, learner: Learner, card_id: str, limit: int = 50) -> list[Event]:
    """A card's answers, newest first, undone ones included and marked."""
    return store_log.history(conn, learner.id, CardId(card_id), limit)


def recall(learner: Learner) -> Callable[[Memory, int], float]:
    """The chance to recall a card of some memory so many days after its last answer, for this learner."""
    return SchedulerSettings.of(learner.prefers).model.retrievability


def answer_spoken(
    conn: Connection,
    learner: Learner,
    now: datetime,
    *,
    card_id: str,
    grade: int,
    ms: int,
    idem: str,
    detail: dict[str, object],
) -> Answered:
    """Take the grade of a spoken card; `ms` is the time spoken. A repeat, known by `idem`, changes nothing."""
    given = _grade(grade)
    known = store_log.event_by_idem(conn, learner.id, idem)
    if known is not None:
        return _answered(known)
    card = _spoken(conn, learner, card_id)
    event = answering.record(conn, learner, now, card, given, ms=max(ms, 0), idem=idem, detail=detail)
    return _answered(event)


def preview_spoken(conn: Connection, learner: Learner, now: datetime, card_id: str) -> tuple[Choice, ...]:
    """The four grades of a spoken card, each with the interval it would give."""
    return words.choices(answering.outcomes(learner, now, _spoken(conn, learner, card_id)))


def due_spoken(conn: Connection, learner: Learner, now: datetime) -> tuple[Spoken, ...]:
    """Every spoken card in file order, with where it stands."""
    day = learner.day(now)
    ids = store_queue.spoken(conn, learner.id)
    return tuple(
        Spoken(
            card_id,
            found.state,
            due=found.state.due_day is not None and found.state.due_day <= day and not found.suspended,
            words=words.standing(found, day, now),
        )
        for card_id, found in store.standings(conn, learner.id, ids).items()
    )


def replay(conn: Connection) -> tuple[Difference, ...]:
    """Rebuild all states from the log; nothing is returned where the log and the states agree.

    What is kept beside both, so that sums and queues are quick, is made anew and compared, too.
    """
    settings = {
        snapshot_id: read
        for snapshot_id, body in store_log.snapshots(conn).items()
        if (read := rebuild.settings(body)) is not None
    }
    found: list[Difference] = []
    for learner in store_log.learners(conn):
        kept = store.all_standings(conn, learner)
        found += rebuild.differences(store_log.log(conn, learner), settings, kept)
    for what, wrong, look in KEPT_BESIDE:
        found += [Difference(CardId(card_id), what, wrong) for card_id in look(conn)]
    return tuple(found)


def _desk(
    conn: Connection, learner: Learner, now: datetime, row: Queue | Cram
) -> tuple[Counts, int, int, Step | None, Step | None]:
    minutes = queue.minutes(row.counts, queue.pace_s(*store_queue.spent(conn, learner.id)))
    day = learner.day(now)
    undo, redo = store_undo.newest_of_day(conn, learner.id, day), store_undo.redoable(conn, learner.id, day)
    done = row.done.new + row.done.reviews
    return row.counts, minutes, done, Step(*undo) if undo else None, Step(*redo) if redo else None


def _next_due(
    conn: Connection, learner: Learner, now: datetime, row: Queue | Cram, chosen: Chosen
) -> datetime | None:
    """When the next card comes, while none is due now; a cram has none to come."""
    if isinstance(row, Cram):
        return None
    day = learner.day(now)
    later = [card.due_at for card in row.learning if card.due_at is not None]
    if later:
        return min(later)
    if store_queue.left_over(conn, learner.id, day, chosen, answering.limits(learner)):
        return learner.day_start(day + timedelta(days=1))
    coming = store_queue.next_day(conn, learner.id, day, chosen)
    return learner.day_start(coming) if coming else None


def _card(conn: Connection, learner: Learner, card_id: str) -> Card:
    found = store.card(conn, learner.id, CardId(card_id))
    if found is None:
        raise NotFound(f"There is no card {card_id[:80]!r}. The Cards page lists all there are.")
    return found


def _unchanged(conn: Connection, learner: Learner, card_id: str, revision: str) -> Card:
    card = _card(conn, learner, card_id)
    if card.retired:
        raise Conflict(RETIRED)
    if card.revision != revision:
        raise Conflict(STALE)
    return card


def _spoken(conn: Connection, learner: Learner, card_id: str) -> Card:
    card = _card(conn, learner, card_id)
    if card.queue != "drill":
        raise Invalid(f"{card_id[:80]!r} is a card to read. The drill takes spoken cards only.")
    return card  # retired or not: what was said while its card left the deck is kept


def _grade(grade: int) -> Grade:
    try:
        return Grade(grade)
    except ValueError:
        raise Invalid("The grade must be 1 (Again), 2 (Hard), 3 (Good) or 4 (Easy).") from None


def _answered(event: Event) -> Answered:
    state = event.after
    if event.kind == "cram":
        wait = ""
    elif state.due_at is not None:
        wait = words.minutes(state.due_at - event.at)
    else:
        wait = words.days((state.due_day - event.study_day).days if state.due_day else 0)
    return Answered(event.id, event.card_id, event.grade, state, wait, event.undone, event.leech)
