"""aloud worker: claim runs from a web side and run them here."""

from collections.abc import Sequence

from app.commands import Refused, flags
from app.worker.main import work

FIELDS = ("server", "token", "worker_name", "data", "host", "port", "root_path", "run_deadline_s", "lease_s",
          "speech_model", "speech_endpoints", "endpoint_keys")  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    settings = flags.settings(flags.parser("worker", FIELDS).parse_args(arguments))
    try:
        settings.worker_token()
    except OSError as error:
        raise Refused(
            f"No token was given, and the data folder {settings.data} has none that can be read ({error.strerror}). "
            "Pass the text of the web side's file worker-token as ALOUD_TOKEN."
        ) from None
    except ValueError as error:
        raise Refused(str(error)) from None
    return work(settings)
