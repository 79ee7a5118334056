"""Two results side by side: what is paired, what counts as a change, and what is said where one is missing."""

import json
import re
from dataclasses import replace

import pytest

from app.demos import comparing, drawing
from app.settings import ROOT
from kernels import recorded
from kernels.catalog import code_hash, demo, parse
from kernels.result import (
    Bar,
    Block,
    Bytes,
    Check,
    Column,
    Data,
    Note,
    Result,
    Table,
    Timing,
    TimingRow,
    Unknown,
)
from tests.demos.reading import text

_READ = Result.from_json(json.loads((ROOT / "tests/fixtures/results/every-block.json").read_text()))
EVERY = replace(
    _READ, blocks=tuple(b for b in _READ.blocks if not isinstance(b.data, Unknown))
)  # none of older code
KEYED = (Column("by", "By"), Column("share", "Share"), Column("note", "Note"), Column("mib", "Peak", "MiB"))


def side(*blocks: Block, **params: bool | int | float | str) -> comparing.Side:
    result = replace(EVERY, blocks=blocks, params=params)
    return comparing.Side(result, drawing.result(result.to_json()))


def figures(left: Data, right: Data) -> list[tuple[str, str, str, str, str]]:
    made = comparing.compare(side(Block("b", left)), side(Block("b", right)))
    return [(line.what, line.left, line.right, line.difference, line.ratio) for line in made.figures]


def test_parameters_that_differ_are_told_from_those_that_do_not() -> None:
    lines = comparing.compare(side(n_q=4, causal=True), side(n_q=8, causal=True, seed=0)).params
    assert [(line.name, line.left, line.right, line.differs) for line in lines] == [
        ("n_q", "4", "8", True),
        ("causal", "true", "true", False),
        ("seed", "–", "0", True),
    ]


def test_rows_are_paired_by_their_words_wherever_they_stand() -> None:
    left = Table(KEYED, ({"by": "plain", "share": 2, "mib": 8.0}, {"by": "fused", "share": 1, "mib": 8.0}))
    right = Table(KEYED, ({"by": "fused", "share": 1, "mib": 2.0}, {"by": "flex", "share": 9, "mib": 9.0}))
    assert figures(left, right) == [("fused, Peak (MiB)", "8", "2", "−6", "× 0.25")]


def alone(left: Data, right: Data) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    made = comparing.compare(side(Block("b", left)), side(Block("b", right)))
    return [(one.left, one.right) for one in made.alone]


def test_a_row_whose_verdict_differs_is_the_same_row() -> None:
    """Rows were paired only where all their words agreed, so that a changed verdict hid the change of its figures."""
    cols = (Column("way", "Way"), Column("verdict", "Verdict"), Column("leak", "Leak"))
    left, right = (
        Table(cols, ({"way": "fill-0", "verdict": verdict, "leak": leak},))
        for verdict, leak in (("holds", 0.0), ("leaks", 0.5))
    )
    assert figures(left, right) == [("fill-0, Leak", "0", "0.5", "+0.5", "–")]
    assert alone(left, right) == []


def test_as_many_words_name_a_row_as_tell_it_from_the_others() -> None:
    cols = (
        Column("format", "Format"),
        Column("part", "Part"),
        Column("kind", "Kind"),
        Column("bytes", "Bytes"),
    )
    left, right = (
        Table(
            cols, tuple({"format": "fp8", "part": part, "kind": "x", "bytes": n} for part in ("key", "value"))
        )
        for n in (1, 2)
    )
    assert [line[0] for line in figures(left, right)] == ["fp8 · key, Bytes", "fp8 · value, Bytes"]


def test_rows_that_only_one_has_are_listed() -> None:
    left = Table(KEYED, ({"by": "plain", "share": 2}, {"by": "fused", "share": 1}))
    right = Table(KEYED, ({"by": "fused", "share": 1}, {"by": "flex", "share": 9}))
    assert alone(left, right) == [(("plain",), ("flex",))]
    assert alone(Bytes((Bar("S", 1),)), Bytes((Bar("P", 1),))) == [(("S",), ("P",))]
    assert alone(left, left) == alone(left, Note("other")) == []


def test_a_row_without_words_is_called_by_its_first_cell_and_one_of_the_same_name_by_its_place() -> None:
    cols = (Column("n", "Keys"), Column("x", "X"))
    left, right = (Table(cols, ({"n": 64, "x": a}, {"n": 64, "x": 5})) for a in (1, 3))
    assert figures(left, right) == [("64, X", "1", "3", "+2", "× 3")]
    assert comparing.compare(side(Block("b", left)), side(Block("b", right))).same == 1


@pytest.mark.parametrize(
    ("left", "right", "difference", "ratio"),
    [
        (0, 2, "+2", "–"),
        (-1, 2, "+3", "–"),
        ("-inf", 2, "–", "–"),
        (2.0, "nan", "–", "–"),
        (1e-300, 1e300, "+1.00e300", "–"),
    ],
)
def test_a_ratio_is_told_only_where_there_is_one(
    left: object, right: object, difference: str, ratio: str
) -> None:
    made = [Table((Column("a", "A"), Column("b", "B")), ({"a": "x", "b": value},)) for value in (left, right)]
    assert [line[3:] for line in figures(*made)] == [(difference, ratio)]


def test_figures_that_read_the_same_are_counted_and_not_listed() -> None:
    left, right = (
        Table((Column("a", "A"), Column("b", "B")), ({"a": "x", "b": v},)) for v in (1.0, 1 + 1e-9)
    )
    made = comparing.compare(side(Block("b", left)), side(Block("b", right)))
    assert (made.figures, made.same) == ((), 1)


def test_bytes_and_medians_are_figures_and_words_and_truths_are_none() -> None:
    assert figures(Bytes((Bar("S", 1024),)), Bytes((Bar("S", 4096),))) == [
        ("S", "1 KiB = 1.024 kB", "4 KiB = 4.096 kB", "+3 KiB = 3.072 kB", "× 4")
    ]
    timed = [Timing("ms", (TimingRow("fused", 9, ms, 1.0, 9.0, None, ""),)) for ms in (2.0, 3.0)]
    assert figures(*timed) == [("fused, median (ms)", "2", "3", "+1", "× 1.5")]
    cols = (Column("a", "A"), Column("b", "B"))
    assert figures(Table(cols, ({"a": "x", "b": True},)), Table(cols, ({"a": "x", "b": False},))) == []
    assert figures(Bytes((Bar("S", 1),)), Note("other")) == []


def test_the_changed_figures_beyond_the_most_are_counted() -> None:
    cols, many = (Column("a", "A"), Column("b", "B")), comparing.MOST_FIGURES + 5
    left, right = (Table(cols, tuple({"a": f"r{i}", "b": i + by} for i in range(many))) for by in (0, 0.5))
    made = comparing.compare(side(Block("b", left)), side(Block("b", right)))
    assert (len(made.figures), made.differ) == (comparing.MOST_FIGURES, many)


def test_blocks_of_one_id_stand_together_and_checks_among_themselves() -> None:
    held, broken = (Check("It holds.", "=", 0.0, got, 0.0, holds=got == 0) for got in (0.0, 1.0))
    left = side(Block("a", Note("a")), Block("c", held), Block("only", Note("left")))
    right = side(Block("c", broken), Block("new", Note("right")), Block("a", Note("b")))
    made = comparing.compare(left, right)
    assert [(pair.id, bool(pair.left), bool(pair.right)) for pair in made.blocks] == [
        ("a", True, True),
        ("only", True, False),
        ("new", False, True),
    ]
    ((pair),) = made.checks
    assert (pair.left.body.holds, pair.right.body.holds) == (True, False)


@pytest.fixture
def two(settings) -> tuple[str, str]:
    """The names of two records of one demo."""
    written = []
    for causal in (True, False):
        params = parse(demo("attention"), {"causal": causal})
        made = replace(EVERY, demo="attention", params=params, code=code_hash("attention"))
        written.append(recorded.write(settings.recorded, made).stem)
    return written[0], written[1]


def test_two_records_stand_side_by_side_with_every_block_twice(client, two) -> None:
    page = client.get("/demos/attention/compare", params={"left": two[0], "right": two[1]})
    assert page.status_code == 200
    assert "causal differs true false" in text(page)
    ids = [block.id for block in EVERY.blocks if not isinstance(block.data, Check)]
    assert re.findall(r'data-block="([^"]+)"', page.text) == [name for name in ids for _ in range(2)]
    assert len(set(re.findall(r'\bid="([^"]+)"', page.text))) == len(re.findall(r'\bid="([^"]+)"', page.text))


def test_a_run_can_be_compared_with_a_record(client, worker, two) -> None:
    run = (
        client.post("/demos/attention/runs", data={"scale": "none"})
        .headers["location"]
        .removeprefix("/runs/")
    )
    worker.serve()
    page = client.get("/demos/attention/compare", params={"left": run, "right": two[1]})
    assert page.status_code == 200
    assert "on CPU" in text(page)


def test_one_alone_asks_for_the_other_and_none_says_how_to_get_them(client, two) -> None:
    page = client.get("/demos/attention/compare", params={"left": two[0]})
    assert f'<option value="{two[0]}" selected>' in page.text
    assert f'<option value="{two[1]}">' in page.text
    assert "from older code" not in text(page)
    assert "Choose two results" in text(page)
    assert "No result of this demo is kept here yet" in text(client.get("/demos/flash/compare"))


def test_a_choice_says_that_it_is_from_older_code(client, settings, two) -> None:
    older = replace(EVERY, demo="attention", params=parse(demo("attention"), {"seed": 3}), code="0" * 64)
    name = recorded.write(settings.recorded, older).stem
    page = client.get("/demos/attention/compare", params={"left": two[0]})
    assert re.search(rf'<option value="{name}">[^<]*, from older code</option>', page.text)


def test_what_is_equal_and_what_differs_is_counted(client, settings, two) -> None:
    table = Table(
        (Column("a", "A"), Column("b", "B")), ({"a": "x", "b": 1}, {"a": "y", "b": 2}, {"a": "z", "b": 3})
    )
    other = replace(table, rows=({"a": "x", "b": 1}, {"a": "y", "b": 5}, {"a": "w", "b": 3}))
    names = []
    for seed, body in ((3, table), (4, other)):
        params = parse(demo("attention"), {"seed": seed})
        made = replace(EVERY, demo="attention", params=params, blocks=(Block("t", body, title="T"),))
        names.append(recorded.write(settings.recorded, made).stem)
    said = text(client.get("/demos/attention/compare", params={"left": names[0], "right": names[1]}))
    assert "Of 2 figures that both have, 1 is equal, as they are written here, and 1 differs" in said
    assert "T Left z. Right w." in said


@pytest.mark.parametrize("wrong", ["nothing", "<b>", "x" * 5000, "\x00", "é"])
def test_a_result_that_is_not_there_is_told_in_a_sentence(client, two, wrong: str) -> None:
    for side_ in ("left", "right"):
        page = client.get("/demos/attention/compare", params={side_: wrong})
        assert page.status_code == 404
        assert "The demo attention has no result" in text(page)
    assert client.get("/demos/attention/compare", params={"left": two[0], "right": wrong}).status_code == 404
    assert client.get("/demos/atention/compare").status_code == 404


def test_a_result_of_another_demo_is_none_of_this_one(client, worker) -> None:
    run = client.post("/demos/kv-cache/runs").headers["location"].removeprefix("/runs/")
    worker.serve()
    assert client.get("/demos/kv-cache/compare", params={"left": run}).status_code == 200
    assert client.get("/demos/attention/compare", params={"left": run}).status_code == 404
