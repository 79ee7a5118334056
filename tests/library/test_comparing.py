"""Two texts word by word: put together again, the pieces give both."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.library.comparing import Piece, compare

texts = st.text(alphabet="ab \n$_.", max_size=40)


@given(texts, texts)
def test_the_pieces_make_both_texts(old: str, new: str) -> None:
    pieces = compare(old, new)
    assert "".join(piece.text for piece in pieces if piece.op != "in") == old
    assert "".join(piece.text for piece in pieces if piece.op != "out") == new
    assert all(piece.text for piece in pieces)
    assert all(one.op != other.op for one, other in pairwise(pieces))


def test_what_was_changed_in_a_row_is_one_change() -> None:
    assert compare("A: The future.", "A: Every later position.") == (
        Piece("same", "A: "),
        Piece("out", "The future"),
        Piece("in", "Every later position"),
        Piece("same", "."),
    )
    assert compare("same", "same") == (Piece("same", "same"),)
    assert compare("", "") == ()
