"""docs/primers.md shows what is so: its primer and its figure can be read, and it tells of every class and field."""

import re

from app.primers.figures import CLASSES, read_figure
from app.primers.format import FIELDS, parse_primer
from app.settings import ROOT

DOC = (ROOT / "docs" / "primers.md").read_text(encoding="utf-8")


def test_the_whole_primer_is_one() -> None:
    (text,) = re.findall(r"^````markdown\n(.*?)^````", DOC, re.MULTILINE | re.DOTALL)
    primer = parse_primer(text, "primers/04-mask.md")
    assert [part.kind for part in primer.parts] == ["heading", "prose", "figure", "heading", "demo"]
    assert len(primer.ladder) == 3


def test_the_figure_is_one() -> None:
    (text,) = re.findall(r"^```svg\n(.*?)^```", DOC, re.MULTILINE | re.DOTALL)
    assert read_figure(text, "mask", "figures/mask.svg").title == "A causal mask"


def test_every_class_and_field_is_told() -> None:
    assert {name for name in CLASSES if f"`{name}`" not in DOC} == set()
    assert {name for name in FIELDS if f"`{name}`" not in DOC} == set()
