"""A result of a demo as text for a terminal: the same figures that the page draws."""

from collections.abc import Iterable, Iterator, Sequence

from kernels.result import (
    Block,
    Bytes,
    Cell,
    Check,
    Code,
    Data,
    Mask,
    Matrix,
    Note,
    Result,
    Shapes,
    Step,
    Table,
    Timing,
)

WIDEST = 12  # a larger grid is told in words
CELLS = {0: "·", 1: "■"}


def lines(result: Result) -> Iterator[str]:
    """The result, block by block, and at the end where and how it was computed."""
    for block in result.blocks:
        yield f"{block.title}  [{block.id}]" if block.title else f"[{block.id}]"
        yield from ("  " + line for line in _body(block))
        yield ""
    device = result.device
    versions = [f"torch {device.torch}"] * bool(device.torch) + [f"triton {device.triton}"] * bool(
        device.triton
    )
    where = ", ".join((f"{device.name} ({device.kind})", *versions))
    yield f"{result.origin}, {result.mode}, on {where}; {result.wall_ms:,} ms in all"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows in columns as wide as their widest text; the first one to the left, the others to the right."""
    every = [tuple(head), *map(tuple, rows)]
    first, *others = (max(map(len, column)) for column in zip(*every, strict=True))
    for row in every:
        cells = (text.rjust(width) for text, width in zip(row[1:], others, strict=True))
        yield "  ".join((row[0].ljust(first), *cells)).rstrip()


def number(value: Cell) -> str:
    """A figure short enough to be read: 327680 as 327,680, a float to six digits."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: ""}[value]
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}" if isinstance(value, float) else value


def _body(block: Block) -> Iterator[str]:
    drawn = list(_drawn(block.data))
    if block.alt and not (drawn and isinstance(block.data, Table | Check | Code | Note | Bytes | Timing)):
        yield block.alt
    yield from drawn


def _drawn(data: Data) -> Iterator[str]:
    match data:
        case Shapes():
            yield from map(_step, data.steps)
        case Matrix() if max(len(data.row_labels), len(data.col_labels)) <= WIDEST:
            yield from _stages(data)
        case Mask() if data.cells and max(data.n_q, data.n_kv) <= 4 * WIDEST:
            yield from (" ".join(CELLS[cell] for cell in row) for row in data.cells)
        case Table():
            yield from _rows(data)
        case Bytes():
            yield from table(("", "bytes"), ((bar.label, number(bar.n)) for bar in data.rows))
        case Timing():
            head = ("", f"median [{data.unit}]", "p10", "p90", "n")
            yield from table(
                head, ((r.label, *map(number, (r.median, r.p10, r.p90, r.n))) for r in data.rows)
            )
        case Check():
            yield _verdict(data)
        case Code() | Note():
            yield from data.text.splitlines()


def _step(step: Step) -> str:
    dims = ", ".join(f"{dim.label}={dim.n}" if dim.label else str(dim.n) for dim in step.dims)
    return f"{step.name}[{dims}]" + (f"  {step.op}" if step.op else "")


def _stages(matrix: Matrix) -> Iterator[str]:
    for stage in matrix.stages:
        rows = zip(matrix.row_labels, stage.values, strict=True)
        yield from table(
            (stage.name, *matrix.col_labels),
            ((label, *(f"{value:.3f}" for value in values)) for label, values in rows),
        )


def _rows(data: Table) -> Iterator[str]:
    head = [f"{col.label} [{col.unit}]" if col.unit else col.label for col in data.cols]
    return table(head, ([number(row.get(col.key)) for col in data.cols] for row in data.rows))


def _verdict(check: Check) -> str:
    within = f" ± {number(check.tol)}" if check.tol else ""
    figures = f"{number(check.got)} {check.op} {number(check.expected)}{within}"
    return f"{check.claim.rstrip('.')}: {figures}: {'holds' if check.holds else 'DOES NOT HOLD'}"
