"""The claims of cards: read from a line, and held against the blocks of a result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library.expect import BadExpect, evaluate, parse_expect

BLOCKS: list[dict[str, object]] = [
    {
        "id": "weights",
        "type": "matrix",
        "data": {"stages": [{"name": "raw", "values": [[1, "-inf"], [0.168, 0.832]]}], "mask": None},
    },
    {"id": "entropy-raw", "type": "check", "data": {"got": 0.41, "holds": True, "claim": "is low"}},
    {"id": "odd", "type": "table", "data": {"rows": [{"lse": "nan", "max": "inf"}]}},
]


def test_reads_block_path_operator_value_and_tolerance() -> None:
    read = parse_expect(" weights.stages[3].values[1][0] = 0.168 +- 0.0005 ")
    assert (read.block, read.path) == ("weights", ("stages", 3, "values", 1, 0))
    assert (read.op, read.want, read.tolerance) == ("=", 0.168, 0.0005)
    assert parse_expect("a.b=−3 ± 1").want == -3
    assert parse_expect('a.b = "top-left"').want == "top-left"
    assert parse_expect("a.b = two words").want == "two words"


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("weights.stages[0].values[1][0] = 0.168", True),
        ("weights.stages[0].values[1][0] = 0.1684 +- 0.0005", True),
        ("weights.stages[0].values[1][0] = 0.17 +- 0.0005", False),
        ("weights.stages[0].values[0][0] = 1", True),
        ("weights.stages[0].values[0][1] = -inf", True),
        ("weights.stages[0].values[0][1] = -inf +- 1", True),
        ("weights.stages[0].values[0][1] < -1e30", True),
        ("weights.stages[0].name = raw", True),
        ("weights.stages[0].name = scaled", False),
        ("entropy-raw.got < 0.7", True),
        ("entropy-raw.got <= 0.41", True),
        ("entropy-raw.got > 0.41", False),
        ("entropy-raw.got >= 0.41", True),
        ("entropy-raw.holds = true", True),
        ("entropy-raw.holds = false", False),
        ("entropy-raw.holds = 1", False),
        ("entropy-raw.claim = is low", True),
        ("entropy-raw.claim > 3", False),
        ("odd.rows[0].lse = nan", True),
        ("odd.rows[0].lse < 3", False),
        ("odd.rows[0].lse = 3 +- 9", False),
        ("odd.rows[0].max = inf", True),
    ],
)
def test_a_claim_holds_or_not(line: str, holds: bool) -> None:
    outcome = evaluate(parse_expect(line), BLOCKS)
    assert outcome.holds is holds
    assert outcome.got is not None


def test_the_sentence_gives_what_was_found_and_what_was_claimed() -> None:
    claim = parse_expect("weights.stages[0].values[1][0] = 0.17 +- 0.0005")
    said = "weights.stages[0].values[1][0] is 0.168, but not as claimed (= 0.17 +- 0.0005)."
    assert evaluate(claim, BLOCKS).sentence == said


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("gone.a = 1", 'The result has no block "gone"; its blocks are: weights, entropy-raw, odd.'),
        ("weights.steps[0] = 1", 'weights has no "steps"; it has: stages, mask.'),
        ("weights.stages[4].name = 1", "weights.stages has 1 entry, counted from 0, so there is no [4]."),
        ("weights.stages.name = 1", 'weights.stages has no parts with names, so ".name" leads nowhere.'),
        ("weights.stages[0][1] = 1", "weights.stages[0] is no list, so [1] leads nowhere."),
        ("weights.stages = 1", "weights.stages is a list; the path must lead to one value."),
        ("weights.stages[0] = 1", "weights.stages[0] is a group of values; the path must lead to one value."),
        ("weights.mask = 1", "weights.mask is nothing; the path must lead to one value."),
    ],
)
def test_a_lost_path_says_where(line: str, sentence: str) -> None:
    outcome = evaluate(parse_expect(line), BLOCKS)
    assert (outcome.holds, outcome.got, outcome.sentence) == (False, None, sentence)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "is no expectation"),
        ("weights", "is no expectation"),
        ("weights = 3", "is no expectation"),
        ("a.b == 3", "is no expectation"),
        ("a.b[-1] = 3", "is no expectation"),
        ("a.b =", "is no expectation"),
        ("a.b < low", "has no order"),
        ("a.b > nan", "has no order"),
        ("a.b > true", "has no order"),
        ("a.b < 3 +- 1", "leave \\+- out"),
        ("a.b = yes +- 1", "leave \\+- out"),
        ("a.b = 3 +- much", 'the tolerance "much"'),
        ("a.b = 3 +- -1", 'the tolerance "-1"'),
        ("a.b = 3 +- inf", 'the tolerance "inf"'),
    ],
)
def test_a_line_that_cannot_be_read_says_what_to_write(line: str, said: str) -> None:
    with pytest.raises(BadExpect, match=said) as caught:
        parse_expect(line)
    assert str(caught.value).endswith(".")


NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(NAMES, st.lists(NAMES.map(".{}".format) | st.integers(0, 99).map("[{}]".format), min_size=1), NUMBERS)
def test_a_line_round_trip(block: str, steps: list[str], want: float) -> None:
    read = parse_expect(f"{block}{''.join(steps)} = {want!r}")
    assert "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in read.path) == "".join(steps)
    assert (read.block, read.want) == (block, want)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
)


@given(JSON, st.lists(st.sampled_from([".a", ".b", "[0]", "[1]"]), min_size=1, max_size=4))
def test_any_data_gives_an_outcome(data: object, steps: list[str]) -> None:
    outcome = evaluate(parse_expect(f"x{''.join(steps)} = 1"), [{"id": "x", "data": data}])
    assert outcome.sentence.endswith(".")
