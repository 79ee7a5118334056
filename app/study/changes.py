"""What a learner does to cards besides answering them: marks, and undo and redo of all that the log has.

As in the service, every function works on an open connection and begins no transaction. A change that changes nothing
leaves no trace, so that a repeated one does no harm.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.study import answering, store, store_fresh, store_log, store_undo
from app.study.cards import Card, Change, Entry, Event
from app.study.marks import LONGEST_REMARK, MOVES, Marks, is_leech, kind_of
from app.study.results import Marked, Undone
from app.study.scheduling import CardId, CardState, called
from app.web.errors import Conflict, Invalid, NotFound

ALREADY = "This card has been answered or changed since, so that cannot be redone."


def marked(conn: Connection, learner: Learner, now: datetime, card_id: str) -> Marked:
    """The marks of a card; raises NotFound."""
    return _marked(learner, now, _card(conn, learner, card_id))


def leech(conn: Connection, learner: Learner, card_id: str) -> Card | None:
    """The card if it is suspended and was forgotten too often, to be told of; else None."""
    card = store.card(conn, learner.id, CardId(card_id))
    told = card is not None and card.standing.suspended and is_leech(card.standing.state)
    return card if told else None


def mark(
    conn: Connection,
    learner: Learner,
    now: datetime,
    card_id: str,
    *,
    buried: bool | None = None,
    suspended: bool | None = None,
    flagged: bool | None = None,
    remark: str | None = None,
) -> Marked:
    """Change marks of a card; None leaves one as it is. Each change is an event of its own, which undo takes back."""
    card = _card(conn, learner, card_id)
    today = learner.day(now)
    marks = card.standing.marks
    if suspended is not None:
        marks = _put(conn, learner, now, card, marks, replace(marks, suspended=suspended))
    if buried is not None and buried != marks.hidden(today):
        until = today + timedelta(days=1) if buried else None
        marks = _put(conn, learner, now, card, marks, replace(marks, buried_until=until))
    if flagged is not None:
        marks = _put(conn, learner, now, card, marks, replace(marks, flag=int(flagged)))
    if remark is not None:
        marks = _put(conn, learner, now, card, marks, replace(marks, remark=_remark(remark)))
    return _marked(learner, now, _card(conn, learner, card_id))


def call(conn: Connection, learner: Learner, now: datetime, card_id: str) -> bool:
    """Put a card into today's queue, by an event of its own; False where that changes nothing.

    A new card comes today, whatever the day's limit. One that is buried comes up; a suspended one is in no queue.
    """
    card = _card(conn, learner, card_id)
    today = learner.day(now)
    before = card.standing.state
    if not _may_be_called(card):
        return False
    buried = card.standing.marks.hidden(today)
    if buried:
        mark(conn, learner, now, card_id, buried=False)
    after = called(before, today)
    if after != before:
        store_log.add_change(
            conn,
            learner.id,
            card_id=card.id,
            kind=store_log.MOVED,
            at=now,
            study_day=today,
            offset_minutes=learner.offset_minutes(now),
            before=before,
            after=after,
        )
        store.put_state(conn, learner.id, card.id, after)
    if before.state == "new":
        store_fresh.advance(conn, learner.id, card.deck)
    return buried or after != before


def callable_cards(
    conn: Connection, learner: Learner, now: datetime, card_ids: Sequence[str]
) -> frozenset[str]:
    """Those of these cards that `call` would move."""
    today = learner.day(now)
    found = store.cards(conn, learner.id, [CardId(card_id) for card_id in card_ids])
    return frozenset(
        card.id
        for card in found
        if _may_be_called(card)
        and (card.standing.marks.hidden(today) or called(card.standing.state, today) != card.standing.state)
    )


def undo(conn: Connection, learner: Learner, now: datetime, event_id: int) -> Undone:
    """Take an answer or a change back: all stands as before it. A repeat changes nothing.

    Raises NotFound for an unknown event, and Conflict when a later one of the same note stands.
    """
    event = _event(conn, learner, event_id, "undo")
    if not event.undone:
        _nothing_later(conn, learner, event, of_itself=True)
        answering.take_back(conn, learner, now, event)
    return _undone(conn, learner, event, event.before)


def redo(conn: Connection, learner: Learner, now: datetime, event_id: int) -> Undone:
    """Give again what was taken back; a repeat changes nothing.

    Raises NotFound for an unknown event, and Conflict unless all stands as it did before the event.
    """
    event = _event(conn, learner, event_id, "redo")
    if event.undone:
        _nothing_later(conn, learner, event, of_itself=False)
        if not _as_before(conn, learner, event):
            raise Conflict(ALREADY)
        answering.give_again(conn, learner, now, event)
    return _undone(conn, learner, event, event.after)


def _may_be_called(card: Card) -> bool:
    """A pitch that was never said is in the drill's queue as it is: called, it would count as said."""
    waits = card.queue == "drill" and card.standing.state.state == "new"
    return not (waits or card.standing.suspended or card.retired)


def _put(conn: Connection, learner: Learner, now: datetime, card: Card, before: Marks, after: Marks) -> Marks:
    if before == after:
        return before
    kind = kind_of(before, after, learner.day(now))
    store_log.add_change(
        conn,
        learner.id,
        card_id=card.id,
        kind=kind,
        at=now,
        study_day=learner.day(now),
        offset_minutes=learner.offset_minutes(now),
        before=before,
        after=after,
    )
    store.put_marks(conn, learner.id, card.id, after, moves=kind in MOVES)
    return after


def _remark(text: str) -> str:
    kept = "\n".join(line.rstrip() for line in text.splitlines()).strip()
    if len(kept) > LONGEST_REMARK:
        raise Invalid(
            f"A note to self has at most {LONGEST_REMARK:,} characters; this one has {len(kept):,}."
        )
    return kept


def _as_before(conn: Connection, learner: Learner, event: Entry) -> bool:
    """Whether the card, and the siblings that the event would hide, stand as they did before it."""
    hidden = event.buried if isinstance(event, Event) else ()
    ids = [event.card_id, *(sibling.card_id for sibling in hidden)]
    now = store.standings(conn, learner.id, ids)
    if any(now[sibling.card_id].buried_until != sibling.before for sibling in hidden):
        return False
    here = now[event.card_id]
    return (here.marks if isinstance(event, Change) else here.state) == event.before


def _nothing_later(conn: Connection, learner: Learner, event: Entry, *, of_itself: bool) -> None:
    newest = store_undo.newest_of_note(conn, learner.id, event.note_key)
    if event.kind == "cram" or newest is None or newest < event.id or (of_itself and newest == event.id):
        return
    raise Conflict("A later answer or change of this card, or of its sibling, stands. Undo that one first.")


def _undone(conn: Connection, learner: Learner, event: Entry, left: CardState | Marks) -> Undone:
    """What an undo or redo answers: of an answer the state that it `left`, of a change the state of its card."""
    if isinstance(left, Marks):
        left = store.standings(conn, learner.id, [event.card_id])[event.card_id].state
    return Undone(event.id, event.card_id, event.kind, left)


def _event(conn: Connection, learner: Learner, event_id: int, what: str) -> Entry:
    found = store_log.entry(conn, learner.id, event_id)
    if found is None:
        raise NotFound(f"There is no such answer to {what}.")
    return found


def _card(conn: Connection, learner: Learner, card_id: str) -> Card:
    found = store.card(conn, learner.id, CardId(card_id))
    if found is None:
        raise NotFound(f"There is no card {card_id[:80]!r}. The Cards page lists all there are.")
    return found


def _marked(learner: Learner, now: datetime, card: Card) -> Marked:
    marks = card.standing.marks
    return Marked(
        card_id=card.id,
        buried=marks.hidden(learner.day(now)),
        suspended=marks.suspended,
        flagged=marks.flag > 0,
        remark=marks.remark,
        lapses=card.standing.state.lapses,
        state=card.standing.state,
    )
