"""The rows of a table as cards of ours. Pure."""

from collections.abc import Iterator

from app.interchange.delimited import Row, Table
from app.interchange.guids import note_id
from app.interchange.html_text import markdown, words
from app.interchange.incoming import Batch, Incoming, Left
from app.interchange.signs import escaped
from app.library import cloze
from app.library.values import LEVELS

TAKEN = ("question", "cloze", "reverse", "typed", "code", "number")


def batch(table: Table, name: str) -> Batch:
    """The cards of a table; `name` is the deck of the rows that name none."""
    left = Left()
    return Batch(tuple(_cards(table, name, left)), left)


def _cards(table: Table, name: str, left: Left) -> Iterator[Incoming]:
    for row in table.rows:
        guid = row.cells.get("guid", "").strip()
        sides = _sides(row)
        if not guid:
            left.skip(sides[0] or f"line {row.line}", f"line {row.line} has no guid")
        elif not sides[0].strip():
            left.skip(f"line {row.line}", "its front is empty")
        else:
            yield _card(table, row, guid, sides, name, left)


def _sides(row: Row) -> tuple[str, str]:
    others = list(row.others)
    front = row.cells["front"] if "front" in row.cells else others.pop(0) if others else ""
    back = row.cells["back"] if "back" in row.cells else "\n\n".join(filter(None, others))
    return front, back


def _card(table: Table, row: Row, guid: str, sides: tuple[str, str], name: str, left: Left) -> Incoming:
    cell = row.cells.get
    kind = _kind(cell("kind", ""), sides[0])
    front, back = sides
    plainly = ("", "")
    if table.html:
        plainly = (escaped(words(front), gaps=kind == "cloze"), escaped(words(back)))
        for taken in (asked := markdown(front, gaps=kind == "cloze"), told := markdown(back)):
            left.pictures += len(taken.media)
            left.as_code += taken.as_code
            left.merged += taken.merged
        front, back = asked.text, told.text
    tags = tuple(cell("tags", "").replace(",", " ").split())
    level = next((level for level in LEVELS if level.lower() == cell("level", "").strip().lower()), "")
    return Incoming(
        guid=guid,
        id=note_id(guid),
        deck=_deck(cell("deck", "")) or (name,),
        kind=kind,
        front=front,
        back=back,
        answer=" ".join(cell("answer", "").split()),
        tags=tags,
        level=level,
        core=cell("core", "").strip().lower() in ("yes", "true", "1"),
        source=" ".join(cell("source", "").split()),
        plainly=plainly,
    )


def _deck(text: str) -> tuple[str, ...]:
    parts = text.split("::") if "::" in text else text.split("/")
    return tuple(part.strip() for part in parts if part.strip())


def _kind(told: str, front: str) -> str:
    """The kind that the row names; where it names another one, or none, a text with gaps is a cloze."""
    kind = told.strip().lower()
    if kind in TAKEN:
        return kind
    return "cloze" if cloze.opens(front) else "question"
