"""A card whose numbers or whose order are drawn: what of it is kept, and what a key makes of that. Pure.

Sync keeps `source` with the note and stores what it shows without a key, the canonical draw. A showing has a key of its
own, so the same showing draws the same however often it is looked at.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from app.library import estimates, params, spotting
from app.library.estimates import Filled
from app.library.notes import Note, Template
from app.library.params import Draw, Param
from app.library.render import plain, render
from app.library.spotting import Sentence
from app.library.text import paragraphs
from app.library.values import BadValue, Quantity, value_line

TRIES = 8  # of a key, until a draw gives numbers


@dataclass(frozen=True)
class Drawn:
    """A card as one draw shows it: its sides as HTML, the sentences of a spot, and what was drawn, by name.

    `demo` is its line with the drawn numbers, None where the draw does not change it; `answer_value` is what an
    estimate comes to; `say` is what is read aloud in place of a side.
    """

    question: Markup
    answer: Markup
    words: str
    values: Mapping[str, object]
    sentences: tuple[Sentence, ...] = ()
    demo: str | None = None
    answer_value: Quantity | None = None
    say: str = ""

    def front(self, *, marked: bool = False) -> Markup:
        """Question and sentences; `marked` points the wrong one out."""
        return self.question + self.listed(marked=marked)

    def listed(self, *, marked: bool = False) -> Markup:
        return spotting.listed(self.sentences, marked=marked) if self.sentences else Markup()


def source(note: Note) -> dict[str, object] | None:
    """What has to be kept of a note so that it can be drawn anew; None: nothing in it is drawn."""
    if note.template is not None:
        return {"kind": "estimate", **note.template.to_json()}
    if note.kind != "spot":
        return None
    texts = {"question": note.question, "answer": note.answer, "wrong": note.wrong[0]}
    return {"kind": "spot", "id": str(note.id), "right": list(note.right), **texts}


def show(kept: Mapping[str, Any], key: str | None = None) -> Drawn | None:
    """The card that `key` draws from what `source` kept; without one the canonical draw.

    None: it can no longer be drawn, as where a table has lost a row that it names; then what is stored of it holds.
    """
    if kept["kind"] != "estimate":
        return _spot(kept, key)
    found = _numbers(kept, key)
    return _estimate(*found) if found else None


def values(kept: Mapping[str, Any], key: str) -> Mapping[str, object]:
    """What `key` draws, by name, and nothing rendered: for the log."""
    if kept["kind"] != "estimate":
        return {"wrong": spotting.wrong_letter(spotting.shuffled(kept["right"], kept["wrong"], key))}
    found = _numbers(kept, key)
    return dict(found[0]) if found else {}


def often_wrong(texts: Iterable[str]) -> Markup:
    """What people often answer, and why it is wrong; wherever the answer is shown, this is, too."""
    rows = Markup().join(Markup("<li>{}</li>").format(render(text, inline=True)) for text in texts)
    if not rows:
        return Markup()
    return Markup('<div class="wrong"><p>Often said, and wrong</p><ul>{}</ul></div>').format(rows)


def _numbers(kept: Mapping[str, Any], key: str | None) -> tuple[Draw, Filled] | None:
    """The draw of this key and its texts. One that `aloud check` did not try may divide by zero: then the next."""
    with suppress(BadValue):
        made = Template.from_json({name: value for name, value in kept.items() if name != "kind"})
        for draw in _draws(params.params(made.params), key):
            with suppress(BadValue):
                return draw, estimates.filled(made, draw)
    return None


def _draws(choices: Sequence[Param], key: str | None) -> Iterator[Draw]:
    if key is not None:
        yield params.draw(choices, key)
        yield from (params.draw(choices, f"{key}/{nth}") for nth in range(1, TRIES))
    yield params.first(choices)


def _estimate(draw: Draw, found: Filled) -> Drawn:
    return Drawn(
        question=render(found.question),
        answer=render(paragraphs(value_line(found.value), found.answer)) + often_wrong(found.wrong),
        words=plain(found.question),
        values=dict(draw),
        demo=found.demo or None,
        answer_value=found.value,
        say=found.say,
    )


def _spot(body: Mapping[str, Any], key: str | None) -> Drawn:
    sentences = spotting.shuffled(body["right"], body["wrong"], body["id"] if key is None else key)
    return Drawn(
        question=render(body["question"]),
        answer=spotting.verdict(sentences) + render(body["answer"]),
        words=plain(body["question"]),
        values={"wrong": spotting.wrong_letter(sentences)},
        sentences=sentences,
    )
