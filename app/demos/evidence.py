"""What a prediction is held against: the newest result of a card's run, as data, and where it comes from in words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from sqlalchemy import Connection

from app.accounts.learner import Learner
from app.demos import results
from app.demos.records import Records
from app.demos.results import Found
from kernels.catalog import parse_line


@dataclass(frozen=True)
class Evidence:
    """The blocks of a result as JSON data; `words` say whose run it was, where and when."""

    blocks: tuple[Mapping[str, object], ...]
    words: str


def of_line(conn: Connection, records: Records, learner: Learner, line: str | None) -> Evidence | None:
    """The best result of the run that a card's `demo:` line names: the learner's own, else a record. None: no such."""
    if not line:
        return None
    try:
        chosen, params = parse_line(line)
    except ValueError:  # the deck is older or newer than the demos; `aloud check` tells its author
        return None
    for found in results.of_params(conn, records, learner.id, chosen, params):
        text = found.body()
        blocks = json.loads(text).get("blocks") if text is not None else None
        if isinstance(blocks, list):
            read = tuple(block for block in blocks if isinstance(block, Mapping))
            return Evidence(read, _words(found, learner))
    return None


def _words(found: Found, learner: Learner) -> str:
    day = found.at.astimezone(ZoneInfo(learner.zone))
    made = f"{found.device}, {day.day} {day:%b %Y}"
    told = f"the recorded run on {made}" if found.recorded else f"your run on {made}"
    return f"{told}, made before its code changed" if found.older else told
