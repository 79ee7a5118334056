"""What a kind of job is to this house: how its output is read, where it is kept, and which sound a worker needs for it.

app/main.py names the kinds. So the jobs know no room, and a room that wants work done adds a kind of its own:

    Kind("demo", read=outputs.read, keep=store.keep)
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection

from app.jobs.port import Held, Output

MOST_BYTES = 1_000_000
TOO_LARGE = "The result is larger than 1 MB, more than is kept."
OTHER_CODE = "The worker's code does not match this server's; update both."


class BadOutput(ValueError):
    """The result cannot be kept; the message is one sentence for the learner."""


@dataclass(frozen=True)
class Kind:
    """`read` makes what is kept of a worker's result, or raises BadOutput, since every stored result can be shown.

    `keep` stores it, within the transaction that ends the job. `sound` names the file that the worker asks for, or
    None when it is gone.
    """

    name: str
    read: Callable[[Mapping[str, object]], Output]
    keep: Callable[[Connection, Held, Output, datetime], None]
    sound: Callable[[Connection, Held], Path | None] | None = None


Kinds = Mapping[str, Kind]


def by_name(*kinds: Kind) -> Kinds:
    return {kind.name: kind for kind in kinds}


def text(result: Mapping[str, object], too_large: str = TOO_LARGE) -> str:
    """The result as JSON text to keep. Raises BadOutput where it is too large or no plain JSON."""
    try:
        made = json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        size = len(made.encode())
    except UnicodeEncodeError:
        raise BadOutput(
            f"{OTHER_CODE} Its result holds text that is no Unicode (a lone surrogate)."
        ) from None
    except (ValueError, RecursionError):
        raise BadOutput(
            f"{OTHER_CODE} Its result is no plain JSON: it holds NaN or an infinity, or is nested too deep."
        ) from None
    if size > MOST_BYTES:
        raise BadOutput(too_large)
    return made
