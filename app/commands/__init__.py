"""The commands of `aloud`, a module each. Every one has main(arguments) -> exit code."""

COMMANDS = {
    "serve": "serve the pages to a browser",
    "worker": "run demos for a web side, on this machine or on another",
    "token": "make, list or revoke a token for a worker on another machine",
    "check": "check every deck; --prove runs what the cards claim, --replay the log of answers",
    "doctor": "say what this machine can do, and what is in the way",
    "export": "write cards to a file: for Anki (.apkg), as CSV, or as Markdown; or all takes: export takes FILE.zip",
    "import": "make cards of a package of Anki, or of a CSV or TSV",
    "demo": "list the demos, or run one without the web",
}


class Refused(Exception):
    """What was asked cannot be done; the message says why and what to change."""
