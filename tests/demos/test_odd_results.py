"""Whatever JSON a worker may send: it is drawn, by the templates too, or it is refused."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.demos import drawing, outputs
from app.jobs.kinds import BadOutput
from app.settings import ROOT
from app.web.assets import Assets
from app.web.templating import Pages

RESULTS = Path(__file__).resolve().parents[1] / "fixtures" / "results"


def short(value: object) -> object:
    """`value` with the first two of every list: enough to be drawn, and quickly."""
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    return [short(item) for item in value[:2]] if isinstance(value, list) else value


FULL = json.loads((RESULTS / "every-block.json").read_text(encoding="utf-8"))
EVERY = {**FULL, "blocks": [short(block) for block in FULL["blocks"]]}
PAGES = Pages(ROOT / "templates", Assets(ROOT / "static"))
DRAW = PAGES.env.from_string(
    '{% from "macros/blocks.html" import draw %}{% for block in blocks %}{{ draw(block, "r") }}{% endfor %}'
)

NUMBERS = (0, -1, 0.0, -0.0, 1e-320, 1e308, -1e308, 2**63, -(2**63), 10**400, "nan", "inf", "-inf")
LISTS = ([], {}, [[]], [[1.0], [1.0, 2.0]], [{}], {"a": 10**400}, [[], [1]])
odd = st.sampled_from((None, True, "", "x", "\ud800", "<b>", *NUMBERS, *LISTS)) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """The path of everything within `value`."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path] * bool(path) + [found for key, item in items for found in places(item, (*path, key))]


PLACES = places(EVERY)
BLOCKS = range(len(EVERY["blocks"]))


def changed(*changes: tuple[tuple[object, ...], object]) -> dict[str, object]:
    """The result with other values at some of its places, as far as they are still there."""
    made = copy.deepcopy(EVERY)
    for (*way, last), value in changes:
        inner = made
        try:
            for key in way:
                inner = inner[key]
            inner[last] = value
        except (LookupError, TypeError):
            continue
    return made


@given(st.lists(st.tuples(st.sampled_from(PLACES), odd), min_size=1, max_size=4))
def test_any_result_is_drawn_or_refused(changes):
    result = changed(*changes)
    view = drawing.result(result)
    DRAW.render(blocks=view.blocks)
    try:
        kept = outputs.read(result)
    except BadOutput:
        return
    DRAW.render(blocks=drawing.result(json.loads(kept.body)).blocks).encode()


@pytest.mark.parametrize("at", BLOCKS, ids=lambda at: EVERY["blocks"][at]["type"])
@pytest.mark.parametrize(
    "value",
    [None, 0, -1, 1e-320, 1e308, "nan", "inf", 10**400, "", [], {}, [[]], [[1.0], [1.0, 2.0]]],
    ids=lambda value: repr(value)[:12],
)
def test_every_place_of_a_block_takes_every_odd_value(at, value):
    for place in places(EVERY["blocks"][at]):
        result = changed((("blocks", at, *place), value))
        drawing.result({**result, "blocks": [result["blocks"][at]]})


def test_a_block_that_cannot_be_drawn_says_so_and_leaves_the_others():
    at = next(i for i, block in enumerate(EVERY["blocks"]) if block["type"] == "roofline")
    blocks = drawing.result(changed((("blocks", at, "data", "ridge"), 0))).blocks
    assert [block.template for block in blocks].count("note") == 2
    assert "no positive number, so it cannot be drawn." in blocks[at].body.text
    assert len(blocks) == len(EVERY["blocks"])
