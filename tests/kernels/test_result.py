"""The result schema: what is written can be read back, and what is not a result is refused in a sentence."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from kernels.result import (
    BadResult,
    Bar,
    Block,
    Bytes,
    Check,
    Code,
    Column,
    Device,
    Dim,
    Line,
    Mask,
    Matrix,
    Note,
    Player,
    Result,
    Roofline,
    RooflinePoint,
    Series,
    Shapes,
    Stage,
    Step,
    Table,
    Tiles,
    Timing,
    TimingRow,
    Unknown,
)

ONE_OF_EACH = (
    Shapes((Step("q", (Dim(4, "n_q"),), "q", ""),), (0, 0)),
    Matrix(
        ("a",), ("b",), (1, 1), None, None, 0, (Stage("raw", ((-math.inf,),)),), ((0,),), (-math.inf,), (0.0,)
    ),
    Mask(1, 1, "none", ((1,),), Tiles(1, 1, (("full",),))),
    Series((1, 2), (Line("y", (1.5, 2), None, (2, 3)),), "ms", True),
    Table((Column("n", "n", "B"),), ({"n": 3}, {"n": None}, {"n": "x"}, {"n": True}, {"n": math.inf})),
    Bytes((Bar("cache", 2**40),)),
    Roofline(295.0, (RooflinePoint("mha", 1.0, 1e12),)),
    Player(({"m": -math.inf},), ("m",)),
    Timing("ms", (TimingRow("sdpa", 5, 1.0, 0.9, 1.2, None, ""),)),
    Check("a claim", "<=", 1.0, math.nan, 0.0, False),
    Code("python", "x = 1"),
    Note("words"),
)


def result(*data: Any) -> Result:
    blocks = tuple(Block(f"b{i}", item, "title", "look", "score", "alt") for i, item in enumerate(data))
    device = Device("cpu", "a machine", "", "2.13.0", "")
    return Result(
        "flash",
        {"d": 64, "causal": True},
        1,
        "live",
        "eager",
        device,
        "ab",
        "2026-11-29T10:00:00Z",
        7,
        blocks,
    )


def as_json(value: Result) -> dict[str, Any]:
    return json.loads(json.dumps(value.to_json(), allow_nan=False))


@pytest.mark.parametrize("data", ONE_OF_EACH, ids=lambda item: type(item).__name__)
def test_every_block_survives_the_way_through_json(data: Any) -> None:
    before = as_json(result(data))
    assert as_json(Result.from_json(before)) == before
    again = Result.from_json(before).blocks[0].data
    assert type(again) is type(data)
    assert again == data or isinstance(data, Check)  # nan differs from itself


def test_fields_stand_in_the_order_of_the_schema() -> None:
    data = as_json(result(Note("words")))
    assert list(data) == [
        "schema", "demo", "params", "seed", "origin", "mode", "device", "code", "at", "wall_ms", "blocks",
    ]  # fmt: skip
    assert list(data["blocks"][0]) == ["id", "type", "title", "look_for", "role", "alt", "data"]
    assert list(data["device"]) == ["kind", "name", "driver", "torch", "triton"]


def test_numbers_that_are_not_finite_are_text() -> None:
    data = as_json(result(ONE_OF_EACH[1], ONE_OF_EACH[9]))
    assert data["blocks"][0]["data"]["stages"][0]["values"] == [["-inf"]]
    assert data["blocks"][1]["data"]["got"] == "nan"


def test_an_unknown_block_type_is_kept_as_it_came() -> None:
    data = as_json(result(Note("words")))
    data["blocks"][0] |= {"type": "hologram", "data": {"depth": [1, "inf"]}}
    read = Result.from_json(data)
    assert isinstance(read.blocks[0].data, Unknown)
    assert read.blocks[0].type == "hologram"
    assert as_json(read) == data


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"schema": 2}, 'of schema "2"'),
        ({"blocks": None}, "list of blocks"),
        ({"mode": "turbo"}, "result.mode"),
        ({"seed": True}, "result.seed"),
        ({"params": {"d": []}}, "result.params.d"),
        ({"device": {"kind": "cpu"}}, "result.device"),
        ({"blocks": [1]}, "blocks[0]"),
        ({"blocks": [{"id": "x", "type": "note"}]}, "blocks[0]"),
    ],
)
def test_what_is_no_result_is_refused_with_its_place(change: dict[str, object], place: str) -> None:
    with pytest.raises(BadResult) as caught:
        Result.from_json(as_json(result(Note("words"))) | change)
    assert place in str(caught.value)
    assert str(caught.value).endswith(".")


def test_two_blocks_of_one_id_are_refused() -> None:
    data = as_json(result(Note("a")))
    with pytest.raises(BadResult, match="b0"):
        Result.from_json(data | {"blocks": data["blocks"] * 2})


def test_wrong_data_names_the_cell() -> None:
    data = as_json(result(ONE_OF_EACH[1]))
    data["blocks"][0]["data"]["stages"][0]["values"][0][0] = "a lot"
    with pytest.raises(BadResult, match=r"blocks\[0\]\.data\.stages\[0\]\.values\[0\]\[0\] must be a number"):
        Result.from_json(data)


def test_block_is_found_by_id() -> None:
    assert result(Note("words")).block("b0").type == "note"
    with pytest.raises(KeyError):
        result(Note("words")).block("nowhere")
