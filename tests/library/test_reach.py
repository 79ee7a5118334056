"""Formulas of a line of their own can be reached by keys, whether the HTML comes as text or as Markup."""

import pytest

from app.library.reach import reachable
from app.library.render import render


@pytest.mark.parametrize("kind", [str, type(render(""))])
def test_a_formula_of_its_own_line_can_be_focused_and_stays_a_formula(kind: type[str]) -> None:
    html = reachable(kind(render("One:\n\n$$\na+b\n$$\n\nand $c$.")))
    assert html.count('<math display="block" tabindex="0">') == 1
    assert html.count("<math>") == 1
    assert "&lt;math" not in html
