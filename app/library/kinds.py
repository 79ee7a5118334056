"""Which fields each kind of card takes, and an answer of it to copy. Data only."""

from collections.abc import Mapping

from app.library.notes import Kind

_ANY = frozenset(
    [
        "id",
        "level",
        "core",
        "tags",
        "demo",
        "expect",
        "source",
        "wrong",
        "next",
        "say",
        "was",
        "copied",
        "retired",
    ]
)
_ASKED = _ANY | {"Q", "A", "kind"}

ALLOWED: Mapping[Kind, frozenset[str]] = {
    "question": _ASKED,
    "cloze": _ANY | {"C", "A"},
    "spoken": _ANY | {"S", "time", "stage", "point", "hear", "doubt", "model"},
    "number": _ASKED | {"answer", "tolerance"},
    "code": _ASKED,
    "reverse": _ASKED,
    "typed": _ASKED | {"answer"},
    "estimate": _ASKED | {"answer", "tolerance", "params"},
    "predict": _ASKED | {"answer"},
    "spot": _ASKED | {"right"},
}
ANSWER_EXAMPLES: Mapping[Kind, str] = {
    "number": "320 KiB",
    "estimate": "2 * n_kv * d_k / 2**10 -> KiB",
    "typed": "the words to type",
}
"""Of the kinds that cannot do without `answer:`."""
