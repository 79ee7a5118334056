"""Words as a recogniser gives them, made into words as they are read."""

from app.worker.speech.words import Word, made_up, text, whole


def test_a_word_with_a_hyphen_or_a_point_is_one_word() -> None:
    pieces = [
        Word(0, 300, " Multi"),
        Word(300, 500, "-head"),
        Word(500, 900, " attention"),
        Word(900, 1000, " with"),
        Word(1000, 1100, " d"),
        Word(1100, 1200, "_k"),
        Word(1200, 1300, " 0"),
        Word(1300, 1400, ".5."),
    ]
    words = whole(pieces)
    assert text(words) == "Multi-head attention with d_k 0.5."
    assert words[0] == Word(0, 500, "Multi-head")


def test_what_begins_without_a_space_begins_a_word() -> None:
    assert text(whole([Word(0, 1, "Um,"), Word(1, 2, " so")])) == "Um, so"


def test_what_has_no_speech_to_it_where_the_model_hears_none_is_made_up() -> None:
    speech = [(194, 5480), (13_400, 18_760)]
    tail = [Word(5340, 5480, " Thank"), Word(5480, 5480, " you.")]
    gap = [Word(5400, 7880, " Thank"), Word(7880, 7880, " you.")]
    said = [Word(4260, 4480, " Thank"), Word(4480, 4660, " you.")]
    assert made_up(tail, 0.51, speech)
    assert made_up(gap, 0.6, speech)
    assert made_up([Word(4300, 4440, " You")], 0.59, speech)
    assert made_up([Word(5780, 5860, " .")], 0.75, speech)
    assert not made_up(said, 0.51, speech)
    assert not made_up(tail, 0.02, speech)
    assert not made_up(gap, 0.1, speech)
