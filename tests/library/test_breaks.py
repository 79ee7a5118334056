"""On a phone "9 %" and "d_k;" were torn apart at the end of a line."""

import pytest

from app.library.render import plain, render


@pytest.mark.parametrize("text", ["9 %", "40 GiB", "3.35 TB/s", "300 ms", "990 TFLOP/s"])
def test_a_number_keeps_its_unit(text: str) -> None:
    assert text.replace(" ", "&nbsp;") in render(f"It gives {text}, each.")
    assert plain(f"It gives {text}, each.") == f"It gives {text}, each."


@pytest.mark.parametrize("text", ["4 Bytes", "4 mice", "4 stacks", "of %"])
def test_a_number_and_a_word_may_part(text: str) -> None:
    assert text in render(f"It gives {text}, each.")


@pytest.mark.parametrize("after", [";", ".", ",", ")", ".”"])
def test_a_formula_keeps_the_sign_after_it(after: str) -> None:
    drawn = render(f"It depends on $d_k${after} and on $n$ alone.")
    assert f"</math>{after}</span> and on <math" in drawn
    assert drawn.count('<span class="no-break"><math') == 1
    assert (
        plain(f"It depends on $d_k${after} and on $n$ alone.") == f"It depends on d_k{after} and on n alone."
    )
