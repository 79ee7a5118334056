"""Which demos exist, what they take and what they refuse. Imports no torch, so the web can read it.

    >>> chosen, params = parse_line("flash n_q=113 d=80 causal=false")
    >>> canonical(chosen, params)
    'n_q=113 d=80 causal=false'

The same line stands on a card (`demo:`), on a command line and, as a query, in a permanent link.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from kernels.entries import ENTRIES
from kernels.params import Demo, NotRead, Param, Params, Value, text
from kernels.sources import digest
from kernels.words import nearest, quoted, suggestion

__all__ = [
    "DEMOS", "BadParams", "Demo", "Param", "Params", "UnknownDemo", "Value", "canonical", "code_hash", "demo",
    "params_hash", "parse", "parse_line", "refusals", "seed",
]  # fmt: skip

DEMOS: Mapping[str, Demo] = {entry.name: entry for entry in ENTRIES}
"""All demos by name, in the order in which they are shown."""


class UnknownDemo(ValueError):
    """There is no demo of that name; the message is one sentence that names the nearest, which is `nearest` if any."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no demo {quoted(name)}; {suggestion(name, DEMOS)}")
        self.nearest = nearest(name, DEMOS)


class BadParams(ValueError):
    """Parameters that a demo does not take. Each of `sentences` says one thing to change."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self.sentences = tuple(sentences)
        super().__init__(" ".join(self.sentences))


def demo(name: str) -> Demo:
    """The demo of that name. Raises UnknownDemo."""
    try:
        return DEMOS[name]
    except KeyError:
        raise UnknownDemo(name) from None


def parse(entry: Demo, raw: Mapping[str, object]) -> dict[str, Value]:
    """Reads parameters from text (forms, URLs, a command line) or JSON values, in the order of the catalogue.

    What is left out, or empty as in an untouched form field, takes its default. Raises BadParams for unknown
    names, values outside their limits and combinations that make no sense, with a sentence for each.
    """
    known = {param.name: param for param in entry.params}
    sentences = [
        f"{entry.name} has no parameter {quoted(name)}; {suggestion(name, known)}"
        for name in raw
        if name not in known
    ]
    params: dict[str, Value] = {}
    for name, param in known.items():
        given = raw.get(name)
        try:
            params[name] = param.default if given is None or _empty(given) else param.read(given)
        except NotRead as error:
            sentences.append(str(error))
    sentences = sentences or list(entry.rules(params))
    if sentences:
        raise BadParams(sentences)
    return params


def _empty(given: object) -> bool:
    return isinstance(given, str) and not given.strip()


def parse_line(line: str) -> tuple[Demo, dict[str, Value]]:
    """Reads `name key=value key=value`. Raises UnknownDemo or BadParams."""
    name, *pairs = line.split() or [""]
    entry = demo(name)
    raw: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals and value):
            raise BadParams(
                [f"Write each parameter as name=value, with no spaces; {quoted(pair)} is not one."]
            )
        if key in raw:
            raise BadParams([f"{quoted(key)} is given twice; give it once."])
        raw[key] = value
    return entry, parse(entry, raw)


def refusals(entry: Demo, params: Params, *, interpreter: bool) -> tuple[str, ...]:
    """Why a machine cannot run valid parameters: a sentence each, none if it can.

    interpreter says that Triton has no GPU there. The run itself asks this first; the web may ask it sooner.
    """
    return tuple(entry.device_rules(params, interpreter))


def canonical(entry: Demo, params: Params) -> str:
    """The parameters as `key=value` pairs in the order of the catalogue, defaults left out."""
    given = (p for p in entry.params if params[p.name] != p.default)
    return " ".join(f"{p.name}={text(params[p.name])}" for p in given)


def params_hash(entry: Demo, params: Params) -> str:
    """A hash of the demo and all its parameters, defaults included, so that a changed default changes it."""
    pairs = " ".join(f"{p.name}={text(params[p.name])}" for p in entry.params)
    return hashlib.sha256(f"{entry.name} {pairs}".encode()).hexdigest()


def code_hash(name: str) -> str:
    """sha256 over the files that the demo's code consists of. Raises UnknownDemo."""
    return digest(demo(name).name)


def seed(params: Params) -> int:
    """The seed of a run: its parameter of that name, 0 for a demo that draws nothing at random."""
    return int(params.get("seed", 0))
