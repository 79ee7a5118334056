"""Write constraints.txt: install everything that pyproject.toml asks for afresh, and pin what came.

Any version that pyproject.toml allows should work; the pins are the ones that are tested together. The packages
of CUDA that torch brings on Linux are left out, since each release of torch pins its own.
"""

import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from requirements import PYPROJECT, requirements

TARGET = PYPROJECT.with_name("constraints.txt")
FIXED = ("torch==2.13.0", "triton==3.7.1; sys_platform == 'linux'")  # torch's CUDA build asks for this triton
HEAD = """\
# Written by `make lock`: the releases that are tested together. pip reads it with -c.
"""
CUDA = re.compile(r"^(nvidia|cuda)-", re.IGNORECASE)


def installed() -> list[str]:
    """`pip freeze` of a fresh environment that holds the web side and every extra."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        pip = (Path(folder) / "bin" / "python", "-m", "pip", "--disable-pip-version-check")
        wanted = ["setuptools", *requirements(), *requirements("worker", "speech", "dev"), *FIXED]
        subprocess.run([*pip, "install", "--quiet", "--upgrade", *wanted], check=True)
        return subprocess.check_output([*pip, "freeze", "--all", "--exclude", "pip"], text=True).splitlines()


def pins(frozen: list[str]) -> list[str]:
    """The lines of `pip freeze` without local versions: torch==2.13.0+cpu becomes torch==2.13.0."""
    return [line.partition("+")[0] for line in frozen if not CUDA.match(line)]


if __name__ == "__main__":
    lines = pins(installed())
    TARGET.write_text(HEAD + "\n".join(lines) + "\n")
    sys.stdout.write(f"Pinned {len(lines)} packages in {TARGET.name}.\n")
