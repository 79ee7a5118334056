"""Results that can be shown, wherever they come from: the runs of this house, and the records that ship with it.

A result has a name that says which it is: the id of its run, or the name of its record within its demo. A run's result
is its learner's alone, as the run is; records are there for everybody.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from sqlalchemy import Connection

from app.accounts.learner import LearnerId
from app.demos import store
from app.demos.records import Record, Records, State
from kernels.catalog import DEMOS, Demo, Params, code_hash, params_hash

MOST_EARLIER = 20


@dataclass(frozen=True)
class Found:
    """A result and where it is. `body` reads its JSON text, None where it cannot be read.

    `path` is its address, `on` names a record's device in a link and is empty for a run, `older` says that it was made
    by code that has changed since.
    """

    id: str
    demo: str
    params: Mapping[str, object]
    path: str
    on: str
    device: str
    at: datetime
    older: bool
    body: Callable[[], str | None]

    @property
    def recorded(self) -> bool:
        return bool(self.on)


def of_params(
    conn: Connection, records: Records, learner: LearnerId, entry: Demo, params: Params
) -> tuple[Found, ...]:
    """What there is of these parameters, the best first: the newest of this code that the learner ran, then records."""
    wanted = params_hash(entry, params)
    live = store.latest(conn, learner, wanted, code_hash(entry.name))
    recorded = (_of_record(record) for record in records.of_params(entry.name, wanted))
    return (*([_of_run(conn, live)] if live else []), *recorded)


def of_run(conn: Connection, learner: LearnerId, run: str) -> Found | None:
    """What a run of the learner's made, unless it was deleted."""
    kept = store.of_run(conn, learner, run)
    return None if kept is None else _of_run(conn, kept)


def named(conn: Connection, records: Records, learner: LearnerId, demo: str, name: str) -> Found | None:
    """The result of the demo that is called so."""
    record = records.find(demo, name)
    found = _of_record(record) if record else of_run(conn, learner, name)
    return found if found and found.demo == demo else None


def earlier(conn: Connection, records: Records, learner: LearnerId, demo: str) -> tuple[Found, ...]:
    """What the learner's runs of a demo left, at most MOST_EARLIER of them, and its records; newest first."""
    kept = (_of_run(conn, one) for one in store.of_demo(conn, learner, demo, MOST_EARLIER))
    found = [*kept, *map(_of_record, records.of_demo(demo))]
    return tuple(sorted(found, key=lambda one: one.at, reverse=True))


def _of_run(conn: Connection, kept: store.Kept) -> Found:
    return Found(
        id=kept.run,
        demo=kept.demo,
        params=kept.params,
        path=f"runs/{kept.run}",
        on="",
        device=kept.device,
        at=kept.at,
        older=kept.demo not in DEMOS or kept.code != code_hash(kept.demo),
        body=partial(store.body, conn, kept.run),
    )


def _of_record(record: Record) -> Found:
    head, params = record.head, record.params
    assert head is not None and params is not None  # noqa: PT018
    return Found(
        id=record.id,
        demo=record.demo,
        params=params,
        path=f"demos/{record.demo}/recorded/{record.id}",
        on=record.on,
        device=head.device.name or head.device.kind,
        at=record.at,
        older=record.state is not State.CURRENT,
        body=record.body,
    )
