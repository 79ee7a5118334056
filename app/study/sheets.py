"""What a showing can be marked by, and what was said to it, marked: for the pages and for the API alike."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.demos import evidence
from app.demos.records import Records
from app.library import markable
from app.study import store
from app.study.cards import Card
from app.study.faces import Face
from app.study.marking import Mark, Run, Said, Sheet, fields, form, mark
from app.study.tickets import Note
from app.web.errors import Invalid

LETTERS = "ABCDEFGH"
SIGNED = 60_000  # characters of a signed ticket, which carries what was said
KEPT = timedelta(days=30)  # what was said to a showing that is never graded


def sheet(conn: Connection, records: Records, learner: Learner, card: Card, face: Face) -> Sheet:
    """The sheet of this showing. Only a prediction reads a result, and only where the card names no answer."""
    kept = card.markable
    quantity = markable.quantity(kept) or face.answer_value
    accepted = kept.get("accepted", ())
    assert isinstance(accepted, list | tuple)
    asks_a_run = card.kind == "predict" and quantity is None and not accepted
    return Sheet(
        kind=card.kind,
        accepted=tuple(accepted),
        quantity=quantity,
        tolerance=markable.tolerance(kept),
        code=str(kept.get("code", "")),
        letter=str(face.values.get("wrong", "")) if card.kind == "spot" else "",
        letters=tuple(LETTERS[: len(face.sentences)]),
        claims=card.claims if asks_a_run else (),
        run=_run(conn, records, learner, face.demo) if asks_a_run else None,
    )


def sent(paper: Sheet, pairs: Iterable[tuple[str, str]]) -> Said:
    """What a form says in the sheet's fields; empty: nothing. Raises Invalid with a sentence."""
    try:
        return form.said(pairs, fields(paper))
    except form.TooLong as error:
        raise Invalid(str(error)) from None


def keep(conn: Connection, learner: Learner, now: datetime, note: Note, told: Said) -> None:
    """Keep what was said to this showing until it is graded: its reveal, which has an address, shows it by its key."""
    store.keep_said(conn, learner.id, note.key, told, now)


def kept(conn: Connection, learner: Learner, paper: Sheet, note: Note) -> Said:
    """What was said to this showing before, in the fields that its card still has."""
    takes = {field.name for field in fields(paper)}
    found = store.said(conn, learner.id, note.key)
    return {name: text for name, text in found.items() if name in takes}


def forget(conn: Connection, learner: Learner, now: datetime, note: Note) -> None:
    """The showing is graded, so its event has what was said; what was never graded goes in a month."""
    store.forget_said(conn, learner.id, note.key, now - KEPT)


def said(paper: Sheet, note: Note, told: Said) -> tuple[Note, Mark | None]:
    """The note whose ticket carries what was said, for the log, and its mark. Raises Invalid with a sentence."""
    takes = [field.name for field in fields(paper)]
    for name in told:
        if name not in takes:
            listed = f"it takes {', '.join(takes)}" if takes else "it takes none"
            raise Invalid(f"This card has no field {name[:80]!r} to say something in; {listed}.")
    try:
        kept = form.clean(told)
    except form.TooLong as error:
        raise Invalid(str(error)) from None
    found = mark(paper, kept)
    given = {"said": dict(kept), "mark": found.to_json()} if found else {}
    return replace(note, given=given), found


def _run(conn: Connection, records: Records, learner: Learner, line: str | None) -> Run | None:
    found = evidence.of_line(conn, records, learner, line)
    return Run(found.blocks, found.words) if found else None
