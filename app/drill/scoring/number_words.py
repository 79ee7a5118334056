"""Numbers as they are said, as digits: "sixty four query heads" and "64 query heads" are the same words. Pure.

>>> digits("five hundred and seventy six numbers".split())
[(0, 5, '576'), (5, 6, 'numbers')]
"""

from collections.abc import Sequence

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_UNITS = {word: at for at, word in enumerate(_SMALL)}
_TENFOLD = {word: 10 * at for at, word in enumerate(_TENS, start=2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}

Run = tuple[int, int, str]


def digits(words: Sequence[str]) -> list[Run]:
    """The words with each number in one piece, as (first word, the word after its last, text)."""
    found: list[Run] = []
    at = 0
    while at < len(words):
        end, text = _number(words, at)
        found.append((at, end, text))
        at = end
    return found


def _number(words: Sequence[str], at: int) -> tuple[int, str]:
    """The number that begins at `at`, and where it ends; the word itself where none does."""
    end, value = _whole(words, at)
    if end == at:
        return at + 1, words[at]
    if end + 1 < len(words) and words[end] == "point":
        after, decimals = end + 1, ""
        while after < len(words) and (after == end + 1 or words[after] in _SMALL[:10]):
            stop, part = _below_hundred(words, after)
            if stop == after:
                break
            after, decimals = stop, decimals + str(part)
        if decimals:
            return after, f"{value}.{decimals}"
    return end, str(value)


def _whole(words: Sequence[str], at: int) -> tuple[int, int]:
    """A whole number; ends where it begins if there is none. "three seventy" stays two numbers, as it may be a name."""
    end, below = _below_hundred(words, at)
    if end == at:
        if words[at] not in _SCALES:
            return at, 0
        below = 1  # "a hundred": the article stays a word of its own
    total = 0
    while end < len(words) and words[end] in _SCALES:
        scale = _SCALES[words[end]]
        if scale == 100:
            below *= 100
        else:
            total, below = total + below * scale, 0
        end += 1
        rest = end + (end < len(words) and words[end] == "and")
        more, part = _below_hundred(words, rest)
        if more > rest:
            end, below = more, below + part
    return end, total + below


def _below_hundred(words: Sequence[str], at: int) -> tuple[int, int]:
    if at >= len(words):
        return at, 0
    word = words[at]
    if word.isascii() and word.isdecimal() and len(word) < 16:
        return at + 1, int(word)
    if word in _UNITS:
        return at + 1, _UNITS[word]
    if word not in _TENFOLD:
        return at, 0
    unit = _UNITS.get(words[at + 1], 0) if at + 1 < len(words) else 0
    return (at + 2, _TENFOLD[word] + unit) if 0 < unit < 10 else (at + 1, _TENFOLD[word])
