"""What the demo pages show, ready to be drawn."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from zoneinfo import ZoneInfo

from app.demos import drawing
from app.demos.comparing import Comparison
from app.demos.drawing.prose import printed
from kernels.catalog import DEMOS, Param

USUAL = "With its usual parameters"
ONE_GROUP = 5  # fields that need no headings between them


@dataclass(frozen=True)
class Shown:
    """A result, drawn: all of it, or the blocks that were asked for.

    `path` is its address, below which its JSON and its other blocks are; `scope` keeps the ids of two results on one
    page apart. `rest` counts the blocks that are not drawn, `named` are the ids of those that are.
    """

    id: str
    demo: str
    path: str
    scope: str
    view: drawing.ResultView
    at: str
    when: str
    recorded: bool
    older: bool
    rest: int = 0
    named: str = ""


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
        """The parameters that are no defaults, for a reader; "" where all are."""
        return ", ".join(f"{name} = {value}" for name, value in self.query.items())


@dataclass(frozen=True)
class Fault:
    """A sentence on what to change, and the field to change, by its name and label; "" where it belongs to none."""

    sentence: str
    name: str = ""
    label: str = ""


@dataclass(frozen=True)
class ParamView:
    """One field of a demo's form; `choices` are values with their words, `error` is the sentence that stands at it."""

    name: str
    kind: str
    label: str
    help: str
    unit: str
    value: str
    choices: tuple[tuple[str, str], ...]
    error: str

    @classmethod
    def of(cls, param: Param, value: object, error: str) -> "ParamView":
        limits = "" if param.kind in ("bool", "choice") else f" {param.low:,.16g} to {param.high:,.16g}."
        return cls(
            name=param.name,
            kind=param.kind,
            label=param.label,
            help=printed(f"{param.help}{limits}"),
            unit=param.unit,
            value=_text(value),
            choices=tuple((choice, param.labels.get(choice, choice)) for choice in param.choices),
            error=error,
        )


@dataclass(frozen=True)
class ParamGroup:
    """Fields that stand together; a short form is one group without a title."""

    title: str
    params: tuple[ParamView, ...]


@dataclass(frozen=True)
class Choice:
    """A link among several of which one is the page at hand."""

    words: str
    query: Mapping[str, str]
    current: bool


@dataclass(frozen=True)
class ResultRow:
    """A result in a list; `words` are its parameters, `whence` where and when it was made."""

    id: str
    path: str
    words: str
    whence: str
    older: bool


@dataclass(frozen=True)
class CardLink:
    """A card that rests on a demo, and the parameters that it runs it with."""

    id: str
    words: str
    level: str
    params: str


@dataclass(frozen=True)
class DemoPage:
    """`faults` say why these parameters cannot run; `fits` tells that they could elsewhere, or that there are none.

    `devices` are links to the results of the same parameters on each device, where there is more than one.
    """

    name: str
    title: str
    summary: str
    look_for: str
    groups: tuple[ParamGroup, ...]
    seeded: bool
    faults: tuple[Fault, ...]
    fits: bool
    links: Links
    result: Shown | None
    waiting: "RunView | None"  # a run of these parameters that is still open
    devices: tuple[Choice, ...]
    cards: tuple[CardLink, ...]
    earlier: tuple[ResultRow, ...]


@dataclass(frozen=True)
class RunView:
    """`meanwhile` is shown below a run that has no result of its own, or none yet."""

    id: str
    title: str
    links: Links
    runnable: bool
    open: bool
    fraction: float | None
    words: str
    result: Shown | None
    meanwhile: Shown | None = None
    named: str = ""


@dataclass(frozen=True)
class CardDemo:
    """`claims`: the ids of the blocks that the card's claims rest on, with commas between them."""

    title: str
    look_for: str
    links: Links
    result: Shown | None
    waiting: RunView | None
    claims: str = ""


@dataclass(frozen=True)
class ComparePage:
    """Two results of a demo beside each other, or what can be chosen to stand there."""

    name: str
    title: str
    left: ResultRow | None
    right: ResultRow | None
    options: tuple[ResultRow, ...]
    comparison: Comparison | None
    scopes: tuple[str, str] = ("left", "right")


@dataclass(frozen=True)
class DemoRow:
    """A demo in the catalogue: what it needs in a word, and how many cards rest on it."""

    name: str
    title: str
    summary: str
    needs: str
    cards: int
    haystack: str  # what the filter looks through


@dataclass(frozen=True)
class Topic:
    """A heading of the catalogue."""

    title: str
    anchor: str
    demos: tuple[DemoRow, ...]


@dataclass(frozen=True)
class Catalogue:
    q: str
    topics: tuple[Topic, ...]
    count: str
    waiting: Sequence[RunView]


def shown(
    body: Mapping[str, object],
    *,
    id: str,
    demo: str,
    path: str,
    at: datetime,
    recorded: bool,
    older: bool,
    zone: str,
    named: tuple[str, ...],
    others: bool,
) -> Shown:
    """A result's JSON, drawn, with the moment `at` in the learner's `zone`.

    Of a result that has blocks of the ids `named` only these are drawn, or with `others` all but these.
    """
    blocks = body.get("blocks")
    every = blocks if isinstance(blocks, list) else []
    chosen = [b for b in every if isinstance(b, Mapping) and (b.get("id") in named) is not others]
    part = bool(named) and 0 < len(chosen) < len(every)
    return Shown(
        id=id,
        demo=demo,
        path=path,
        scope="r" + hashlib.sha256(path.encode()).hexdigest()[:8],
        view=drawing.result({**body, "blocks": chosen} if part else body),
        at=at.isoformat(timespec="seconds"),
        when=when_words(at, zone),
        recorded=recorded,
        older=older,
        rest=len(every) - len(chosen) if part and not others else 0,
        named=",".join(named) if part else "",
    )


def when_words(at: datetime, zone: str) -> str:
    """A moment in the learner's zone: 29 Nov 2026, 18:00."""
    local = at.astimezone(ZoneInfo(zone))
    return f"{local.day} {local:%b %Y, %H:%M}"


def param_groups(params: Sequence[ParamView]) -> tuple[ParamGroup, ...]:
    """A long form in three parts, by what one chooses: how large, which way, which random numbers."""
    if len(params) <= ONE_GROUP:
        return (ParamGroup("", tuple(params)),)
    parts = {
        "Sizes": [p for p in params if p.kind in ("int", "float") and p.name != "seed"],
        "Choices": [p for p in params if p.kind in ("bool", "choice")],
        "Random numbers": [p for p in params if p.name == "seed"],
    }
    return tuple(ParamGroup(title, tuple(part)) for title, part in parts.items() if part)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
