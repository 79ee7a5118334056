"""The demo `masks`: packed documents, padding and windows; what leaks without them, and what it says of itself."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from kernels.catalog import BadParams, parse_line
from kernels.demos.masks_kinds import window_pairs
from kernels.masks import causal_mask, window_mask
from kernels.result import Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled

KINDS = ("causal", "padding", "left-padding", "window", "packed")


def leaks(result: Result) -> list[tuple[int, bool]]:
    """Rows that change and must not: without this mask, and with it."""
    return [(row["rows"], row["leaks"]) for row in data(result, "leak").rows]


def visible_by_definition(p: dict[str, Any]) -> list[list[bool]]:
    """Cell by cell from the parameters, by nothing that the demo uses."""
    n_q, n_kv = p["n_q"], p["n_kv"]
    shift = n_kv - n_q if p["align"] == "bottom-right" else 0
    sizes = [n_kv // p["documents"] + (d < n_kv % p["documents"]) for d in range(p["documents"])]
    document = [number for number, size in enumerate(sizes) for _ in range(size)]
    reasons = {
        "causal": lambda i, j: j <= i + shift,
        "padding": lambda i, j: j < n_kv - p["padding"],
        "left-padding": lambda i, j: j >= p["padding"],
        "window": lambda i, j: i + shift - j < p["width"],
        "packed": lambda i, j: document[i] == document[j],
    }
    reason = reasons[p["kind"]]
    return [[reason(i, j) and (not p["causal"] or j <= i + shift) for j in range(n_kv)] for i in range(n_q)]


def test_a_packed_document_reads_the_one_before_it_unless_blocks_hide_it() -> None:
    result = run("masks", {"kind": "packed"})
    assert leaks(result) == [(3, True), (0, False)]
    assert data(result, "mask").cells == (
        (1, 0, 0, 0, 0, 0),
        (1, 1, 0, 0, 0, 0),
        (1, 1, 1, 0, 0, 0),
        (0, 0, 0, 1, 0, 0),
        (0, 0, 0, 1, 1, 0),
        (0, 0, 0, 1, 1, 1),
    )
    assert [(row["length"], row["pairs"], row["hidden"]) for row in data(result, "documents").rows] == [
        (3, 6, 0),
        (3, 6, 9),
    ]


def test_left_padding_blinds_rows_and_right_padding_reaches_only_padding() -> None:
    left, right = (run("masks", {"kind": kind}) for kind in ("left-padding", "padding"))
    assert [row["sees"] for row in data(left, "rows").rows] == [0, 0, 1, 2, 3, 4]
    assert data(left, "unseen-naive").got == 2
    assert leaks(left) == [(6, True), (0, False)]
    assert [row["sees"] for row in data(right, "rows").rows] == [1, 2, 3, 4, 4, 4]
    assert leaks(right) == [(2, True), (0, False)]
    assert "no query but those at padding itself" in right.block("leak").look_for


def test_a_window_costs_n_times_w_and_reaches_a_window_less_one_a_layer() -> None:
    result = run("masks", {"kind": "window", "n_q": 512, "n_kv": 512, "width": 64, "tile": "64"})
    assert [row["reached"] for row in data(result, "reach").rows[:4]] == [64, 127, 190, 253]
    assert data(result, "reach").rows[3]["rule"] == 256
    assert data(result, "tiles").rows[0]["count"] == 8 + 7  # the diagonal, and one tile before it
    assert f"{window_pairs(512, 64) / 512**2:.1%} of all pairs" in result.block("tiles").look_for
    causal, windowed = data(result, "cost").ys
    assert causal.y[-1] == pytest.approx(4 * causal.y[-2], rel=1e-4)
    assert windowed.y[-1] == pytest.approx(2 * windowed.y[-2], rel=1e-3)


def test_where_nothing_must_be_blind_no_check_says_that_nothing_leaks() -> None:
    result = run("masks", {"n_q": 1, "n_kv": 1})
    assert "leak" in {b.id for b in result.blocks}
    assert not {"leak-hidden", "leak-without"} & {b.id for b in result.blocks}
    assert result.block("leak").look_for == "Every query may see the last key, so nothing can leak by it."


@pytest.mark.parametrize("width", [1, 2, 5])
def test_a_window_reaches_back_by_its_width_less_the_position_itself(width: int) -> None:
    result = run("masks", {"kind": "window", "width": width})
    rows = data(result, "reach").rows
    assert [row["back"] for row in rows] == [row["layers"] * (width - 1) for row in rows]
    assert all(row["reached"] == row["back"] + 1 for row in rows)
    assert ("no layer brings anything" in result.block("reach").look_for) is (width == 1)


@pytest.mark.parametrize("width", [1, 3, 7, 40])
@pytest.mark.parametrize("n", [1, 6, 33])
def test_the_pairs_of_a_window_are_those_of_its_mask(n: int, width: int) -> None:
    assert window_pairs(n, width) == int((causal_mask(n, n) & window_mask(n, n, width)).sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("align", ["bottom-right", "top-left"])
@pytest.mark.parametrize(("n_q", "n_kv"), [(6, 6), (3, 7), (7, 4)])
def test_cells_are_the_definition_and_the_code_shown_finds_the_same(
    kind: str, align: str, n_q: int, n_kv: int
) -> None:
    if kind == "packed" and n_q != n_kv:
        return
    for causal in (True, False):
        if kind == "causal" and not causal:
            continue
        given = {"kind": kind, "align": align, "n_q": n_q, "n_kv": n_kv, "causal": causal, "seed": n_q}
        result = run("masks", given)
        assert [list(map(bool, row)) for row in data(result, "mask").cells] == visible_by_definition(
            dict(result.params)
        )
        assert broken(result) == []
        names = copied(result)
        assert names["visible"] == sum(map(sum, data(result, "mask").cells))
        assert list(names["leak"].values()) == [rows for rows, _ in leaks(result)]


def test_checks_and_sentences_hold_for_any_parameters() -> None:
    for result in sampled("masks", 12):
        p = dict(result.params)
        assert broken(result) == [], p
        cells = visible_by_definition(p)
        sees = [sum(row) for row in cells]
        total = p["n_q"] * p["n_kv"]
        told = re.fullmatch(r"Of ([\d,]+) cells?, ([\d,]+) (?:is|are) visible\.", result.block("mask").alt)
        assert told is not None
        assert [int(x.replace(",", "")) for x in told.groups()] == [total, sum(sees)]
        rows = result.block("rows").look_for
        if sees.count(0):
            told = re.fullmatch(r"Of ([\d,]+) quer(?:y|ies) ([\d,]+) sees? no key at all\.", rows)
            assert told is not None
            assert [int(x.replace(",", "")) for x in told.groups()] == [p["n_q"], sees.count(0)]
        else:
            assert f"sees least sees {min(sees):,} of {p['n_kv']:,}." in rows
        assert {"unseen", "unseen-zero", "unseen-naive"} <= {b.id for b in result.blocks} or not sees.count(0)
        shares = re.match(r"([\d.]+)% of all pairs .* ([\d.]+)% of the tiles", result.block("tiles").look_for)
        assert shares is not None
        assert float(shares[1]) == pytest.approx(100 * sum(sees) / total, abs=0.051)
        assert float(shares[2]) == pytest.approx(100 * data(result, "tiles").rows[0]["share"], abs=0.051)
        nobody = "nothing can leak by it" in result.block("leak").look_for
        assert nobody is not ({"leak-hidden", "leak-without"} <= {b.id for b in result.blocks})
        assert ("nothing is lost" in result.block("leak").look_for) == (
            leaks(result)[0][0] == 0 and not nobody
        )


def test_right_padding_under_a_causal_mask_leaks_into_padding_alone_where_it_says_so() -> None:
    for n_q, align in itertools.product((3, 6, 9), ("bottom-right", "top-left")):
        result = run("masks", {"kind": "padding", "n_q": n_q, "align": align})
        shift = 6 - n_q if align == "bottom-right" else 0
        touched = [i for i in range(n_q) if i + shift >= 4]  # causal: they see padding, keys 4 and 5
        at_padding = all(i + shift < 6 for i in touched)
        assert leaks(result)[0][0] == len(touched)
        assert ("those at padding itself" in result.block("leak").look_for) == (bool(touched) and at_padding)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("masks causal=false", "leave causal=true"),
        ("masks kind=padding padding=6", "at most 5"),
        ("masks kind=left-padding n_kv=3 padding=3", "at most 2"),
        ("masks kind=packed n_q=5", "n_q must be n_kv=6"),
        ("masks kind=packed documents=7", "at most n_kv=6"),
    ],
)
def test_combinations_that_make_no_sense_get_one_sentence(line: str, words: str) -> None:
    with pytest.raises(BadParams) as caught:
        parse_line(line)
    (sentence,) = caught.value.sentences
    assert words in sentence
