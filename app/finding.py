"""What `aloud doctor` says of one thing. Data only."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Finding:
    """`fix` says what to do and is empty where nothing needs doing."""

    mark: Literal["ok", "warn", "fail"]
    what: str
    fix: str = ""
