"""The learner's own deck files, changed: a card put in place, taken out, added, or copied out of a shipped deck.

Nothing stays written that would not be read again: a file that the library refuses is put back as it was.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.db.engine import Database
from app.library import blocks, writing
from app.library.cards import Written
from app.library.decks import Decks
from app.library.errors import DeckError, DeckErrors
from app.library.fields import take_apart
from app.library.files import locate, read
from app.library.text import decode, unify
from app.settings import Settings
from app.web.errors import Invalid

EDITED = "edited"  # the tree of decks that holds copies of shipped cards


@dataclass(frozen=True)
class Desk:
    """What writing a card takes."""

    settings: Settings
    db: Database
    decks: Decks


def text(path: Path, name: str) -> str:
    """The text of a deck file, its line ends as they are. Raises Invalid where there is none."""
    try:
        return decode(read(path, name), name)
    except DeckErrors as error:
        raise Invalid(str(error.errors[0])) from None


def demo(deck: str) -> str | None:
    """The demo that a deck's text gives to cards which name none."""
    return next((field.text for field in take_apart(unify(deck), "").head if field.name == "demo"), None)


def replace(desk: Desk, written: Written, card: str) -> None:
    _change(desk, written, lambda raw, span: blocks.put(raw, span, card))


def remove(desk: Desk, written: Written) -> None:
    _change(desk, written, blocks.remove)


def _change(desk: Desk, written: Written, change: Callable[[str, blocks.Span], str]) -> None:
    path = locate(desk.settings, written.origin, written.path)
    assert path is not None
    raw = text(path, written.path)
    span = blocks.find(raw, written.names)
    assert span is not None
    write(desk, {path: change(raw, span)})


def copy(desk: Desk, written: Written, card: str) -> None:
    """Adds the card to the file of the learner's copies from its deck, which takes that deck's demo along.

    One whose deck is the learner's own goes back into that.
    """
    own = desk.settings.own_decks
    if written.deck_origin == "own":
        path = own.parent / written.deck_path
        head = new_deck(written.deck, written.deck_title)
    else:
        path = own / EDITED / f"{written.deck.replace('/', '-')}.md"
        shipped = locate(desk.settings, written.deck_origin, written.deck_path)
        demo_line = demo(text(shipped, written.deck_path)) if shipped else None
        head = new_deck(f"{EDITED}/{written.deck}", f"{written.deck_title}, edited", demo_line)
    before = text(path, path.relative_to(own.parent).as_posix()) if path.exists() else head
    write(desk, {path: blocks.add(before, card)})


def new_deck(name: str, title: str = "", demo_line: str | None = None) -> str:
    shown = f"demo: {demo_line}\n" if demo_line else ""
    return f"---\ndeck: {name}\ntitle: {title or name}\n{shown}---\n"


def write(desk: Desk, files: Mapping[Path, str]) -> None:
    """Write the files and read them. Where one would be refused, all are put back; raises Invalid with a sentence."""
    before = {path: path.read_bytes() if path.exists() else None for path in files}
    try:
        writing.put({path: deck.encode() for path, deck in files.items()})
        _forget_empty(files)
        refused = _refused(desk, files)
    except OSError as error:
        raise Invalid(
            f"The folder {desk.settings.own_decks} cannot be written ({error.strerror}), so nothing was saved; "
            "let the user that runs Aloud write there, and make room."
        ) from None
    if refused:
        writing.put({path: data for path, data in before.items() if data is not None})
        for path, data in before.items():
            if data is None:
                path.unlink(missing_ok=True)
        desk.decks.look()
        raise Invalid(f"Nothing was saved, since its deck file would not be read: {refused}")


def _refused(desk: Desk, files: Mapping[Path, str]) -> DeckError | None:
    errors = desk.decks.look().synced.errors
    folder = desk.settings.own_decks
    names = {(Path(folder.name) / path.relative_to(folder)).as_posix() for path in files}
    return next((error for error in errors if error.path in names), None)


def _forget_empty(files: Mapping[Path, str]) -> None:
    """A file of copies that holds none any more is taken away."""
    for path, deck in files.items():
        if path.parent.name == EDITED and not blocks.spans(unify(deck)):
            path.unlink()
