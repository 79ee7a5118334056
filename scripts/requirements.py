"""Print requirements of pyproject.toml for `pip install -r`: the web side's, or those of the extras named.

    python scripts/requirements.py            what the web side needs
    python scripts/requirements.py worker     what the extra "worker" adds; so with "speech" and "dev"

An extra is installed this way, and not as `-e .[worker]`, since that would take the project itself out and put it
back while the server runs from it.
"""

import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(*extras: str) -> list[str]:
    """The requirements as pyproject.toml states them, markers included."""
    project = tomllib.loads(PYPROJECT.read_text())["project"]
    if not extras:
        return list(project["dependencies"])
    return [line for extra in extras for line in project["optional-dependencies"][extra]]


if __name__ == "__main__":
    print("\n".join(requirements(*sys.argv[1:])))
