"""What a showing can be marked by, and what was said to it, marked: for the pages and for the API alike."""

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.demos import evidence
from app.demos.records import Records
from app.library import markable
from app.study.cards import Card
from app.study.faces import Face
from app.study.marking import Mark, Run, Said, Sheet, fields, form, mark
from app.study.tickets import Note
from app.web.errors import Invalid

LETTERS = "ABCDEFGH"
SIGNED = 60_000  # characters of a signed note that carries what was said


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


def sent(paper: Sheet, note: Note, pairs: Iterable[tuple[str, str]]) -> tuple[Note, Mark | None]:
    """What a form sent, or what the note carries of an earlier look: the note that carries it, and its mark."""
    try:
        told = form.said(pairs, fields(paper)) or _carried(note)
    except form.TooLong as error:
        raise Invalid(str(error)) from None
    return said(paper, note, told)


def said(paper: Sheet, note: Note, told: Said) -> tuple[Note, Mark | None]:
    """The note that carries what was said, for the log, and its mark. Raises Invalid with a sentence."""
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


def _carried(note: Note) -> Said:
    kept = note.given.get("said", {})
    return kept if isinstance(kept, dict) else {}


def _run(conn: Connection, records: Records, learner: Learner, line: str | None) -> Run | None:
    found = evidence.of_line(conn, records, learner, line)
    return Run(found.blocks, found.words) if found else None
