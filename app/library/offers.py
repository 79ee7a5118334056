"""What the Cards pages offer for a card's text: where it stands, what can be done to it, what was shipped since."""

from dataclasses import dataclass

from sqlalchemy import Connection

from app.library import blocks, store
from app.library.cards import Written
from app.library.own_files import EDITED


@dataclass(frozen=True)
class Standing:
    """Where a card's text stands, in words, and what can be done to it: edit and retire, or restore; decide on news."""

    where: str
    retired: bool
    gone: bool
    news: bool


def has_news(written: Written) -> bool:
    """Whether the shipped card says something else than what the learner's copy was made from, or from when they last
    decided."""
    return (
        bool(written.copied)
        and written.shipped_text is not None
        and fingerprint_of(written) != written.copied
    )


def fingerprint_of(written: Written) -> str:
    """Stands for what the shipped card says now; "" where none is shipped."""
    return blocks.fingerprint(written.shipped_text) if written.shipped_text is not None else ""


def changed_copies(conn: Connection) -> list[tuple[str, str]]:
    """The id and words of each edited card whose shipped text has changed since."""
    return [
        (card, words)
        for card, words, copied, shipped in store.copies(conn)
        if blocks.fingerprint(shipped) != copied
    ]


def standing(conn: Connection, card_id: str) -> Standing:
    """What a card's page offers for its text. Raises NotFound."""
    written = store.written(conn, store.note_of(conn, card_id))
    if written is None:
        return Standing("", retired=False, gone=False, news=False)
    gone = not written.live and not written.retired
    return Standing(where(written), written.retired, gone, has_news(written) and not gone)


def where(written: Written) -> str:
    """ "shipped with Aloud", or "your deck, decks/mine.md"."""
    if written.copied:
        return f"your edited copy, {written.path}"
    return "shipped with Aloud" if written.origin == "shipped" else f"your deck, {written.path}"


def own_decks(conn: Connection) -> list[tuple[str, str]]:
    """The decks that a new card can go to: name and title; copies of shipped cards have their own."""
    return [(name, title) for name, title in store.own_decks(conn) if not name.startswith(f"{EDITED}/")]
