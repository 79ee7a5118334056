"""aloud doctor: print what app.doctor finds; 1 when something is in the way."""

from collections.abc import Sequence

from app.commands import flags
from app.doctor import examine
from app.finding import Finding

FIELDS = ("data", "host", "port", "root_path", "server", "token")


def main(arguments: Sequence[str]) -> int:
    settings = flags.settings(flags.parser("doctor", FIELDS).parse_args(arguments))
    failed = False
    for sentence in flags.unknown():
        _show(Finding("warn", sentence))
    for finding in examine(settings):
        failed |= finding.mark == "fail"
        _show(finding)
    return int(failed)


def _show(finding: Finding) -> None:
    print(f"{finding.mark:<5} {finding.what}", flush=True)
    if finding.fix:
        print(f"      {finding.fix}")
