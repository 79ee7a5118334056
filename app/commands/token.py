"""aloud token: make, list or revoke what a worker on another machine proves itself with."""

import sys
from collections.abc import Iterator, Sequence

from app.clock import system_clock
from app.commands import Refused, flags
from app.commands.text import table
from app.jobs.tokens import TokenProblem, Tokens
from app.settings import Settings

FIELDS = ("data",)
HOW = (
    "Shown this once: only its hash is kept. On the other machine, with the address that Aloud has from there:\n"
    "  ALOUD_TOKEN={token} .venv/bin/aloud worker --server <address>"
)


def main(arguments: Sequence[str]) -> int:
    parser = flags.parser("token", FIELDS)
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="the token's name; without one, all are listed"
    )
    parser.add_argument("--revoke", action="store_true", help="end the access of whoever shows this token")
    given = parser.parse_args(arguments)
    settings = flags.settings(given)
    tokens = _tokens(settings)
    try:
        if given.name is None:
            if given.revoke:
                raise Refused("Say which token to revoke: aloud token NAME --revoke.")
            print(*_listed(tokens), sep="\n")
        elif given.revoke:
            tokens.revoke(given.name)
            print(
                f'Revoked. A worker that shows the token "{given.name}" is refused from its next request on.'
            )
        else:
            made = tokens.make(given.name, system_clock())
            print(made)
            print(HOW.format(token=made), file=sys.stderr)
    except TokenProblem as problem:
        raise Refused(str(problem)) from None
    except PermissionError as error:
        raise Refused(
            f"{error.filename or settings.data} cannot be written ({error.strerror}). "
            f"Run this as the owner of {settings.data}, to whom all in it must belong."
        ) from None
    return 0


def _tokens(settings: Settings) -> Tokens:
    if not settings.data.is_dir():
        raise Refused(
            f"There is no data folder {settings.data}; start `aloud serve` first, or name its folder with --data."
        )
    return Tokens(settings.data)


def _listed(tokens: Tokens) -> Iterator[str]:
    made = [
        (token.name, f"{token.made_at:%Y-%m-%d %H:%M} UTC" if token.made_at else "its file cannot be read")
        for token in tokens.named()
    ]
    if made:
        yield from table(("name", "made"), made)
    else:
        yield "There are no named tokens. To make one: aloud token NAME."
