"""Cards written in the browser, into the learner's own deck files. The files stay the one truth: all is read from them.

    written = editing.of_card(conn, "sqrt-dk")                  # within a read transaction
    opened = editing.open_card(settings, written)               # after it: files are read
    editing.save(desk, written, text, seen=opened.seen)         # and written, and read again

A shipped file is never written. Who edits a shipped card edits a copy with the same id in a deck of their own, which
takes its place.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Connection

from app.db.engine import Database
from app.library import blocks, service, store, writing
from app.library import own_files as files
from app.library.cards import Written
from app.library.draft import Draft, LineError, read, with_id
from app.library.fields import take_apart
from app.library.files import locate
from app.library.format import Note
from app.library.own_files import Desk
from app.library.suggesting import suggest
from app.library.text import unify
from app.library.values import BadValue, deck_name
from app.settings import Settings
from app.web.errors import Conflict, Invalid, NotFound
from kernels.catalog import parse_line

NO_TEXT = (
    "The file of this card has gone or changed since it was last read. "
    "Look for changed decks on the Cards page, then edit it."
)


@dataclass(frozen=True)
class Opened:
    """A card's text as it stands in its file now. `seen` stands for it, so that a later change there is noticed."""

    written: Written
    text: str
    seen: str

    @property
    def key(self) -> str:
        return self.written.key

    @property
    def shipped(self) -> bool:
        """Saving makes a copy: the text stands in a shipped file."""
        return self.written.origin == "shipped"


class Unreadable(Exception):
    """The text makes no card yet."""

    def __init__(self, *errors: LineError) -> None:
        super().__init__("\n".join(map(str, errors)))
        self.errors = errors


class ChangedMeanwhile(Conflict):
    """The file says something else than when the editor was opened; nothing was written. `opened` is what it says."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(
            "This card was changed in its file since you opened it. Nothing was saved and your text is kept: "
            "compare the two, then save again to put yours in its place."
        )
        self.opened = opened


def of_card(conn: Connection, card_id: str) -> Written:
    """Where the note of a card stands. Raises NotFound."""
    page = service.card(conn, card_id)
    found = store.written(conn, store.note_of(conn, page.row.id))
    if found is None:
        raise NotFound("This card's deck was not read since Aloud keeps texts. Look for changed decks first.")
    return found


def open_card(settings: Settings, written: Written) -> Opened:
    """The text of a card in its file as it is now. Raises Conflict where it is not there any more."""
    path = locate(settings, written.origin, written.path)
    found = None
    if path is not None:
        found = blocks.find(files.text(path, written.path), written.names)
    if found is None:
        raise Conflict(NO_TEXT)
    return Opened(written, blocks.plain(found.text), _seen(written.path, found.text))


def draft(text: str, demo: str | None = None) -> Draft:
    return read(text, demo, parse_line)


def demo_of(settings: Settings, written: Written) -> str | None:
    """The demo that the note's deck gives to cards which name none."""
    path = locate(settings, written.origin, written.path)
    return files.demo(files.text(path, written.path)) if path else None


def save(desk: Desk, stood: Written, text: str, *, seen: str, base: str = "") -> str:
    """Put the text in the card's place; the id to go on with. `base` is the shipped text, by its fingerprint, that the
    writer had before their eyes when they took over what it changed.

    Raises Unreadable, ChangedMeanwhile, or Invalid with a sentence.
    """
    with _writing(desk, stood) as written:
        opened = open_card(desk.settings, written)
        if opened.seen != seen:
            if _same(opened.text, text):  # the button was pressed twice
                return written.key
            raise ChangedMeanwhile(opened)
        made = draft(text, demo_of(desk.settings, written))
        note = _note(made)
        _check_id(desk.db, note, written)
        if opened.shipped:
            copied = blocks.fingerprint(opened.text)
            if blocks.fingerprint(made.text) != copied:
                files.copy(desk, written, _marked(made.text, copied, retired=False))
        elif written.copied and written.shipped_text is not None and _same(made.text, written.shipped_text):
            files.remove(desk, written)
        else:
            files.replace(desk, written, _marked(made.text, base or written.copied, retired=written.retired))
    return written.key


def create(desk: Desk, deck: str, text: str) -> str:
    """Add a card to a deck of the learner's own, which may be new; its id. Raises Unreadable, or Invalid."""
    with writing.writing():
        made = draft(with_id(text, suggestion(desk.db, text)))
        note = _note(made)
        with desk.db.read() as conn:
            path = _deck_path(desk.settings, conn, deck)
        before = files.text(path, path.name) if path.exists() else files.new_deck(_name(deck))
        there = _there(before, text)
        with desk.db.read() as conn:
            if there and store.note_key(conn, there) is not None:  # the button was pressed twice
                return there
            if store.note_key(conn, note.id) is not None:
                fix = f"give it another one, such as id: {_free(conn, note.question)}."
                raise Unreadable(LineError(_line_of(made.text, "id"), f'the id "{note.id}" is taken', fix))
        files.write(desk, {path: blocks.add(before, made.text)})
    return note.id


def retire(desk: Desk, stood: Written) -> None:
    """The card is asked no more; its history stays. Of a shipped card a copy says so."""
    with _writing(desk, stood) as written:
        opened = open_card(desk.settings, written)
        if opened.shipped:
            files.copy(desk, written, _marked(opened.text, blocks.fingerprint(opened.text), retired=True))
        else:
            files.replace(desk, written, _marked(opened.text, written.copied, retired=True))


def restore(desk: Desk, stood: Written) -> None:
    """The card is asked again. One that no file has any more goes to a deck of the learner's own."""
    with _writing(desk, stood) as written:
        if written.retired:
            opened = open_card(desk.settings, written)
            if (
                written.copied
                and written.shipped_text is not None
                and _same(opened.text, written.shipped_text)
            ):
                files.remove(desk, written)
            else:
                files.replace(desk, written, _marked(opened.text, written.copied, retired=False))
        elif not written.live:
            files.copy(desk, written, blocks.plain(written.text))


def keep_mine(desk: Desk, stood: Written) -> None:
    """The learner has seen what the shipped card says now, and keeps their own text."""
    with _writing(desk, stood) as written:
        opened = open_card(desk.settings, written)
        if written.copied and stood.shipped_text is not None:
            copied = blocks.fingerprint(stood.shipped_text)
            files.replace(desk, written, _marked(opened.text, copied, retired=written.retired))


def take_shipped(desk: Desk, stood: Written) -> None:
    """The copy goes; the shipped card is back in its place, with its history."""
    with _writing(desk, stood) as written:
        open_card(desk.settings, written)
        if written.copied and written.shipped_text is not None:
            files.remove(desk, written)


@contextmanager
def _writing(desk: Desk, stood: Written) -> Iterator[Written]:
    """Hold the files, and see where the note stands now: another request may just have moved it."""
    with writing.writing():
        with desk.db.read() as conn:
            stands = store.written(conn, stood.key)
        yield stands or stood


def _there(deck: str, text: str) -> str:
    """The id of the deck's card that says just what `text` says; "" where none does. One without an id has any."""
    named = bool(blocks.own_id(text))
    sent = _bare(text, named)
    first = unify(text).strip().split("\n", 1)[0].rstrip()
    alike = (span.text for span in blocks.spans(unify(deck)) if span.text.split("\n", 1)[0].rstrip() == first)
    return next((blocks.own_id(card) for card in alike if _same(_bare(card, named), sent)), "")


def _bare(card: str, named: bool) -> str:
    return card if named else blocks.with_line(card, "id", "")


def suggestion(db: Database, text: str) -> str:
    """An id for a card that has none yet, from its question."""
    head = "---\ndeck: draft\ntitle: Draft\n---\n"
    found = take_apart(head + unify(text), "").blocks
    with db.read() as conn:
        return _free(conn, found[0].fields[0].text if found else "")


def _free(conn: Connection, question: str) -> str:
    return suggest(question, lambda name: store.note_key(conn, name) is not None)


def _note(made: Draft) -> Note:
    if made.note is None:
        raise Unreadable(*made.errors)
    return made.note


def _check_id(db: Database, note: Note, written: Written) -> None:
    """A card's history hangs on its id: another one needs `was:`, and must be free."""
    if note.id in written.names:
        return
    own = min(written.names, key=lambda name: name != blocks.own_id(written.text))
    line = _line_of(note.text, "id")
    if written.copied or written.origin == "shipped":
        raise Unreadable(LineError(line, "a copy of a shipped card keeps its id", f"write id: {own}."))
    if written.names.isdisjoint(note.was):
        problem = f'the id was "{own}", and the card\'s history hangs on it'
        raise Unreadable(LineError(line, problem, f"write id: {own}, or add a line was: {own} to rename it."))
    with db.read() as conn:
        if store.note_key(conn, note.id) is not None:
            raise Unreadable(LineError(line, f'the id "{note.id}" is taken', "give it another one."))


def _marked(text: str, copied: str, *, retired: bool) -> str:
    return blocks.with_line(blocks.with_line(text, "copied", copied), "retired", "yes" if retired else "")


def _same(one: str, other: str) -> bool:
    return blocks.fingerprint(one) == blocks.fingerprint(other)


def _seen(path: str, text: str) -> str:
    return sha256(f"{path}\n{text}".encode()).hexdigest()[:16]


def _line_of(text: str, name: str) -> int:
    lines = unify(text).split("\n")
    return next((n for n, line in enumerate(lines, start=1) if line.startswith(f"{name}:")), 1)


def _name(deck: str) -> str:
    try:
        name = deck_name(deck.strip().lower())
    except BadValue as bad:
        raise Invalid(f"{bad.problem[:1].upper()}{bad.problem[1:]}; {bad.fix}") from None
    return name


def _deck_path(settings: Settings, conn: Connection, deck: str) -> Path:
    """The file of a deck of the learner's own, which may be yet to be made."""
    name = _name(deck)
    known = store.deck_file(conn, name)
    if known and known[0] != "own":
        raise Invalid(
            f'The deck "{name}" is a shipped one; choose one of your own, or a new name such as mine/{name}.'
        )
    found = locate(settings, "own", known[1]) if known else None
    if found is not None:
        return found
    path = settings.own_decks / f"{name.replace('/', '-')}.md"
    if path.exists():
        raise Invalid(f"The file decks/{path.name} holds another deck; choose another name for the new one.")
    return path
