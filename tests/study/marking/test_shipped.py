"""Every card that ships and can be marked: who says what the card says is right, in whatever draw."""

import json
from collections.abc import Iterator
from pathlib import Path

from app.demos.records import Records
from app.library import drawing, markable
from app.library.format import parse_deck
from app.library.notes import Note
from app.settings import ROOT
from app.study.marking import Run, Sheet, fields, mark, predicting
from app.study.marking.shapes import ShapeGuess, told
from app.study.marking.squares import MaskGuess
from app.study.marking.values import ValueGuess
from kernels.catalog import params_hash, parse_line

RECORDS = Records(ROOT / "content" / "recorded")


def notes(*kinds: str) -> Iterator[Note]:
    for path in sorted(Path(ROOT / "content" / "decks").glob("*.md")):
        yield from (
            note
            for note in parse_deck(path.read_text(encoding="utf-8"), path.name).notes
            if note.kind in kinds
        )


def sheet(note: Note, run: Run | None = None) -> Sheet:
    kept = markable.markable(note)
    accepted = kept.get("accepted", [])
    assert isinstance(accepted, list)
    return Sheet(
        kind=note.kind,
        accepted=tuple(accepted),
        quantity=markable.quantity(kept),
        tolerance=markable.tolerance(kept),
        code=str(kept.get("code", "")),
        claims=note.expects,
        run=run,
    )


def right(made: Sheet, said: dict[str, str]) -> bool:
    found = mark(made, said)
    return found is not None and found.verdict == "right"


def test_a_cards_own_answer_is_right() -> None:
    lost = []
    for note in notes("typed", "number", "code"):
        made = sheet(note)
        quantity = (made.quantity.text,) if made.quantity else ()
        answers = (*made.accepted, *quantity, *((made.code,) if made.code else ()))
        assert answers, note.id
        lost += [(note.id, answer) for answer in answers if not right(made, {"answer": answer})]
    assert lost == []


def test_an_estimate_is_right_in_every_draw_as_it_is_shown() -> None:
    lost = []
    for note in notes("estimate"):
        kept = drawing.source(note)
        assert kept is not None
        for key in (None, "a", "b", "c"):
            shown = drawing.show(kept, key)
            assert shown is not None
            assert shown.answer_value is not None
            within = markable.tolerance(markable.markable(note))
            made = Sheet("estimate", quantity=shown.answer_value, tolerance=within)
            if not right(made, {"answer": shown.answer_value.text}):
                lost.append((note.id, shown.answer_value))
    assert lost == []


def test_a_prediction_of_what_the_run_shows_is_right() -> None:
    lost = []
    for note in notes("predict"):
        entry, params = parse_line(note.demo or "")
        found = RECORDS.of_params(entry.name, params_hash(entry, params))
        body = json.loads(found[0].body() or "{}") if found else {}
        for run in (Run(tuple(body["blocks"]), "a record") if body else None, None):
            made = sheet(note, run)
            labels = [field.label for field in fields(made)]
            assert labels, note.id
            assert len(labels) == len(set(labels)), (note.id, labels)
            if made.quantity is None and not made.accepted:
                for guess in predicting.guesses(made):
                    if not right(made, {guess.field.name: said(guess)}):
                        lost.append((note.id, guess.field.label, said(guess)))
    assert lost == []


def said(guess: predicting.Guess) -> str:
    match guess:
        case ShapeGuess(sizes=sizes):
            return told(sizes)
        case MaskGuess(cells=cells):
            return "/".join("".join(str(int(cell or 0)) for cell in row) for row in cells)
        case ValueGuess(got=bool() as yes):
            return "yes" if yes else "no"
        case ValueGuess(got=float() as number, unit=unit):
            return f"{number!r} {unit}".strip()
    return str(guess.got)
