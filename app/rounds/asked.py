"""What was asked, put into the learner's own decks. Files only: called outside of any transaction."""

from collections.abc import Sequence

from app.library.decks import Decks
from app.library.writing import put, writing
from app.rounds import drafts
from app.rounds.cards import Round
from app.settings import Settings
from app.web.errors import Conflict


def keep(settings: Settings, decks: Decks, one: Round, questions: Sequence[str]) -> None:
    """Write a draft card for each question and read the decks, so that the cards are there at once.

    Raises Conflict, with the way out, when the file cannot be read or written.
    """
    path = settings.own_decks / drafts.name(one)
    try:
        with writing():
            known = path.read_text(encoding="utf-8") if path.exists() else ""
            put({path: drafts.extended(known, one, questions).encode()})
    except UnicodeDecodeError:
        raise Conflict(
            f"{path.name} in the decks folder is not UTF-8; save it as UTF-8 and send this again."
        ) from None
    except OSError as error:
        raise Conflict(
            f"{path.name} cannot be written ({error.strerror}); nothing was kept. Send this again."
        ) from None
    decks.look()
