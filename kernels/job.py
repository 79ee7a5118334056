"""One run as its demo sees it: parameters, machine, and a way to report progress. No torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kernels.params import Params

Progress: TypeAlias = Callable[[float, str], None]


def silent(_: float, __: str) -> None:
    """Progress that nobody follows."""


@dataclass(frozen=True)
class Job:
    """device is where tensors live; interpreter says that Triton runs its kernels in Python there."""

    params: Params
    device: Literal["cpu", "cuda"] = "cpu"
    interpreter: bool = True
    progress: Progress = silent

    @property
    def seed(self) -> int:
        """What random numbers are drawn with; 0 for a demo that has no parameter `seed`."""
        return int(self.params.get("seed", 0))

    def whole(self, *names: str) -> tuple[int, ...]:
        return tuple(int(self.params[name]) for name in names)

    def word(self, name: str) -> str:
        return str(self.params[name])

    def flag(self, name: str) -> bool:
        return bool(self.params[name])
