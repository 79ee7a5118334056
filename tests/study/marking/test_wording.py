"""Typed answers: what does not matter is forgiven, and what does is shown."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.study.marking.verdicts import Piece
from app.study.marking.wording import difference, distance, judged, key


def verdict(said: str, *accepted: str) -> str:
    return judged("answer", "Your answer", said, accepted).verdict


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("FP16", "fp16"),
        ("fp 16", "fp16"),
        ("fp-16", "fp16"),
        ("enable gqa", "enable_gqa"),
        ("`enable_gqa`", "enable_gqa"),
        ("dk", "d_k"),
        ("tau", "τ"),
        ("Τ", "tau"),
        ("softmax temperatures", "softmax temperature"),
        ("log sum exp", "log-sum-exp"),
        ("logsumexp", "log-sum-exp"),
        ("cafe", "café"),
        ("[0,3,6]", "[0, 3, 6]"),
        ("0 3 6", "[0, 3, 6]"),
        ("“Jay Shah”", "Jay Shah"),
    ],
)
def test_spelling_is_forgiven(said: str, answer: str) -> None:
    found = judged("answer", "", said, [answer])
    assert (found.verdict, found.words) == ("right", "Right, but for how it is spelled.")


@pytest.mark.parametrize(
    ("said", "answer"),
    [("fp32", "fp16"), ("036", "[0, 3, 6]"), ("d", "d_k"), ("bas", "bus"), ("mas", "mass")],
)
def test_another_answer_is_not(said: str, answer: str) -> None:
    assert verdict(said, answer) == "wrong"


def test_several_answers_are_accepted() -> None:
    for said in ("fp16", "float16", "half", "Half"):
        assert verdict(said, "fp16", "float16", "half") == "right"
    assert verdict("bf16", "fp16", "float16", "half") == "wrong"


def test_a_slip_is_close_and_shown_by_its_letters() -> None:
    found = judged("answer", "", "sdp_kernel", ["sdpa_kernel"])
    assert (found.verdict, found.words) == ("close", "One letter off.")
    assert found.said == (Piece("sdp"), Piece("_kernel"))
    assert found.right == (Piece("sdp"), Piece("a", "missing"), Piece("_kernel"))
    assert verdict("spda_kernel", "sdpa_kernel") == "close"


def test_a_difference_is_shown_by_words_where_words_agree() -> None:
    said, right = difference("the online softmax kernel", "one fused kernel")
    assert said[-1] == Piece(" kernel")
    assert right[-1] == Piece(" kernel")
    assert any(piece.shape == "extra" for piece in said)
    assert difference("no", "yes") == ((Piece("no", "extra"),), (Piece("yes", "missing"),))


@given(st.text(max_size=30), st.text(max_size=30))
def test_pieces_add_up_to_what_was_written(said: str, right: str) -> None:
    ours, theirs = difference(said, right)
    assert "".join(piece.text for piece in ours) == " ".join(unicodedata.normalize("NFC", said).split())
    assert "".join(piece.text for piece in theirs) == " ".join(unicodedata.normalize("NFC", right).split())
    assert {piece.shape for piece in ours} <= {"same", "extra"}
    assert {piece.shape for piece in theirs} <= {"same", "missing"}


@given(st.text(min_size=1, max_size=30))
def test_an_answer_is_right_in_every_form_of_unicode(answer: str) -> None:
    if not key(answer):
        return
    for form in ("NFC", "NFD"):
        assert verdict(unicodedata.normalize(form, answer), answer) == "right"


@given(st.text(max_size=12), st.text(max_size=12))
def test_distance_is_one(a: str, b: str) -> None:
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, b) <= max(len(a), len(b))
