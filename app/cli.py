"""aloud serve | worker | check | export | import | doctor | demo.

A command's module is imported when that command is asked for, so that `aloud --help` is quick and no command
needs what only another one uses: `aloud check` no web, `aloud serve` no torch.
"""

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches

from app import __version__
from app.commands import COMMANDS, Refused


def usage() -> str:
    """What `aloud --help` prints."""
    width = max(map(len, COMMANDS))
    lines = (f"  aloud {name:<{width}}  {does}" for name, does in COMMANDS.items())
    return "\n".join(
        ("Aloud: study it, say it aloud, run it.", "", *lines, "", "`aloud serve --help` lists its settings.")
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` (or the command line) names; its exit code."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ("--help",)
    try:
        try:
            return _run(name, rest)
        finally:
            sys.stdout.flush()  # here, where it can be told that it fails
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader, e.g. `head`, had enough
        _hush()
        return 0
    except PermissionError as error:
        if not error.filename:
            raise
        print(f"{error.filename}: {error.strerror}. Let this user read and write there.", file=sys.stderr)
        return 2
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        _hush()
        print(f"Writing failed: {error.strerror}. Make room, and try again.", file=sys.stderr)
        return 1


def _run(name: str, rest: Sequence[str]) -> int:
    if name in ("-h", "--help", "help"):
        print(usage())
        return 0
    if name == "--version":
        print(f"aloud {__version__}")
        return 0
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, 1) or ["--help"]
        raise Refused(f'There is no command "{name}"; try `aloud {near[0]}`.')
    return int(importlib.import_module(f"app.commands.{name}").main(rest))


def _hush() -> None:
    """Let nothing more be written to standard output, not even what it holds back."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
