"""Parameters of a demo: their declaration, and how one value is read from a form, a URL or JSON. No torch."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from kernels.words import quoted

Value: TypeAlias = int | float | bool | str
Params: TypeAlias = Mapping[str, Value]
Rule: TypeAlias = Callable[[Params], Iterator[str]]
DeviceRule: TypeAlias = Callable[[Params, bool], Iterator[str]]

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_WORDS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


class NotRead(ValueError):
    """One value does not fit its parameter; the message is one sentence that says what to change."""


@dataclass(frozen=True)
class Param:
    """One parameter: low and high (both included) bound int and float, choices list what a choice accepts.

    labels says in words what a choice stands for, where it does not say so itself.
    """

    name: str
    kind: Literal["int", "float", "bool", "choice"]
    default: Value
    label: str
    help: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)

    def read(self, raw: object) -> Value:
        """The value of this parameter that `raw` (text or JSON) stands for. Raises NotRead."""
        readers = {"int": self._int, "float": self._float, "bool": self._bool, "choice": self._choice}
        value = readers[self.kind](raw)
        if value is None:
            raise NotRead(f"{self.name} must be {self.expects}; you gave {quoted(raw)}.")
        return value

    @property
    def expects(self) -> str:
        """What may be given, in words that follow "must be"."""
        if self.kind == "choice":
            return "one of " + ", ".join(self.choices)
        if self.kind == "bool":
            return "true or false"
        noun = "a whole number" if self.kind == "int" else "a number"
        return f"{noun} from {self.low:,.16g} to {self.high:,.16g}"

    def _int(self, raw: object) -> int | None:
        if isinstance(raw, str):
            raw = int(raw) if _WHOLE.fullmatch(raw := raw.strip()) else None
        elif isinstance(raw, float) and raw.is_integer():
            raw = int(raw)
        if isinstance(raw, bool) or not isinstance(raw, int):
            return None
        return raw if self._within(raw) else None

    def _float(self, raw: object) -> float | None:
        if isinstance(raw, str):
            raw = float(raw) if _NUMBER.fullmatch(raw := raw.strip()) else None
        if isinstance(raw, bool) or not isinstance(raw, int | float):
            return None
        return float(raw) if self._within(raw) else None

    def _within(self, value: float) -> bool:
        if isinstance(value, float) and math.isnan(value):
            return False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def _bool(self, raw: object) -> bool | None:
        if isinstance(raw, bool):
            return raw
        return _WORDS.get(str(raw).strip().casefold()) if isinstance(raw, str | int) else None

    def _choice(self, raw: object) -> str | None:
        text = str(raw).strip().casefold() if isinstance(raw, str | int | float) else ""
        return text if text in self.choices else None


def text(value: Value) -> str:
    """The value as it stands in a `name=value` pair; reading it back gives the same value."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def whole(params: Params, *names: str) -> tuple[int, ...]:
    """The values of parameters of kind int, for arithmetic."""
    return tuple(int(params[name]) for name in names)


def grouping(params: Params) -> Iterator[str]:
    """The rule of grouped-query attention: every key/value head serves as many query heads."""
    h_q, h_kv = whole(params, "h_q", "h_kv")
    if h_q % h_kv:
        yield f"h_q must be a multiple of h_kv, since key/value heads are shared evenly; {h_q} is none of {h_kv}."


SEED = Param(
    "seed", "int", 0, "Seed", "Another seed draws other random numbers.", low=0, high=2**32 - 1
)  # fmt: skip
"""The last parameter of every demo that draws random numbers."""


def no_rule(_: Params) -> Iterator[str]:
    """For a demo whose parameters do not depend on each other."""
    return iter(())


def no_device_rule(_: Params, __: bool) -> Iterator[str]:
    """For a demo that runs alike on every device."""
    return iter(())


def never(_: Params) -> bool:
    """For a demo whose figures come about in the same way whatever is asked."""
    return False


@dataclass(frozen=True)
class Demo:
    """A demo of the catalogue.

    needs lists the libraries it imports, modes how its figures may come about. A run that takes longer than
    deadline_s seconds is killed.
    rules yields a sentence for each combination of parameters that makes no sense anywhere; device_rules, given
    the parameters and whether Triton only interprets, for each that this machine cannot run.
    on says where it computes: on the worker's device, or always on its CPU. measures tells for which parameters a
    calculated demo measures all the same.
    """

    name: str
    title: str
    summary: str
    look_for: str
    topic: str
    params: tuple[Param, ...]
    deadline_s: float
    needs: tuple[Literal["torch", "triton"], ...]
    modes: tuple[str, ...]
    rules: Rule = no_rule
    device_rules: DeviceRule = no_device_rule
    on: Literal["cpu", "device"] = "device"
    measures: Callable[[Params], bool] = never

    def calculates(self, params: Params) -> bool:
        """Whether all figures of a run are calculated: the same everywhere, and no machine's."""
        return "calculated" in self.modes and not self.measures(params)

    def uses_device(self, params: Params) -> bool:
        """Whether a run's figures come from the worker's device, which is a GPU where there is one."""
        return self.on == "device" and not self.calculates(params)
