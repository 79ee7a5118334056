"""Short ways to make blocks, so that a demo reads like its idea. Imports no torch.

check("causal", "A later token changes no earlier row.", changed, "=", 0)
table("errors", {"way": "Computed by", "error": "Largest error"}, rows, title="Against float64")
curves("entropy", d, {"raw": raw, "scaled": scaled}, x_label="d_k", unit="nats")
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from kernels.result import (
    Bar,
    Block,
    Bytes,
    Check,
    Code,
    Column,
    Line,
    Note,
    Role,
    Row,
    Series,
    Table,
)

Op: TypeAlias = Literal["=", "<", "<=", ">", ">="]
_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def check(
    block_id: str,
    claim: str,
    got: float,
    op: Op,
    expected: float,
    tol: float = 0.0,
    *,
    title: str = "",
    look_for: str = "",
) -> Block:
    """A claim about a figure of this run, and whether it holds. `=` allows a difference of tol; nan equals nan."""
    data = Check(claim, op, expected, got, tol, holds(got, op, expected, tol))
    return Block(block_id, data, title=title, look_for=look_for)


def holds(got: float, op: Op, expected: float, tol: float = 0.0) -> bool:
    """Whether `got op expected`. Nothing but nan equals nan, and nan has no order."""
    if op != "=":
        return _ORDERS[op](got, expected)
    if math.isnan(got) or math.isnan(expected):
        return math.isnan(got) and math.isnan(expected)
    return got == expected or abs(got - expected) <= tol


def table(
    block_id: str,
    cols: Mapping[str, str | Sequence[str]],
    rows: Iterable[Row],
    *,
    title: str,
    look_for: str = "",
    alt: str = "",
) -> Block:
    """cols gives each column its label, or its label and its unit, in the order in which they stand."""
    heads = tuple(Column(key, *((told,) if isinstance(told, str) else told)) for key, told in cols.items())
    return Block(block_id, Table(heads, tuple(rows)), title=title, look_for=look_for, alt=alt)


def curves(
    block_id: str,
    x: Sequence[float],
    ys: Mapping[str, Sequence[float]],
    *,
    title: str,
    x_label: str,
    unit: str = "",
    log: bool = False,
    look_for: str = "",
    alt: str = "",
) -> Block:
    """Lines over the same x, by their labels."""
    lines = tuple(Line(label, tuple(y), None, None) for label, y in ys.items())
    data = Series(tuple(x), lines, unit, log, x_label)
    return Block(block_id, data, title=title, look_for=look_for, alt=alt)


def amounts(
    block_id: str, rows: Mapping[str, int], *, title: str, look_for: str = "", alt: str = ""
) -> Block:
    """Bars of bytes, by their labels."""
    data = Bytes(tuple(Bar(label, n) for label, n in rows.items()))
    return Block(block_id, data, title=title, look_for=look_for, alt=alt)


def known(*checks: Block) -> tuple[Block, ...]:
    """Checks of published figures, whatever was asked, below one heading: they hold the code, and not this run."""
    head = note("known", "These hold the code that calculated, and would stand here whatever was asked.",
                title="Known figures")  # fmt: skip
    return head, *(
        replace(block, data=replace(data, claim=f"Published figure: {data.claim}"))
        for block in checks
        if isinstance(data := block.data, Check)
    )


def note(block_id: str, text: str, *, title: str = "") -> Block:
    """A sentence or two of prose."""
    return Block(block_id, Note(text), title=title)


def code(text: str, *, block_id: str = "code", title: str = "The same in PyTorch", role: Role = "") -> Block:
    """Python that reproduces the run as it stands; a test runs it."""
    return Block(block_id, Code("python", text), title=title, look_for="It runs as it stands.", role=role)
