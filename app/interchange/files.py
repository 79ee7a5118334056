"""The learner's own deck files as an import reads and writes them: all of them, or none.

What each card said when it last came is kept beside them, in decks/.imported.json: whoever reads decks passes hidden
files over.
"""

import json
from collections.abc import Mapping
from pathlib import Path

from app.library.files import deck_paths, read
from app.library.text import decode, unify
from app.library.writing import put

MEMORY = ".imported.json"


def own_texts(folder: Path) -> dict[str, str]:
    """The text of every deck file below `folder`, by its path there. Raises DeckErrors for one that is no text."""
    made = {}
    for path in deck_paths(folder):
        name = path.relative_to(folder).as_posix()
        made[name] = unify(decode(read(path, f"decks/{name}"), f"decks/{name}"))
    return made


def memory(folder: Path) -> dict[str, str]:
    """What cards said when they last came, by their ids; nothing where that is not known any more."""
    try:
        kept = json.loads((folder / MEMORY).read_text(encoding="utf-8"))["cards"]
        return {str(name): str(told) for name, told in kept.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def write(folder: Path, texts: Mapping[str, str], remembered: Mapping[str, str]) -> None:
    """Put all of them in place, or none. Raises OSError."""
    body = json.dumps({"version": 1, "cards": dict(sorted(remembered.items()))}, ensure_ascii=False, indent=0)
    put({folder / name: text.encode() for name, text in (*texts.items(), (MEMORY, body))})
