"""aloud worker: claim runs from a web side and run them here."""

from collections.abc import Sequence

from app.commands import flags
from app.worker.main import work

FIELDS = ("server", "token", "worker_name", "data", "host", "port", "root_path", "run_deadline_s", "lease_s")


def main(arguments: Sequence[str]) -> int:
    settings = flags.settings(flags.parser("worker", FIELDS).parse_args(arguments))
    return work(settings)
