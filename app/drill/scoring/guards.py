"""Words turned round: what casts doubt on a key point that seems to have been said. Pure.

A wording of the deck shows that something was mentioned, not that it was said the right way round: "the softmax over
the queries" holds the word softmax, too. Each guard compares a clause with what the point itself says. None knows more
than words in their places, so each can be wrong; that is why they lead to "check this" and to nothing worse.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.drill.scoring.spoken import forms


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that a clause may have or lack without saying anything else.
FILLERS = _words(
    "a an the is are was were be been it its this that these those there we you i they he she so then and just really "
    "actually very also um uh erm er ah hmm well ok okay now put puts do does did can could will would should come "
    "comes go goes going have has had get gets make makes by"
)
NEGATIONS = _words(
    "not never no none neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt"
)


def stem(form: str) -> str:
    """The word without its endings, roughly: the same for mask, masks, masked and masking."""
    if len(form) > 4:
        form = re.sub(r"ies$", "y", form)
        form = re.sub(r"(?:ing|ed|es|(?<!s)s)$", "", form) if len(form) > 4 else form
    elif len(form) == 4:
        form = re.sub(r"(?<!s)s$", "", form)
    return form[:-1] if len(form) > 4 and form.endswith("e") else form


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


# What is turned round when the one stands where the point has the other.
OPPOSITES = tuple(
    (_stems(one), _stems(other))
    for one, other in (
        ("before", "after"),
        ("row", "column"),
        ("grow grew increase rise", "shrink shrank decrease fall"),
        ("large larger bigger greater", "small smaller"),
        ("more", "less fewer"),
        ("largest biggest", "smallest"),
        ("maximum max", "minimum min mean"),
        ("above", "below"),
        ("multiply multiplied", "divide division"),
        ("linear", "quadratic"),
        ("first", "last"),
        ("left", "right"),
        ("top", "bottom"),
        ("same", "different"),
        ("exact exactly", "approximate approximation almost"),
        ("early earlier", "late later"),
    )
)
# Of these, too, one does not stand for the other beside the same word; in other places both are often said.
BESIDE = (
    *OPPOSITES,
    (_stems("compute arithmetic"), _stems("memory bandwidth")),
    (_stems("prefill"), _stems("decode")),
    (_stems("large"), _stems("draft cheap")),
)
SIBLINGS = (_stems("query key value q k v"), _stems("row column"))
# How many words that say something lie between what turns a wording round and the wording, at most. Where marks or
# lines end clauses it hardly matters; without any, a whole text would be one clause, and one "cannot" doubt all of it.
REACH = 4
SMALL = _words("in of for to at on with over from and or as than per")
PLACES = {
    stem(one): stem(other)
    for one, other in (("before", "after"), ("after", "before"), ("above", "below"), ("below", "above"))
}


def _counterparts() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    both = [(one, other) for pair in BESIDE for one, other in (pair, pair[::-1])]
    for one, other in both + [(group, group) for group in SIBLINGS]:
        for word in one:
            found[word] = found.get(word, frozenset()) | other - {word}
    return found


COUNTERPARTS = _counterparts()


@dataclass(frozen=True, slots=True)
class Sense:
    """A key point as the guards see it: the stems of its own line in order, its pairs of neighbours, all its words."""

    line: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    right: frozenset[str]
    known: frozenset[str]
    negated: bool

    @classmethod
    def of(cls, text: str, hear: Iterable[str], doubt: Iterable[str]) -> "Sense":
        line = content(forms(text))
        heard = [content(forms(phrase)) for phrase in hear]
        doubted = [content(forms(phrase)) for phrase in doubt]
        right = frozenset(line).union(*heard)
        return cls(
            line,
            frozenset(pair for words in (line, *heard) for pair in _pairs(words)),
            right,
            right.union(*doubted),
            any(stem in NEGATIONS for stem in right),
        )


def content(words: Iterable[str]) -> tuple[str, ...]:
    """The stems of the words that say something; a negation always does."""
    return tuple(stem(word) if word not in NEGATIONS else word for word in words if word not in FILLERS)


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each word with the next, and once more over the prepositions: "linear in the length" has linear and length."""
    yield from pairwise(words)
    yield from pairwise([word for word in words if word not in SMALL])


def misplaced(sense: Sense, clause: Sequence[str]) -> tuple[int, int] | None:
    """Where before and after, or above and below, stand the other way round than in the point: first and last stem."""
    places = [(one, by) for one, by in sense.pairs if one in PLACES and (PLACES[one], by) not in sense.pairs]
    for at in range(len(clause) - 1):
        first, last = max(0, at - REACH), min(len(clause), at + 2 + REACH)
        near = clause[first:last]
        if any(_misplaced(sense.known, place, beside, near, at - first) for place, beside in places):
            return first, last - 1
    return None


def _misplaced(known: frozenset[str], place: str, beside: str, near: Sequence[str], at: int) -> bool:
    word, following = near[at : at + 2]
    if (word, following) == (PLACES[place], beside):
        return bool((set(near) - {word, beside}) & known)
    return word == place and beside in near[:at] and following in known - {beside}


def turned(sense: Sense, clause: Sequence[str]) -> bool:
    """Whether the words around a place where the point was heard say it the other way round."""
    return _negated(sense, clause) or _opposite(sense, clause) or _exchanged(sense, clause)


def _negated(sense: Sense, clause: Sequence[str]) -> bool:
    return not sense.negated and any(word in NEGATIONS for word in clause)


def _opposite(sense: Sense, clause: Sequence[str]) -> bool:
    """It has the opposite of a word that the point has, and that the point nowhere has itself."""
    said = set(clause)
    return any(
        sense.right & here and not sense.right & there and said & there
        for one, two in OPPOSITES
        for here, there in ((one, two), (two, one))
    )


def _exchanged(sense: Sense, clause: Sequence[str]) -> bool:
    """Two words stand side by side of which the point has one, and in place of the other its counterpart."""
    return any(
        any((other, right) in sense.pairs for other in COUNTERPARTS.get(left, ()))
        or any((left, other) in sense.pairs for other in COUNTERPARTS.get(right, ()))
        for left, right in _pairs(clause)
        if (left, right) not in sense.pairs
    )
