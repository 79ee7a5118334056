"""Every setting of Aloud. Each field can be given as ALOUD_<NAME> or as a flag, e.g. `aloud serve --port 8001`.

docs/self-hosting.md lists them all; a test keeps the two the same.
"""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app import setting_rules as rules

ROOT = Path(__file__).resolve().parent.parent
WEB_SERVER = "the web server at "  # and its address, as which it holds the data folder
LOOPBACK = ("localhost", "127.0.0.1", "::1")  # the names by which a machine calls itself


def _split(value: object) -> object:
    """The parts of a comma-separated text, as the environment and the flags give it."""
    return _parts(value) if isinstance(value, str) else value


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _endpoints(value: object) -> object:
    return rules.endpoints(_parts(value)) if isinstance(value, str) else value


def _keys(value: object) -> object:
    return rules.keys(_parts(value)) if isinstance(value, str) else value


Folder = Annotated[Path, BeforeValidator(rules.folder)]
Content = Annotated[Folder, AfterValidator(rules.decks)]
Host = Annotated[str, AfterValidator(rules.host)]
Hosts = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split), AfterValidator(rules.hosts)]
Prefix = Annotated[str, AfterValidator(rules.prefix)]
Zone = Annotated[str, AfterValidator(rules.zone)]
Minutes = Annotated[tuple[float, ...], NoDecode, BeforeValidator(_split), AfterValidator(rules.steps)]
Server = Annotated[str, AfterValidator(rules.server)]
Token = Annotated[str, AfterValidator(rules.token)]
Endpoints = Annotated[tuple[rules.Endpoint, ...], NoDecode, BeforeValidator(_endpoints)]
Keys = Annotated[tuple[tuple[str, str], ...], NoDecode, BeforeValidator(_keys)]
Model = Annotated[str, AfterValidator(rules.speech_model)]
WorkerName = Annotated[str, AfterValidator(rules.worker_name)]


class Settings(BaseSettings):
    """What a person who hosts Aloud can choose. Values that do not fit raise pydantic's ValidationError."""

    model_config = SettingsConfigDict(env_prefix="ALOUD_", frozen=True, extra="forbid")

    data: Folder = Field(Path("data"), description="The one folder that holds everything learned or made.")
    content: Content = Field(ROOT / "content", description="The folder of the shipped decks.")
    watch: bool = Field(False, description="Read decks while the server runs, as soon as their files change.")
    host: Host = Field("127.0.0.1", description="The address to listen on.")
    port: int = Field(8000, ge=1, le=65535, description="The port to listen on.")
    root_path: Prefix = Field("", description="Path prefix behind a proxy, e.g. /aloud.")
    allowed_hosts: Hosts = Field(
        (), description="Names served besides localhost and the host, comma-separated."
    )
    zone: Zone = Field("", description="Time zone until the browser tells its own, e.g. Europe/Berlin.")
    rollover: int = Field(4, ge=0, le=12, description="Hour at which a new study day begins.")
    retention: float = Field(0.9, ge=0.70, le=0.99, description="Share of due cards to be remembered.")
    maximum_interval: int = Field(36500, ge=1, le=36500, description="Longest interval, in days.")
    learning_steps: Minutes = Field((1.0, 10.0), description="Steps of a new card, in minutes.")
    relearning_steps: Minutes = Field((10.0,), description="Steps after a lapse, in minutes.")
    new_per_day: int = Field(10, ge=0, le=9999, description="New cards a day, of each tree of decks.")
    reviews_per_day: int = Field(200, ge=0, le=9999, description="Reviews a day, of each tree of decks.")
    ready_s: float = Field(3.0, ge=0, le=60, description="Seconds to get ready before a drill's clock runs.")
    run_deadline_s: float = Field(
        0, ge=0, le=3600, description="Cap on each run's deadline; 0: the demo's own."
    )
    lease_s: float = Field(
        15, ge=1, le=600, description="Seconds without a sign after which a worker is gone."
    )
    queue_limit: int = Field(20, ge=1, le=1000, description="Runs that may wait in the queue.")
    learner_limit: int = Field(4, ge=1, le=100, description="Runs that one learner may have open.")
    keep_audio_days: int = Field(
        0, ge=0, le=36500, description="Days that takes' sound is kept; 0: for good."
    )
    keep_audio_mb: int = Field(
        0, ge=0, le=10**6, description="MB of sound kept of each learner, the newest first; 0: all."
    )
    keep_results_days: int = Field(90, ge=1, le=36500, description="Days that unpinned results are kept.")
    speech_model: Model = Field(
        "", description="The worker's model for speech: empty for the packaged tiny.en, a folder, or a name."
    )
    speech_deadline_s: float = Field(
        120, ge=1, le=3600, description="Seconds that hearing may take, for each two minutes of a recording."
    )
    speech_endpoints: Endpoints = Field(
        (),
        description="Speech to text elsewhere that learners may choose, as docs/self-hosting.md writes it.",
    )
    judges: Endpoints = Field(
        (), description="Language models that learners may ask for comments, written in the same way."
    )
    endpoint_keys: Keys = Field(
        (), repr=False, description="Keys of these endpoints and judges: name=key, comma-separated."
    )
    server: Server = Field("", description="Where the worker finds the web side; empty: this machine.")
    token: Token = Field(
        "", description="The worker's token; empty: the file worker-token in the data folder."
    )
    worker_name: WorkerName = Field(
        "", description="What a worker's name begins with; empty: the host's name."
    )

    @property
    def address(self) -> str:
        """Where a browser or a worker on this machine finds the web side."""
        name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}{self.root_path}"

    @property
    def web_side(self) -> str:
        """Where a worker with these settings finds the web side.

        Unless an address is chosen, that is where the web server of this data folder serves.
        """
        chosen = {"host", "port", "root_path"} & self.model_fields_set
        return (self.server or (not chosen and _serving(self.data)) or self.address).rstrip("/")

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the web side answers to besides those of LOOPBACK."""
        return (*self.allowed_hosts, self.host)

    @property
    def database(self) -> Path:
        return self.data / "aloud.db"

    @property
    def recorded(self) -> Path:
        """Results of demos that ship with the decks."""
        return self.content / "recorded"

    @property
    def primers(self) -> Path:
        """Pages to read before a deck."""
        return self.content / "primers"

    @property
    def figures(self) -> Path:
        """The drawings that primers show."""
        return self.content / "figures"

    @property
    def own_decks(self) -> Path:
        """Decks that the learner wrote; read beside the shipped ones."""
        return self.data / "decks"

    def speech_endpoint(self, name: str) -> rules.Endpoint | None:
        return next((one for one in self.speech_endpoints if one.name == name), None)

    def judge(self, name: str) -> rules.Endpoint | None:
        return next((one for one in self.judges if one.name == name), None)

    def endpoint_key(self, name: str) -> str:
        """The key of an endpoint or a judge, empty where it needs none."""
        return dict(self.endpoint_keys).get(name, "")

    def secret(self) -> str:
        """The key that signs showings and tickets; made once, kept in the data folder."""
        return _kept(self.data / "secret")

    def worker_token(self) -> str:
        """What a worker proves itself with; made once, kept in the data folder."""
        return self.token or _kept(self.data / "worker-token")


def _serving(data: Path) -> str:
    """The address of the web server that holds the data folder (see app.db.folder), if one does."""
    try:
        holder = (data / "lock").read_text()
    except OSError:
        return ""
    return holder.removeprefix(WEB_SERVER) if holder.startswith(WEB_SERVER) else ""


def own_folder(path: Path) -> None:
    """Make the folder, and those above it that are missing, open to this user alone; one that is there stays so."""
    for folder in (*reversed(path.parents), path):
        folder.mkdir(mode=0o700, exist_ok=True)


def _kept(path: Path) -> str:
    """The text of `path`; when there is none yet, a new random one."""
    own_folder(path.parent)
    if not (path.exists() and path.read_bytes().strip()):
        path.unlink(missing_ok=True)
        with contextlib.suppress(FileExistsError):  # another process was quicker
            place(path, secrets.token_urlsafe(32))
    return _key(path)


def place(path: Path, text: str) -> None:
    """Write a new file that its owner alone can read. Raises FileExistsError.

    It appears whole or not at all: a process that was killed while writing must not leave an empty key.
    """
    with tempfile.NamedTemporaryFile("w", dir=path.parent) as made:
        made.write(text)
        made.flush()
        os.fsync(made.fileno())
        os.link(made.name, path)


def _key(path: Path) -> str:
    """The key in `path`; raises ValueError, in a sentence, for what cannot be one."""
    try:
        return rules.token(path.read_bytes().decode(errors="replace").strip())
    except ValueError as error:
        raise ValueError(f"The key in {path} {error}. Remove the file, and a new one is made.") from None
