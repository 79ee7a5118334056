"""The rows that `model` and `gpu` of an estimate name, of the tables that the demos count with."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from app.library.expression import Cell, Row
from app.library.values import BadValue
from kernels import cost, hardware, models
from kernels.cost import bytes_per_token, parameters
from kernels.hardware import CHIPS, Chip
from kernels.models import MODELS, Model

TABLES = ("model", "gpu")  # the parameters whose choices are names of rows


def tables() -> tuple[Path, ...]:
    """The files that hold the tables, and the one that counts with them."""
    return tuple(Path(str(module.__file__)) for module in (cost, hardware, models))


def row(table: str, name: str) -> Row:
    """The row of this name. Raises BadValue, which names all there are."""
    rows = _rows(table)
    if name not in rows:
        raise BadValue(f'there is no {table} "{name}"', f"use {', '.join(rows)}.")
    return rows[name]


@cache
def _rows(table: str) -> Mapping[str, Row]:
    if table == "model":
        return {name: _model(model) for name, model in MODELS.items()}
    return {name: _gpu(chip) for name, chip in CHIPS.items()}


def _model(model: Model) -> Row:
    cells: dict[str, Cell] = {
        "title": model.title,
        "layers": model.layers,
        "h_q": model.h_q,
        "h_kv": model.h_kv,
        "d_head": model.d_head,
        "latent": model.latent,
        "window": model.window,
        "weights": parameters(model),
        "kv_bytes": bytes_per_token(model, "bf16"),
    }
    return Row("model", model.name, cells)


def _gpu(chip: Chip) -> Row:
    cells: dict[str, Cell] = {
        "title": chip.title,
        "peak": chip.peak,
        "bandwidth": chip.bandwidth,
        "memory": chip.memory,
        "ridge": chip.ridge,
    }
    return Row("gpu", chip.name, cells)
