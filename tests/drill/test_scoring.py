"""What was said, against key points: mentioned, to be checked, not heard; on all spoken cards of the decks."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.drill.pitch import Point
from app.drill.scoring.guards import REACH
from app.drill.scoring.points import Heard, hear
from app.drill.scoring.spoken import DIVIDERS, forms
from app.drill.scoring.transcript import Transcript, Word
from app.library.format import Note
from tests.content.shipped import SPOKEN
from tests.drill.wrong_statements import WRONG

MASK = Point(
    "mask",
    "Later scores become minus infinity, before the softmax.",
    "",
    ("causal mask", "minus infinity", "before the softmax"),
    ("mask after the softmax", "sets the scores to zero"),
)
KEYS = Point("keys", "A softmax over the keys.", "", ("softmax", "over the keys"), ("softmax over the rows",))
MORE = ("the", "key", "we", "score", "large", "before", "rows", "value", "mask", "also", "and", "tokens")
CREDITED = 14  # of the wrong statements, as measured; see tests/drill/wrong_statements.py
CREDITED_BARE = 12  # of the same, when no mark ends a clause
FOUND_BARE = 214  # of the 217 points of the model texts, when no mark ends a clause


def points(note: Note) -> list[Point]:
    return [Point(p.id, p.text, "", p.hear, p.doubt) for p in note.points]


POINTS = {note.id: points(note) for note in SPOKEN}


def mark(point: Point, text: str) -> str:
    return hear([point], Transcript.of_text(text))[0].mark


def bare(text: str) -> str:
    """The words alone, as some recognisers give them and as some people type; the point within a number stays."""
    return re.sub(r"[.,](?!\d)|[;:!?()—–…“”]", " ", text)


@pytest.mark.parametrize("note", SPOKEN, ids=lambda note: note.id)
def test_a_model_text_mentions_all_its_points_and_casts_doubt_on_none(note: Note) -> None:
    heard = hear(points(note), Transcript.of_text(note.model))
    assert [(h.point, h.mark, h.snippet) for h in heard if h.mark != "mentioned"] == []


@pytest.mark.parametrize("note", SPOKEN, ids=lambda note: note.id)
@pytest.mark.parametrize("sentence", ["Well, {}.", "So I would say that {} in most cases, and that is all."])
def test_each_doubtful_wording_asks_for_a_check(note: Note, sentence: str) -> None:
    for point in points(note):
        said = {doubt: mark(point, sentence.format(doubt)) for doubt in point.doubt}
        assert set(said.values()) <= {"check"}, said


def test_the_mask_after_the_softmax_is_checked_and_never_mentioned() -> None:
    for card in ("pitch-30", "pitch-90", "say-architecture", "say-causal-mask", "say-pitfalls"):
        asked = [point for point in POINTS[card] if point.id in ("mask", "before")]
        assert [mark(point, "We put the mask after the softmax.") for point in asked] == ["check"], card


def test_how_many_wrong_statements_are_credited_is_known() -> None:
    found = Counter(mark(next(p for p in POINTS[card] if p.id == point), said) for card, point, said in WRONG)
    assert len(WRONG) == 40
    assert found["mentioned"] == CREDITED


def test_without_punctuation_no_more_wrong_statements_are_credited() -> None:
    found = Counter(
        mark(next(p for p in POINTS[card] if p.id == point), bare(said)) for card, point, said in WRONG
    )
    assert found["mentioned"] == CREDITED_BARE


def test_in_a_text_without_punctuation_one_cannot_spoils_no_point_far_from_it() -> None:
    """It was one clause to the guards: one "cannot" turned 7 of a case's 20 points to "check this", and 114 of all."""
    found = Counter(
        h.mark for note in SPOKEN for h in hear(points(note), Transcript.of_text(bare(note.model)))
    )
    assert found == {"mentioned": FOUND_BARE, "check": found.total() - FOUND_BARE}
    assert found.total() == sum(len(note.points) for note in SPOKEN)
    (case,) = (note for note in SPOKEN if note.id == "case-70b-128k")
    assert {h.mark for h in hear(points(case), Transcript.of_text(bare(case.model)))} == {"mentioned"}


def test_the_end_of_a_line_ends_a_clause() -> None:
    assert mark(KEYS, "no softmax is free\na softmax over the keys") == "mentioned"
    assert mark(KEYS, "no softmax\r\n\r\nover the rows") == "check"


def test_what_is_turned_round_is_shown_and_not_the_whole_text_around_it() -> None:
    said = " ".join(["one"] * 30) + " the softmax comes before the mask " + " ".join(["two"] * 30)
    (found,) = hear([MASK], Transcript.of_text(said))
    assert found.mark == "check"
    assert "softmax comes before the mask" in found.snippet
    assert len(found.snippet.split()) < 30


@pytest.mark.parametrize(
    ("point", "said", "expected"),
    [
        (MASK, "The causal mask hides what comes later.", "mentioned"),
        (MASK, "the causal, um, mask", "mentioned"),
        (MASK, "The causal mass is what hides the future", "mentioned"),
        (MASK, "They become −∞.", "mentioned"),
        (MASK, "it becomes negative infinity", "mentioned"),
        (MASK, "we do not use a causal mask", "check"),
        (MASK, "we apply the causal mask after the softmax", "check"),
        (MASK, "after the softmax, the later scores go", "missed"),
        (MASK, "the softmax comes before the mask", "check"),
        (MASK, "We put our mask then really after softmax", "check"),
        (KEYS, "a soft max over the keys", "mentioned"),
        (KEYS, "soft packs", "mentioned"),
        (KEYS, "the softmax over the queries", "check"),
        (KEYS, "", "missed"),
        (KEYS, "…", "missed"),
    ],
)
def test_each_mark_has_its_reason(point: Point, said: str, expected: str) -> None:
    assert mark(point, said) == expected


def test_a_turned_clause_spoils_no_other_in_which_the_point_was_said() -> None:
    assert mark(KEYS, "A softmax over the keys. No softmax over heads.") == "mentioned"


@given(
    st.sampled_from([(card, point, said) for card, point, said in WRONG]),
    st.lists(st.sampled_from(MORE)),
    st.booleans(),
)
def test_more_words_never_turn_a_check_into_a_mention_unless_they_are_a_wordings_own(
    wrong: tuple[str, str, str], more: list[str], first: bool
) -> None:
    """A wording that stands once more, far from what was turned round, is a mention: it may have been put right."""
    card, name, said = wrong
    point = next(p for p in POINTS[card] if p.id == name)
    own = {form for wording in point.hear for form in forms(wording)}
    more = [word for word in more if word not in own]
    clause = said.rstrip(".").split(",")[0]
    if mark(point, clause) == "check":
        longer = " ".join([*more, clause] if first else [clause, *more])
        assert not DIVIDERS & set(more)
        assert mark(point, longer) == "check"


@given(st.lists(st.sampled_from(sorted({*MORE, "no", "cannot", "after", "queries"}))), st.booleans())
def test_a_guard_reaches_over_a_few_words_and_no_further(far: list[str], first: bool) -> None:
    between = ["tokens"] * REACH
    longer = [*far, *between, "a", "softmax"] if first else ["a", "softmax", *between, *far]
    assert mark(KEYS, " ".join(longer)) == "mentioned"
    assert mark(KEYS, " ".join(["no", *between[1:], "softmax"])) == "check"


@pytest.mark.parametrize(("card", "point"), [("pitch-90", "parallel"), ("pitch-180", "mask")])
def test_heads_in_parallel_are_not_training_in_parallel(card: str, point: str) -> None:
    """The words "in parallel" alone were a wording of the point about training, whatever they were said of."""
    (asked,) = (found for found in POINTS[card] if found.id == point)
    assert mark(asked, "We do it in several heads in parallel, each with its own projections.") == "missed"
    assert mark(asked, "The mask is what allows training in parallel.") == "mentioned"


def test_a_snippet_is_in_the_speakers_words_and_knows_its_time() -> None:
    said = (
        "So first of all we take the scores and then the Causal Mass, you know, hides the later ones from us"
    )
    words = [Word(400 * at, 400 * at + 300, f" {word}") for at, word in enumerate(said.split())]
    (found,) = hear([MASK], Transcript.of_words(words))
    assert found == Heard(
        "mask",
        "mentioned",
        "…\N{NO-BREAK SPACE}we take the scores and then the Causal Mass, you know, "
        "hides the later ones\N{NO-BREAK SPACE}…",
        400 * 11,
    )


def test_what_a_learner_corrects_keeps_its_times() -> None:
    said = "we use a casual mosque before it"
    words = [Word(1000 * at, None, word) for at, word in enumerate(said.split())]
    corrected = Transcript.of_words(words).corrected("we  use a causal mask \r\n\n before the softmax\n")
    assert corrected.text == "we use a causal mask\nbefore the softmax"
    assert corrected.at(corrected.text.index("before")) == 5000
    assert Transcript.of_text("one").corrected("two").at(0) is None


def test_words_without_times_are_a_text() -> None:
    (found,) = hear([KEYS], Transcript.of_words([Word(None, None, "a softmax over the keys")]))
    assert (found.mark, found.at_ms) == ("mentioned", None)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("8 times", "eight times"),
        ("64 query heads on 8", "sixty-four query heads on eight"),
        ("65,504", "sixty five thousand five hundred and four"),
        ("47.1", "forty seven point one"),
        ("2.25", "two point two five"),
        ("a 128", "a hundred and twenty-eight"),
        ("fp16", "F P sixteen"),
        ("n²", "n squared"),
        ("O(n^2)", "o n squared"),
        ("-inf", "negative infinity"),
        ("normalise", "normalize"),
        ("W^O", "W zero"),
        ("d_k", "DK"),
        ("GQA", "g q a"),
        ("KV-cache", "cave cash"),
        ("43 GB", "forty-three gigabytes"),
        ("forty gigs", "40 gigabyte"),
        ("320 KiB a token", "three hundred and twenty kibibytes a token"),
        ("6.9 ms", "six point nine milliseconds"),
        ("40 PFLOP", "forty petaflops"),
        ("the 99th percentile", "the ninety-ninth percentile"),
        ("PagedAttention", "paged attention"),
        ("Pre-fill, then pre-empt", "prefill then preempt"),
        ("doesn’t", "doesn't"),
    ],
)
def test_two_ways_to_write_the_same_words_read_the_same(written: str, said: str) -> None:
    assert forms(written) == forms(said)


def test_a_name_of_two_numbers_stays_two() -> None:
    assert forms("Llama three seventy B") == ("llama", "3", "70", "b")


def test_what_is_itself_in_the_field_is_no_mishearing() -> None:
    assert forms("probability mass, weight decay") == ("probability", "mass", "weight", "decay")


@given(st.text(max_size=300))
def test_any_text_can_be_heard(text: str) -> None:
    transcript = Transcript.of_text(text)
    for found in hear([MASK, KEYS], transcript):
        assert (
            found.snippet.removeprefix("…\N{NO-BREAK SPACE}").removesuffix("\N{NO-BREAK SPACE}…")
            in transcript.text
        )
