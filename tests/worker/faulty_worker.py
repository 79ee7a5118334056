"""`aloud worker` with children that go wrong when they are told to, and GPUs that are not there (see faulty.py)."""

import functools
import sys
from pathlib import Path

import app.worker.main
from app.cli import main
from app.worker.supervisor import Supervisor

if __name__ == "__main__":
    child = (sys.executable, str(Path(__file__).with_name("faulty.py")))
    app.worker.main.Supervisor = functools.partial(Supervisor, command=child)
    sys.exit(main(["worker", *sys.argv[1:]]))
