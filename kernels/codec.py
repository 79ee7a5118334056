"""Frozen dataclasses to and from JSON, driven by their type hints. Imports no torch.

JSON has no infinities, and attention is full of them: non-finite numbers travel as "nan", "inf" and "-inf".
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Literal, TypeAlias, TypeVar, Union

Json: TypeAlias = Union[bool, int, float, str, "list[Json]", "dict[str, Json]", None]
T = TypeVar("T")

LARGEST = 2**63  # a whole number beyond it is no size of anything, and no float can be counted on to hold it
_NOUNS: dict[object, str] = {str: "text", int: "a whole number", bool: "true or false", type(None): "null"}
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Mismatch(ValueError):
    """A value does not have its declared type; the message names the place and what belongs there."""


def encode(value: object) -> Json:
    """Turns dataclasses, mappings, sequences and plain values into JSON data."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    if dataclasses.is_dataclass(value):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} has no place in a result")


def decode(kind: type[T], value: object, place: str) -> T:
    """Builds the dataclass `kind` from JSON data. `place` names the value in the message of a Mismatch."""
    return typing.cast(T, _decode(kind, value, place))


@cache
def _hints(kind: type) -> dict[str, object]:
    return typing.get_type_hints(kind)


@cache
def _optional(kind: type) -> frozenset[str]:
    """Fields that have a default: those that came to a block's type later."""
    fields = dataclasses.fields(kind)
    return frozenset(field.name for field in fields if field.default is not dataclasses.MISSING)


def _decode(hint: object, value: object, place: str) -> object:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _record(hint, value, place)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return _one_of(args, value, place)
    if origin is Literal:
        if value not in args:
            raise Mismatch(f"{place} must be one of {', '.join(map(repr, args))}")
        return value
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise Mismatch(f"{place} must be a list")
        return tuple(_decode(args[0], item, f"{place}[{i}]") for i, item in enumerate(value))
    if origin is not None:
        if not isinstance(value, Mapping):
            raise Mismatch(f"{place} must be an object")
        return {str(key): _decode(args[1], item, f"{place}.{key}") for key, item in value.items()}
    return _plain(hint, value, place)


def _record(kind: type, value: object, place: str) -> object:
    if not isinstance(value, Mapping):
        raise Mismatch(f"{place} must be an object")
    fields: dict[str, object] = {}
    for name, hint in _hints(kind).items():
        if name not in value:
            if name in _optional(kind):
                continue  # a field that came after the result was kept
            raise Mismatch(f"{place} lacks {name!r}")
        fields[name] = _decode(hint, value[name], f"{place}.{name}")
    return kind(**fields)


def _one_of(hints: tuple[object, ...], value: object, place: str) -> object:
    if isinstance(value, str) and value in _NOT_FINITE and float in hints:
        return _NOT_FINITE[value]
    for hint in hints:
        try:
            return _decode(hint, value, place)
        except Mismatch:
            continue
    raise Mismatch(f"{place} has a value of the wrong type")


def _plain(hint: object, value: object, place: str) -> object:
    if hint is object:
        return value
    if isinstance(value, int) and abs(value) > LARGEST:
        raise Mismatch(f"{place} must lie within ±2^63")
    if hint is float:
        if isinstance(value, str) and value in _NOT_FINITE:
            return _NOT_FINITE[value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        raise Mismatch(f"{place} must be a number")
    if hint is int and isinstance(value, bool):
        raise Mismatch(f"{place} must be a whole number")
    expected = type(None) if hint is None else hint
    if isinstance(expected, type) and isinstance(value, expected):
        return value
    raise Mismatch(f"{place} must be {_NOUNS.get(expected, 'of another type')}")
