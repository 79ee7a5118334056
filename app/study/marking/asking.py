"""Which fields a showing offers before its answer is shown. Pure."""

from app.study.marking import predicting
from app.study.marking.sheet import ANSWER, Field, Sheet

TEXT = Field(ANSWER, "text", "Your answer")
# The unit is not told: finding it is a part of the answer.
QUANTITY = Field(ANSWER, "quantity", "Your answer", "A number with its unit, such as 1.5 GB or 3e5.")
CODE = Field(ANSWER, "code", "Your code", "Compared as text; it is not run.")
FREE = Field(ANSWER, "text", "Your prediction", "Kept beside the answer, to compare.")


def fields(sheet: Sheet) -> tuple[Field, ...]:
    """What may be filled in; nothing where a card is only thought about."""
    counts = sheet.quantity is not None and sheet.quantity.value is not None
    match sheet.kind:
        case "number" | "estimate" | "predict" if counts:
            return (QUANTITY,)
        case "typed" | "predict" if sheet.accepted:
            return (TEXT,)
        case "predict":
            return _prediction(sheet)
        case "spot" if sheet.letter:
            return (Field(ANSWER, "letter", "The wrong sentence is", choices=sheet.letters),)
        case "code" if sheet.code:
            return (CODE,)
    return ()


def _prediction(sheet: Sheet) -> tuple[Field, ...]:
    """Shapes and masks, or else free words; then the single values, whose names tell where to look, folded away."""
    guesses = [guess.field for guess in predicting.guesses(sheet)]
    drawn = [field for field in guesses if not field.folded]
    return (*(drawn or (FREE,)), *(field for field in guesses if field.folded))
