"""Figures of a voice: each from what was heard, none from what was guessed."""

import pytest

from app.drill.scoring.pace import Pace, count_fillers, count_words, figure, pace, sentences, together

SAID = " ".join(["word"] * 215)


def test_words_a_minute_are_of_the_time_from_the_first_sound_to_the_last() -> None:
    found = pace(SAID, [(4_000, 30_000), (30_500, 79_000)], 95_000)
    assert (found.words, found.speaking_ms, found.wpm) == (215, 75_000, 172)
    assert sentences(found)[0] == "172 words a minute; 130 to 160 is easy to follow, so this was fast."


def test_a_pause_is_over_a_second_and_none_before_or_after_speech() -> None:
    found = pace("a b c", [(5_000, 9_000), (10_000, 12_000), (14_400, 20_000), (21_001, 25_000)], 60_000)
    assert (found.pauses, found.longest_ms) == (2, 2_400)
    assert sentences(found)[1] == "2 pauses over a second, the longest 2.4 s."


def test_silence_has_no_figures() -> None:
    assert sentences(pace("", [], 20_000)) == ()
    assert pace("", [], 20_000).wpm is None


def test_a_few_words_make_no_pace() -> None:
    assert sentences(pace("three short words", [(0, 1_500)], 2_000))[0] == "3 words, too few to tell a pace."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Um, so, uhh, the query", {"um": 1, "uh": 1}),
        ("It is, you know, a key. You know, a value.", {"you know": 2}),
        ("do you know the key; if you know it; you know that it is", {}),
        ("it is sort of a kind of cache", {"sort of": 1}),
        ("two kinds of; a sort of; this kind of; what kind of mask", {}),
        ("it is, like, a key", {"like": 1}),
        ("attention looks like a lookup, like this one", {}),
        ("the sum, the drum, the error", {}),
        ("I mean, basically the mask", {"I mean": 1, "basically": 1}),
    ],
)
def test_a_filler_is_one_only_where_it_fills(text: str, expected: dict[str, int]) -> None:
    assert count_fillers(text) == expected


def test_fillers_are_told_with_about() -> None:
    found = pace("um um you know", [(0, 6_000)], 6_000)
    assert sentences(found)[2] == "About 3 fillers: “um” 2 times, “you know”."


@pytest.mark.parametrize(
    ("text", "words"),
    [("", 0), ("d_k", 2), ("it's grouped-query attention", 3), ("65,504 and 47.1", 3), ("— , …", 0)],
)
def test_words_are_counted_as_a_person_counts_them(text: str, words: int) -> None:
    assert count_words(text) == words


def test_a_pace_is_kept_and_read_back() -> None:
    found = pace("um, a few words", [(0, 6_000)], 7_000)
    assert Pace.of(found.body()) == found
    assert figure(found) == "0:07, 40 words a minute, about 1 filler"


def test_several_answers_are_told_as_one() -> None:
    first = pace("um, so that is it, basically", [(0, 6_000)], 7_000)
    second = pace("a word " * 20, [(500, 14_500)], 15_000)
    silent = pace("", [], 9_000)
    found = together([first, second, silent])
    assert (found.words, found.speaking_ms, found.wpm) == (46, 20_000, 138)
    assert (found.ms, found.fillers) == (22_000, {"um": 1, "basically": 1})
    assert sentences(together([silent])) == ()
