"""What the demo pages show, ready to be drawn."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from app.demos import drawing
from kernels.catalog import DEMOS, Demo, Param


@dataclass(frozen=True)
class Shown:
    """A kept result, drawn. `scope` keeps the ids of two results on one page apart."""

    view: drawing.ResultView
    scope: str
    at: str
    when: str


@dataclass(frozen=True)
class Links:
    """A demo with parameters, as its permanent link and as the fields of a form.

    `key` is made anew whenever a page is drawn: however often its form is sent, it asks for one run.
    """

    demo: str
    params: Mapping[str, object]
    key: str = field(default_factory=lambda: secrets.token_hex(16), compare=False)

    @property
    def query(self) -> dict[str, str]:
        """The parameters that are no defaults, as text; an unknown demo keeps them all."""
        known = DEMOS.get(self.demo)
        defaults = {p.name: p.default for p in known.params} if known else {}
        return {name: _text(value) for name, value in self.params.items() if defaults.get(name) != value}

    @property
    def words(self) -> str:
        return ", ".join(f"{name} = {value}" for name, value in self.query.items())


@dataclass(frozen=True)
class ParamView:
    """One field of a demo's form; `error` is the sentence that stands at it."""

    name: str
    kind: str
    label: str
    help: str
    unit: str
    value: str
    choices: tuple[str, ...]
    error: str

    @classmethod
    def of(cls, param: Param, value: object, error: str) -> "ParamView":
        limits = "" if param.kind in ("bool", "choice") else f" {param.low:,.16g} to {param.high:,.16g}."
        return cls(
            name=param.name,
            kind=param.kind,
            label=param.label,
            help=f"{param.help}{limits}",
            unit=param.unit,
            value=_text(value),
            choices=param.choices,
            error=error,
        )


@dataclass(frozen=True)
class DemoPage:
    """`problems` are sentences that belong to no single field; `fits` tells that there are none of any kind."""

    name: str
    title: str
    summary: str
    look_for: str
    params: tuple[ParamView, ...]
    problems: tuple[str, ...]
    fits: bool
    links: Links
    result: Shown | None
    waiting: "RunView | None"  # a run of these parameters that is still open


@dataclass(frozen=True)
class RunView:
    id: str
    title: str
    links: Links
    runnable: bool
    open: bool
    fraction: float | None
    words: str
    result: Shown | None


@dataclass(frozen=True)
class CardDemo:
    title: str
    look_for: str
    links: Links
    result: Shown | None
    waiting: RunView | None


@dataclass(frozen=True)
class Topic:
    """A heading of the catalogue."""

    title: str
    demos: tuple[Demo, ...]


def topics() -> tuple[Topic, ...]:
    """All demos below their topics, in the order of the catalogue."""
    titles = dict.fromkeys(demo.topic for demo in DEMOS.values())
    return tuple(
        Topic(title.capitalize(), tuple(d for d in DEMOS.values() if d.topic == title)) for title in titles
    )


def shown(body: Mapping[str, object], run: str, at: datetime, zone: str) -> Shown:
    """A result's JSON, drawn, with the moment `at` in the learner's `zone`."""
    local = at.astimezone(ZoneInfo(zone))
    when = f"{local.day} {local:%b %Y, %H:%M}"
    return Shown(drawing.result(body), f"r{run[:8]}", at.isoformat(timespec="seconds"), when)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
