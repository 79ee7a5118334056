"""Whatever a learner does, the log leads to the states that are kept; and a state that was touched is found."""

import random
from datetime import date, timedelta

import pytest
from sqlalchemy import Connection, select, update

from app.accounts.learner import Learner
from app.db import tables as t
from app.db.engine import Database
from app.study import service, store
from app.study.results import Showing
from app.study.scheduling import CardState
from tests.conftest import MovableClock, add_cards


@pytest.mark.parametrize("seed", range(6))
def test_random_sittings(db: Database, learner: Learner, clock: MovableClock, seed: int) -> None:
    draw = random.Random(seed)
    add_cards(db, "a", "b", "n.1", "n.2", "n.3", "c", "m.1", "m.2")
    add_cards(db, "pitch", queue="drill")
    stack: list[tuple[int, object]] = []
    for turn in range(60):
        now = clock()
        with db.write() as conn:
            before = _kept(conn, learner)
            if stack and draw.random() < 0.25:
                event, was = stack.pop()
                service.undo(conn, learner, now, event)
                assert _kept(conn, learner) == was
                continue
            if draw.random() < 0.1:
                said = service.answer_spoken(
                    conn,
                    learner,
                    now,
                    card_id="pitch",
                    grade=draw.randint(1, 4),
                    ms=9,
                    idem=f"t{turn}",
                    detail={},
                )
                stack.append((said.event, before))
            shown = service.next_card(conn, learner, now)
            if isinstance(shown, Showing):
                before = _kept(conn, learner)
                card = shown.card
                given = service.answer(
                    conn,
                    learner,
                    now,
                    card_id=card.id,
                    revision=card.revision,
                    grade=draw.randint(1, 4),
                    ms=None,
                    idem=str(turn),
                )
                stack.append((given.event, before))
        clock.now += draw.choice(
            [timedelta(minutes=2), timedelta(hours=5), timedelta(days=3, seconds=0.1234)]
        )
    with db.read() as conn:
        assert service.replay(conn) == ()
        assert conn.execute(select(t.undo)).first() is not None


def test_a_touched_state_is_found(db: Database, learner: Learner, clock: MovableClock) -> None:
    add_cards(db, "a", "n.1", "n.2")
    with db.write() as conn:
        for turn in range(2):
            shown = service.next_card(conn, learner, clock())
            assert isinstance(shown, Showing)
            card = shown.card
            service.answer(
                conn,
                learner,
                clock(),
                card_id=card.id,
                revision=card.revision,
                grade=3,
                ms=None,
                idem=str(turn),
            )
        conn.execute(update(t.card_state).where(t.card_state.c.card_id == "a").values(lapses=7))
        conn.execute(update(t.card_state).where(t.card_state.c.card_id == "n.2").values(buried_until=None))
    with db.read() as conn:
        found = service.replay(conn)
    assert [(d.card_id, d.what) for d in found] == [("a", "state"), ("n.2", "buried")]
    assert "lapses=7" in str(found[0])


def _kept(conn: Connection, learner: Learner) -> dict[str, tuple[CardState, date | None]]:
    """All states as they are kept; a card back at new and not hidden counts as if it had no row."""
    found = store.all_standings(conn, learner.id).items()
    states = {card_id: (one.state, one.buried_until) for card_id, one in found}
    return {card_id: kept for card_id, kept in states.items() if kept != (CardState(), None)}
