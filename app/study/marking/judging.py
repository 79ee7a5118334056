"""What was said, marked field by field. Pure."""

from app.study.marking import predicting, quantities, recall, wording
from app.study.marking.asking import FREE, fields
from app.study.marking.sheet import ANSWER, Field, Said, Sheet
from app.study.marking.verdicts import FieldMark, Mark

CLAIMED = "what the card claims of its demo, which nobody has run here yet"
COMPARE = "Compare it with the answer."


def mark(sheet: Sheet, said: Said) -> Mark | None:
    """The mark of what was said; None where nothing was, or where the card takes nothing."""
    told = {
        field.name: (field, said[field.name]) for field in fields(sheet) if said.get(field.name, "").strip()
    }
    if not told:
        return None
    if sheet.kind == "predict" and not sheet.quantity and not sheet.accepted:
        return _prediction(sheet, {name: text for name, (_, text) in told.items()})
    field, text = told[ANSWER]
    return Mark((_answer(sheet, field, text),))


def _answer(sheet: Sheet, field: Field, text: str) -> FieldMark:
    match field.kind:
        case "letter":
            return _letter(field, text, sheet)
        case "code":
            return recall.judged(field.name, field.label, text, sheet.code)
        case "quantity":
            assert sheet.quantity is not None
            return quantities.judged(field.name, field.label, text, sheet.quantity, sheet.tolerance)
    return wording.judged(field.name, field.label, text, sheet.accepted)


def _letter(field: Field, text: str, sheet: Sheet) -> FieldMark:
    letter = text.strip().upper()[:1]
    if letter not in sheet.letters:
        words = f"“{text.strip()[:20]}” is none of the letters; choose one of {', '.join(sheet.letters)}."
        return FieldMark(field.name, field.label, text, "unread", words)
    if letter == sheet.letter:
        return FieldMark(field.name, field.label, letter, "right", "Right.")
    return FieldMark(
        field.name, field.label, letter, "wrong", f"{letter} is right; {sheet.letter} is the wrong one."
    )


def _prediction(sheet: Sheet, said: Said) -> Mark:
    marks = [FieldMark(FREE.name, FREE.label, said[ANSWER], "unmarked", COMPARE)] if ANSWER in said else []
    guesses = predicting.guesses(sheet)
    marked = [guess.judged(said[guess.field.name]) for guess in guesses if guess.field.name in said]
    against = sheet.run.words if sheet.run else CLAIMED
    return Mark((*marks, *marked), against=against if marked else "")
