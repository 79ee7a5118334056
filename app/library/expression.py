"""The arithmetic that a card may write in a placeholder: `2 * model.layers * context / 2**30`. Pure.

Python's own parser reads it, and nothing of it is run but numbers, names, the listed functions and operators, within
bounds. Every mistake is one BadValue, with what to write instead.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType

from app.library.values import BadValue

Number = int | float
Cell = Number | str | None

LONGEST = 300  # characters
LARGEST = 1e300
MOST_BITS = 990  # of a power, before it is taken

FUNCTIONS: Mapping[str, Callable[..., Number]] = {
    "min": min, "max": max, "ceil": math.ceil, "floor": math.floor, "round": round, "sqrt": math.sqrt,
    "log2": math.log2,
}  # fmt: skip
_OPERATORS: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_SIGNS = re.compile(r"[\w\s.+\-*/%(),]*", re.ASCII)
_WORD = re.compile(r"(?:and|or|if|else|in|is|not|for|lambda|await|yield|async|None|True|False)(?![A-Za-z_])")
_ONLY = "use numbers, names, + - * / // ** %, brackets and " + ", ".join(FUNCTIONS) + "."


@dataclass(frozen=True)
class Row:
    """A row of a table: what it has by name, and what it is called. None: the table does not say."""

    table: str
    name: str
    cells: Mapping[str, Cell] = field(default_factory=lambda: MappingProxyType({}))


Value = Number | str | Row


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that was read: its text, and what is left to do."""

    text: str
    tree: ast.expr

    def value(self, names: Mapping[str, Value]) -> Value:
        """What it comes to. Raises BadValue, with one sentence for whatever is wrong."""
        try:
            return _value(self.tree, names, self.text)
        except ZeroDivisionError:
            raise BadValue(f'"{self.text}" divides by zero', "keep what it divides by away from 0.") from None
        except (OverflowError, ValueError) as error:
            if isinstance(error, BadValue):
                raise
            problem = f'"{self.text}" has no value: {error}'
            raise BadValue(problem, "keep its numbers within what the function takes.") from None

    @property
    def names(self) -> frozenset[str]:
        """The names that it counts with; of `model.layers` it is `model`."""
        return frozenset(node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name))

    def number(self, names: Mapping[str, Value]) -> Number:
        """What it comes to, where that must be a number. Raises BadValue."""
        return _number(self.value(names), self.text)


@lru_cache(maxsize=2048)
def read(text: str) -> Expression:
    """Reads an expression. Raises BadValue.

    >>> read("2 * n / 2**10").number({"n": 4096})
    8.0
    """
    text = " ".join(text.split())
    if not text:
        raise BadValue("the expression is empty", "write one, such as 2 * n.")
    if len(text) > LONGEST:
        raise BadValue(f"the expression has {len(text)} characters", f"keep it under {LONGEST + 1}.")
    if not _SIGNS.fullmatch(text) or any(
        _WORD.match(text, m.start()) for m in re.finditer(r"(?<![A-Za-z_.])[A-Za-z]", text)
    ):
        raise BadValue(f'"{text}" is no expression', _ONLY)
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        if re.search(r"\d,\d{3}(?!\d)", text):
            raise BadValue(f'"{text}" has a comma in a number', "write 131072, without separators.") from None
        fix = "write products with *, powers with **, each bracket with its partner, such as 2 * n * d_k**2."
        raise BadValue(f'"{text}" is no expression', fix) from None
    for node in ast.walk(tree):
        _allow(node, text)
    return Expression(text, tree)


def _allow(node: ast.AST, text: str) -> None:
    match node:
        case ast.Tuple():
            raise BadValue(f'"{text}" has a comma outside a function', "write 131072, without separators.")
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            raise BadValue(f'there is no function "{name}"', f"use {known}, or * for a product.")
        case ast.Call(func=ast.Name(), keywords=[]) | ast.Attribute(value=ast.Name()):
            pass
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            pass
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()) | ast.Name() | ast.Load():
            pass
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            pass
        case ast.operator() | ast.unaryop():
            pass
        case _:
            raise BadValue(f'"{text}" is no expression', _ONLY)


def _value(node: ast.expr, names: Mapping[str, Value], text: str) -> Value:
    match node:
        case ast.Constant(value=int() | float() as number):
            return _bounded(number, text)
        case ast.Name(id=name):
            return _named(name, names, text)
        case ast.Attribute(value=ast.Name(id=name), attr=cell):
            return _cell(_named(name, names, text), name, cell)
        case ast.UnaryOp(op=op, operand=operand):
            number = _number(_value(operand, names, text), text)
            return -number if isinstance(op, ast.USub) else number
        case ast.BinOp(left=left, op=op, right=right):
            a, b = (_number(_value(side, names, text), text) for side in (left, right))
            return _bounded(
                _power(a, b, text) if isinstance(op, ast.Pow) else _OPERATORS[type(op)](a, b), text
            )
        case ast.Call(func=ast.Name(id=name), args=args):
            numbers = [_number(_value(arg, names, text), text) for arg in args]
            return _bounded(_called(name, numbers, text), text)
    raise AssertionError("what is not allowed was read")


def _called(name: str, numbers: list[Number], text: str) -> Number:
    if name in ("min", "max"):
        if len(numbers) < 2:
            raise BadValue(f'{name} in "{text}" compares fewer than two numbers', f"write {name}(a, b).")
    elif name == "round" and len(numbers) == 2:
        numbers[1] = int(numbers[1])
    elif len(numbers) != 1:
        raise BadValue(f'{name} in "{text}" takes one number', f"write {name}(n).")
    return FUNCTIONS[name](*numbers)


def _power(base: Number, exponent: Number, text: str) -> Number:
    if base and abs(exponent) * abs(math.log2(abs(base))) > MOST_BITS:
        raise _too_large(text)
    power = base**exponent
    if isinstance(power, complex):
        raise BadValue(
            f'"{text}" takes a root of a negative number', "keep what it takes the root of at 0 or above."
        )
    return power if isinstance(power, int) else float(power)


def _named(name: str, names: Mapping[str, Value], text: str) -> Value:
    if name in names:
        return names[name]
    near = get_close_matches(name, names, n=1)
    fix = f"write {near[0]}." if near else f"use {', '.join(names)}, or name it in params:."
    raise BadValue(f'the name "{name}" in "{text}" is not known', fix)


def _cell(value: Value, name: str, cell: str) -> Value:
    if not isinstance(value, Row):
        fix = f"write {name} alone; only model and gpu have rows of a table, with names after a point."
        raise BadValue(f'"{name}" has no "{cell}"', fix)
    if cell not in value.cells:
        raise BadValue(f'a {value.table} has no "{cell}"', f"use {', '.join(value.cells)}.")
    found = value.cells[cell]
    if found is None:
        problem = f"the table of {value.table}s gives no {cell} for {value.name}"
        raise BadValue(problem, f"leave {value.name} out of params:, or do without {name}.{cell}.")
    return found


def _number(value: Value, text: str) -> Number:
    if isinstance(value, str | Row):
        said = value if isinstance(value, str) else value.name
        raise BadValue(f'"{said}" in "{text}" is not a number', "count with numbers; words stand alone.")
    return value


def _bounded(number: Number, text: str) -> Number:
    if not abs(number) < LARGEST:
        raise _too_large(text)
    return number


def _too_large(text: str) -> BadValue:
    return BadValue(f'"{text}" becomes too large', "keep it below 1e300.")
