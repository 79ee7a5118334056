"""What a setting must be like, beyond its type and range. Each rule gives back the value, or raises ValueError with
the end of a sentence that begins with "it"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.IGNORECASE)
PREFIX = re.compile(r"(/(?!\.\.?(/|$))[\w.~-]+)*", re.ASCII)
ENDPOINT = re.compile(r"([a-z0-9][a-z0-9_-]{0,39})=([^|]+)\|([!-{}~]{1,200})", re.ASCII)
KEY = re.compile(r"([a-z0-9][a-z0-9_-]{0,39})=([!-~]+)", re.ASCII)
TOKEN = re.compile(r"[!-~]*")  # what fits in a header of HTTP
MODEL = re.compile(r"[a-z0-9][\w.-]*(/[\w.-]+)?", re.ASCII | re.IGNORECASE)
LONGEST_STEP = 10 * 1440  # minutes
LONGEST_NAME = 100  # characters, as the web side takes them from a worker


@dataclass(frozen=True)
class Endpoint:
    """A model behind an OpenAI-compatible API: `url` is its base, e.g. http://gpu-box:8000/v1."""

    name: str
    url: str
    model: str


def folder(value: object) -> object:
    """The name of a folder, before it becomes a Path: the empty one would be the current folder."""
    if not str(value).strip():
        raise ValueError('must name a folder; to mean the current one, write "."')
    if str(value).startswith("~"):
        raise ValueError("must be written in full, since only a shell knows what ~ stands for")
    return value


def decks(content: Path) -> Path:
    """A folder of decks. Without this rule a slip would retire every shipped card."""
    if not (content / "decks").is_dir():
        raise ValueError('must be a folder that holds a folder "decks"')
    return content


def host(value: str) -> str:
    """A host's name or IP address; an IPv6 address as browsers write it, but without brackets."""
    try:
        return str(ip_address(value[1:-1] if value.startswith("[") and value.endswith("]") else value))
    except ValueError:
        if NAME.fullmatch(value):
            return value
    raise ValueError(f"must be a host's name or IP address, without http:// and port, and {value!r} is none")


def hosts(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(host, values))


def prefix(value: str) -> str:
    """A path without the slash at its end: "/aloud" or ""."""
    value = value.rstrip("/")
    if not PREFIX.fullmatch(value):
        raise ValueError("must begin with / and be a plain path, e.g. /aloud")
    return value


def zone(value: str) -> str:
    """The name of a time zone, or nothing."""
    if value:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: "Europe" alone is a folder of zones
            raise ValueError(f"{value!r} is not a time zone; write it like Europe/Berlin") from None
    return value


def steps(values: Sequence[float]) -> tuple[float, ...]:
    """Steps in minutes, none shorter than the one before."""
    if any(not 0 < v <= LONGEST_STEP for v in values):
        raise ValueError(f"each step must be more than 0 and at most {LONGEST_STEP} minutes")
    if list(values) != sorted(values):
        raise ValueError("must not have a step that is shorter than the one before it, e.g. 1,10")
    return tuple(values)


def server(value: str) -> str:
    """The address of a web side, or nothing. A password in it would take the place of the token."""
    if value:
        try:
            parts = urlsplit(value)
            fits = parts.scheme in ("http", "https") and bool(host(parts.hostname or "")) and parts.port != 0
        except ValueError:
            fits = False
        if not fits or parts.username is not None or parts.query or parts.fragment:
            raise ValueError(
                "must be an address like https://study.example.org/aloud, with no password in it"
            )
    return value


def endpoints(values: Sequence[str]) -> tuple[Endpoint, ...]:
    """Endpoints as name=url|model each, their names told apart."""
    made = []
    for value in values:
        parts = ENDPOINT.fullmatch(value)
        if parts is None:
            raise ValueError(
                "must be name=url|model, the name in small letters, e.g. box=http://gpu-box:8000/v1|whisper-1"
            )
        made.append(Endpoint(parts[1], server(parts[2]).rstrip("/"), parts[3]))
    if len({one.name for one in made}) < len(made):
        raise ValueError("must not name two endpoints alike")
    return tuple(made)


def keys(values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The keys of endpoints as name=key each."""
    found = [KEY.fullmatch(value) for value in values]
    if None in found:
        raise ValueError("must be name=key, e.g. box=sk-1234, with commas between several")
    return tuple((one[1], one[2]) for one in found if one)


def speech_model(value: str) -> str:
    """Nothing, a folder, or a model's name such as small.en or Systran/faster-whisper-small.en."""
    if value.startswith("~"):
        raise ValueError("must be written in full, since only a shell knows what ~ stands for")
    if value and not Path(value).is_dir() and not MODEL.fullmatch(value):
        raise ValueError("must be a folder that holds a model, or a model's name such as small.en")
    return value


def token(value: str) -> str:
    if not TOKEN.fullmatch(value):
        raise ValueError("must be of ASCII letters, digits and signs, without spaces")
    return value


def worker_name(value: str) -> str:
    if len(value) > LONGEST_NAME or not value.isprintable():
        raise ValueError(f"must be at most {LONGEST_NAME} characters that can be printed")
    return value
