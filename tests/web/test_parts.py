"""The macros: keys are announced, errors are tied to their fields, every icon that is named exists."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
UI = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined).get_template(
    "macros/ui.html"
)


def macro(which: str, /, *given: object, **named: object) -> str:
    return str(getattr(UI.make_module(), which)(*given, **named))


def test_a_button_with_a_key_shows_it_and_tells_it() -> None:
    html = macro("button", "Good", key="3 space", name="grade", value="3")
    assert 'data-key="3 space"' in html
    assert 'aria-keyshortcuts="3 space"' in html.lower()
    assert '<kbd class="key" aria-hidden="true">3</kbd>' in html
    assert 'name="grade" value="3"' in html


def test_text_is_escaped_wherever_it_goes() -> None:
    evil = '"><script>'
    for html in (
        macro("button", evil, name=evil),
        macro("field", "q", evil, evil, help=evil, error=evil),
        macro("notice", evil),
        macro("chips", [evil]),
    ):
        assert "<script>" not in html


def test_an_error_belongs_to_its_field() -> None:
    html = macro("field", "n_q", "Queries", "x", help="1 to 64", error="Give a whole number.")
    assert 'aria-invalid="true"' in html
    assert 'aria-describedby="n_q-error n_q-help"' in html
    assert '<p class="error" id="n_q-error">Give a whole number.</p>' in html
    assert "aria-invalid" not in macro("field", "n_q", "Queries", "8")


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [
        ("bool", True, "checked"),
        ("choice", "fp16", '<option value="fp16" selected>half</option>'),
        ("int", 8, 'value="8"'),
    ],
)
def test_a_parameter_is_drawn_by_its_kind(kind: str, value: object, wanted: str) -> None:
    choices = (("fp32", "fp32"), ("fp16", "half"))
    p = SimpleNamespace(
        name="p", label="P", kind=kind, value=value, help="", unit="", choices=choices, error=""
    )
    assert wanted in macro("param", p)


def test_one_grade_is_the_main_one_and_has_space() -> None:
    choices = [SimpleNamespace(grade=g, word=w, interval="1 d") for g, w in ((2, "Hard"), (3, "Good"))]
    html = macro("grades", choices)
    assert re.findall(r'data-key="([^"]+)"', html) == ["2", "3 space"]
    assert html.count('class="grade main"') == 1
    assert 'class="grade main"' not in macro("grades", choices, main=None)


def test_every_icon_a_template_names_is_drawn() -> None:
    named = {
        word
        for page in TEMPLATES.rglob("*.html")
        for call in re.findall(r"icon\(([^)]*)", page.read_text(encoding="utf-8"))
        for word in re.findall(r'"([a-z]+)"', call.split(" if ")[0] + " ".join(call.split(" else ")[1:]))
    }
    assert {"check", "cross", "dash", "octagon"} <= named
    shapes = set(UI.make_module().SHAPES)  # type: ignore[attr-defined]
    assert named - {"ready", "installing", "absent"} <= shapes
