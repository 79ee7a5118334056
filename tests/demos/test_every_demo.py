"""What holds of each demo as it stands in the catalogue: it runs, is right, is drawn, documented and reproducible."""

import json
import re
from functools import cache
from importlib.util import find_spec

import pytest

from app.demos import drawing
from app.settings import ROOT
from kernels.catalog import DEMOS
from kernels.result import MOST_BYTES, Check, Code, Result
from kernels.run import run
from tests.kernels.demos.tools import broken, copied

SECTIONS = {
    section.split("\n", 1)[0]: section
    for page in (ROOT / "docs/demos").glob("*.md")
    for section in re.split(r"^## ", page.read_text(), flags=re.MULTILINE)[1:]
}


@cache
def result(name: str) -> Result:
    """Each demo is run once, with its defaults."""
    missing = [library for library in DEMOS[name].needs if find_spec(library) is None]
    if missing:
        pytest.skip(f"This demo needs {missing[0]}, which is not installed here.")
    return run(name, {})


@pytest.mark.parametrize("name", DEMOS)
def test_all_its_checks_hold_and_there_is_one(name: str) -> None:
    assert any(isinstance(block.data, Check) for block in result(name).blocks)
    assert broken(result(name)) == []


@pytest.mark.parametrize("name", DEMOS)
def test_it_is_kept_whole_and_drawn(name: str) -> None:
    text = json.dumps(result(name).to_json(), allow_nan=False)
    assert len(text) < MOST_BYTES
    again = Result.from_json(json.loads(text))
    assert again == Result.from_json(result(name).to_json())
    drawing.check(again)


@pytest.mark.parametrize("name", DEMOS)
def test_every_block_is_documented(name: str) -> None:
    assert {block.id for block in result(name).blocks} <= set(re.findall(r"`([\w-]+)`", SECTIONS[name]))


def test_no_section_of_the_documents_is_left_over() -> None:
    assert set(SECTIONS) == set(DEMOS)


@pytest.mark.parametrize("name", DEMOS)
def test_what_is_copied_as_pytorch_runs_as_it_stands(name: str) -> None:
    (block_id,) = (
        block.id
        for block in result(name).blocks
        if block.id in ("code", "formula") and isinstance(block.data, Code)
    )
    copied(result(name), block_id)
    assert "\nprint(" in result(name).block(block_id).data.text  # type: ignore[union-attr]
