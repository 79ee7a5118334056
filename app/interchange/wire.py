"""The few things that Anki's newer packages keep as protocol buffers, read field by field. Pure.

https://protobuf.dev/programming-guides/encoding/ ; the fields' numbers are those of Anki's proto/anki/*.proto.
"""

from collections.abc import Iterator


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Each field's number and value: a whole number, or bytes. Raises ValueError for what is no message."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        match key & 7:
            case 0:
                value, at = _varint(data, at)
                yield key >> 3, value
            case 2:
                size, at = _varint(data, at)
                yield key >> 3, _cut(data, at, size)
                at += size
            case 1 | 5 as kind:
                size = 8 if kind == 1 else 4
                yield key >> 3, _cut(data, at, size)
                at += size
            case _:
                raise ValueError("no protocol buffer")


def text(data: bytes, number: int) -> str:
    """The last text under this number, or ""."""
    found = [value for at, value in fields(data) if at == number and isinstance(value, bytes)]
    return found[-1].decode(errors="replace") if found else ""


def whole(data: bytes, number: int) -> int:
    """The last whole number under this number, or 0."""
    found = [value for at, value in fields(data) if at == number and isinstance(value, int)]
    return found[-1] if found else 0


def _cut(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise ValueError("no protocol buffer")
    return data[at : at + size]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("no protocol buffer")
