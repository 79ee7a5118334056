"""Settings as flags: --port is the field `port` of Settings, which ALOUD_PORT sets as well. A flag wins."""

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches

from pydantic import ValidationError

from app.commands import COMMANDS, Refused
from app.settings import Settings

PREFIX = "ALOUD_"
FIELDS = Settings.model_fields
SECRET = ("token", "endpoint_keys")  # what is refused goes to a log that others read


def parser(command: str, fields: Sequence[str], description: str = "") -> ArgumentParser:
    """The parser of `aloud <command>`, with a flag for each of those `fields` of Settings."""
    made = ArgumentParser(
        prog=f"aloud {command}",
        description=description or COMMANDS[command].capitalize() + ".",
        epilog=f"Each setting can be given as {PREFIX}<NAME>, too, e.g. {PREFIX}DATA.",
        allow_abbrev=False,
    )
    for name in fields:
        field = FIELDS[name]
        switch = field.annotation is bool
        made.add_argument(
            flag(name),
            dest=name,
            metavar=name.rpartition("_")[2].upper(),
            nargs="?" if switch else None,
            const="yes" if switch else None,
            help=f"{field.description} Default: {shown(field.default) or 'none'}.".replace("%", "%%"),
        )
    return made


def settings(given: Namespace) -> Settings:
    """The settings from flags and environment. Raises Refused with a sentence for each that does not fit."""
    flags = {name: value for name, value in vars(given).items() if name in FIELDS and value is not None}
    try:
        return Settings(**flags)
    except ValidationError as error:
        raise Refused("\n".join(_sentences(error))) from None


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def shown(value: object) -> str:
    """A default as one would type it: (1.0, 10.0) as 1,10."""
    if isinstance(value, tuple):
        return ",".join(map(shown, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def unknown(environment: Mapping[str, str] = os.environ, names: Collection[str] = tuple(FIELDS)) -> list[str]:
    """A sentence for each variable that looks like a setting and is none, since a typo would go unseen."""
    made = []
    for variable in sorted(v for v in environment if v.startswith(PREFIX)):
        name = variable.removeprefix(PREFIX).lower()
        near = get_close_matches(name, names, 1)
        if name not in names:
            hint = f"; {PREFIX}{near[0].upper()} is one." if near else "."
            made.append(f"{variable} is no setting of Aloud{hint}")
    return made


def _sentences(error: ValidationError) -> list[str]:
    made = []
    for problem in error.errors():
        name = str(problem["loc"][0])
        why = str(problem["msg"]).removeprefix("Value error, ").removeprefix("Input ")
        why = why.partition(", unable to parse")[0]
        value = "..." if name in SECRET else shown(problem["input"])
        made.append(f"{flag(name)} ({PREFIX}{name.upper()}) cannot be {value!r}: it {_it(why)}.")
    return made


def _it(why: str) -> str:
    """pydantic's message, said of "it": "should be less than ..." or a validator's own "must begin with /"."""
    return why if why.startswith(("should", "must")) else f"does not fit, since {why}"
