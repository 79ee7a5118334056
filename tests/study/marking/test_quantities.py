"""Quantities with units: the same amount is the same however it is written, and an error is told as what it is."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library.values import Quantity, quantity, tolerance
from app.study.marking import units
from app.study.marking.quantities import judged
from app.study.marking.verdicts import FieldMark


def mark(said: str, answer: str, within: str = "") -> FieldMark:
    wanted = quantity(answer)
    return judged("answer", "Your answer", said, wanted, tolerance(within, wanted) if within else None)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("327,680 B", "320 KiB"),
        ("327680 bytes", "320 KiB"),
        ("320 kibibytes", "320 KiB"),
        ("320 kib", "320 KiB"),
        ("2.62144 Mbit", "320 KiB"),
        ("2^30 B", "1 GiB"),
        ("1073741824 bytes", "1 GiB"),
        ("141.1 gb", "141.1 GB"),
        ("141100 MB", "141.1 GB"),
        ("7.358 ms", "7358 µs"),
        ("7358 us", "7.358 ms"),
        ("0.007358 seconds", "7.358 ms"),
        ("2 GFLOP", "2 GFLOPs"),
        ("2e9 flop", "2 GFLOP"),
        ("989 TFLOPS", "989 TFLOP/s"),
        ("989 teraflop per second".replace("teraflop", "TFLOP"), "989 TFLOP/s"),
        ("8 FLOPs per byte", "8 FLOP/B"),
        ("8 flop/byte", "8 FLOP/B"),
        ("3350 GB/s", "3.35 TB/s"),
        ("3.35 terabytes per second", "3.35 TB/s"),
        ("30,720", "30,720 tokens"),
        ("30.72k tokens", "30,720 tokens"),
        ("1 token", "1 tokens"),
        ("8.03B", "8.03 billion"),
        ("8.03 bn parameters", "8.03 billion"),
        ("8,030,000,000", "8.03 billion"),
        ("1.049M", "1.049 million weights"),
        ("1,049,000 weights", "1.049 million weights"),
        ("50 percent", "50 %"),
        ("0.5", "50 %"),
        ("50 %", "0.5"),
        ("50", "50 %"),
        ("2x", "2 times"),
        ("2 ×", "2 times"),
        ("2", "2 times"),
    ],
)
def test_the_same_amount_is_right(said: str, answer: str) -> None:
    found = mark(said, answer)
    assert found.verdict == "right", found.words


@pytest.mark.parametrize(
    ("said", "answer", "words"),
    [
        ("12 ms", "40 GiB", "is a time, and the card asks for a number of bytes; write it in GiB."),
        ("40 GiB", "12 ms", "is a number of bytes, and the card asks for a time; write it in ms."),
        ("12 GB/s", "12 GB", "is bytes per second, and the card asks for a number of bytes"),
        ("8 FLOP", "8 FLOP/B", "is a number of FLOPs, and the card asks for FLOPs per byte"),
        ("50 %", "11 requests", "is a share, and the card asks for a number of requests"),
        ("11 requests", "40 GiB", "is a number of requests, and the card asks for a number of bytes"),
        ("3,5 GiB", "3.5 GiB", "can be read in two ways"),
        ("lots", "3.5 GiB", "does not begin with a number"),
    ],
)
def test_what_cannot_be_compared_gets_one_sentence_and_no_verdict(said: str, answer: str, words: str) -> None:
    found = mark(said, answer)
    assert found.verdict == "unread"
    assert words in found.words
    assert found.words.count(". ") == 0


def test_gb_for_gib_is_told_apart_with_what_it_would_be() -> None:
    found = mark("40 GB", "40 GiB", "5 %")
    assert found.verdict == "wrong"
    assert found.words == (
        "Off by 6.9 %, 2.747 GiB too little. 40 GB is 37.25 GiB: GB counts in thousands, GiB in steps of 1,024."
    )
    assert "320 KB is 312.5 KiB" in mark("320 kb", "320 KiB", "1 %").words
    assert "GB counts in thousands" in mark("43 GiB", "43 GB", "1 %").words
    assert mark("43 GB", "40 GiB", "5 %").verdict == "right"


@pytest.mark.parametrize(
    ("said", "answer", "within", "verdict", "words"),
    [
        ("41 GiB", "40 GiB", "5 %", "right", "Right, within the tolerance: 2.5 %, 1 GiB too much."),
        ("20 GiB", "40 GiB", "5 %", "wrong", "Off by a factor of 2: 20 GiB too little."),
        ("40 TiB", "40 GiB", "5 %", "wrong", "Off by a factor of 1,024, too much."),
        ("320 GiB", "40 GiB", "5 %", "wrong", "Off by a factor of 8: 280 GiB too much."),
        (
            "10 requests",
            "11 requests",
            "1",
            "right",
            "Right, within the tolerance: 9.1 %, 1 request too little.",
        ),
        ("12", "11 requests", "", "wrong", "Off by 9.1 %, 1 request too much."),
        ("3", "-3", "", "wrong", "Off by 6 too much, and its sign is another."),
        ("4", "0", "", "wrong", "Off by 4 too much."),
        ("16.4", "16.38", "", "wrong", "Off by 0.12 %, 0.02 too much."),
    ],
)
def test_an_error_is_told_by_its_size(said: str, answer: str, within: str, verdict: str, words: str) -> None:
    found = mark(said, answer, within)
    assert (found.verdict, found.words) == (verdict, words)


LARGEST = ["9e307 x 10", "1e400 GB", "-1e309 B", "1e300 x 1e99", "1e290 trillion trillion bytes"]


@pytest.mark.parametrize(
    ("said", "answer"),
    [(said, answer) for said in LARGEST for answer in ("320 KiB", "40 GB", "0 B")]
    + [("1e-400 B", "320 KiB")],
)
def test_a_number_larger_than_a_float_can_be_is_wrong_and_no_error(said: str, answer: str) -> None:
    found = mark(said, answer, "1 %")
    assert found.verdict == "wrong"
    assert re.search(r"[1-9]\.\d{3}e\+\d{3}\b", found.words), found.words


def test_an_answer_is_as_exact_as_it_was_shown() -> None:
    """An estimate of 16.378614 is shown as 16.38; who says that is right."""
    worked_out = Quantity("16.38", 16.378614290230022)
    assert judged("answer", "", "16.38", worked_out, None).words == "Right, as the answer is rounded."
    assert judged("answer", "", "16.37", worked_out, None).verdict == "wrong"


def test_another_noun_is_read_and_said() -> None:
    found = mark("30,720 keys", "30,720 tokens")
    assert found.verdict == "right"
    assert "“keys” was read as tokens." in found.words


def test_a_missing_unit_is_filled_in_and_said() -> None:
    assert mark("320", "320 KiB").words == "Right. Read as KiB."
    assert mark("327680", "320 KiB").words == "Right. Read as B."


UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "kB", "KB", "MB", "GB", "TB", "kbit", "Mbit"]


@given(st.integers(1, 10**9), st.sampled_from(UNITS), st.sampled_from(UNITS))
def test_an_amount_is_the_same_in_every_unit_of_its_kind(amount: int, ours: str, theirs: str) -> None:
    size = amount * units.read(ours).factor / units.read(theirs).factor
    whole = Fraction(round(size * 10**6), 10**6)
    answer = Quantity(f"{float(whole)!r} {theirs}", float(whole), theirs)
    told = judged("answer", "", f"{amount} {ours}", answer, None)
    off = abs(size - Fraction(repr(answer.value)))
    assert told.verdict == ("right" if off <= Fraction(1, 2 * 10**6) or not off else told.verdict)
    exact = Quantity(f"{amount} {ours}", float(amount), ours)
    assert judged("answer", "", f"{amount:,} {ours}", exact, None).words == "Right."


@given(
    st.integers(1, 10**6),
    st.sampled_from(["GiB", "GB", "ms", "tokens", "GFLOP", "FLOP/B", "%", ""]),
    st.integers(0, 40),
    st.integers(1, 40),
)
def test_the_tolerance_is_what_decides(amount: int, unit: str, off: int, within: int) -> None:
    answer = quantity(f"{1000 * amount} {unit}".strip())
    said = f"{amount * (1000 + 10 * off)} {unit}".strip()
    found = judged("answer", "", said, answer, tolerance(f"{within} %", answer))
    assert found.verdict == ("right" if off <= within else "wrong")


@given(st.text(max_size=50), st.sampled_from(["320 KiB", "11 requests", "50 %", "0.83", "8 FLOP/B", "7 ms"]))
def test_whatever_is_said_gets_a_verdict(said: str, answer: str) -> None:
    found = mark(said, answer)
    assert found.verdict in ("right", "wrong", "unread")
    assert found.words.endswith(".")


@given(st.sampled_from(UNITS))
def test_a_unit_and_its_counterpart_belong_together(name: str) -> None:
    unit = units.read(name)
    other = unit.counterpart
    if other is not None:
        back = other.counterpart
        assert back is not None
        assert back.factor == unit.factor
        assert Fraction(9, 10) < other.factor / unit.factor < Fraction(10, 9)
