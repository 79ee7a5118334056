"""One card's fields, checked and made into a note. The first mistake does not hide the others."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from app.library import cloze, estimates, points, values
from app.library.errors import DeckError
from app.library.fields import REPEATED, Block, Field
from app.library.kinds import ALLOWED, ANSWER_EXAMPLES
from app.library.notes import CHOSEN, Kind, Note, Template
from app.library.params import params
from app.library.spans import spans
from app.library.text import canonical
from app.library.values import BadValue, Quantity, Tolerance

T = TypeVar("T")

MAX_TEXT = 20_000  # characters of one field

_TOLD = ("A", "answer", "tolerance", "params", "time", "model", "say")
_FILLED = frozenset({"Q", "C", "S", "A", "say", "model", "demo", "expect", "wrong", "right", "answer"})
_NO_ESTIMATE = "add kind: estimate and params:, or put the braces in code; a sign in a formula is { = }."
_NO_CARD = "write it as C: instead of Q:, or put the braces in code."


class Builder:
    """Makes the note of one block; what is wrong with it gathers in `errors`."""

    def __init__(self, block: Block, path: str, deck_demo: str | None) -> None:
        self.path, self.line, self.deck_demo = path, block.line, deck_demo
        self.errors: list[DeckError] = []
        self.fields = block.fields
        self.body = block.fields[0]
        self.kind = self._kind()
        self.one: dict[str, Field] = {}
        self.many: dict[str, list[Field]] = {}
        self._sort()

    def build(self) -> Note | None:
        """The note, or None where it has no usable id. Trust it only while `errors` is empty."""
        note_id = self._read("id", values.note_id)
        if "id" not in self.one:
            self._wrong(self.line, "the card has no id", "add a line such as id: causal-mask.")
        self._check_body()
        answer_value = self._answer_value()
        time_s = self._read("time", values.seconds)
        said = self._said(time_s)
        note = Note(
            id=note_id or values.NoteId(""),
            kind=self.kind,
            question=self.body.text,
            answer=self._text("A"),
            level=self._read("level", values.level),
            core=self._read("core", values.yes) or False,
            tags=self._read("tags", values.tags) or (),
            demo=self._text("demo") or self.deck_demo,
            expects=self._texts("expect"),
            source=self._text("source"),
            answer_value=answer_value,
            tolerance=self._tolerance(answer_value),
            time_s=time_s,
            points=said.points,
            stages=said.stages,
            params=self._read("params", params) or (),
            wrong=self._texts("wrong"),
            right=self._texts("right"),
            next=self._read("next", values.idents) or (),
            model=self._text("model"),
            say=self._text("say"),
            was=self._read("was", values.idents) or (),
            line=self.line,
            content_hash=self._hash(said),
            template=self._template(),
            copied=self._read("copied", values.fingerprint) or "",
            retired=self._read("retired", values.yes) or False,
            lines=self._lines(),
        )
        note = self._drawn(note)
        return note if note_id else None

    def _kind(self) -> Kind:
        if self.body.name != "Q":
            return "cloze" if self.body.name == "C" else "spoken"
        named = next((found for found in self.fields if found.name == "kind"), None)
        if named is None or not named.text or named.text == "question":
            return "question"
        for kind in CHOSEN:
            if kind == named.text:
                return kind
        fix = f"use {', '.join(CHOSEN[:-1])} or {CHOSEN[-1]}; a plain question needs no kind."
        self._wrong(named.line, f'the kind "{named.text}" is not known', fix)
        return "question"

    def _sort(self) -> None:
        for found in self.fields:
            misfit = self._misfit(found)
            if misfit is not None:
                self._wrong(found.line, *misfit)
            if found.name not in REPEATED:
                self.one.setdefault(found.name, found)
            elif misfit is None:
                self.many.setdefault(found.name, []).append(found)

    def _misfit(self, found: Field) -> tuple[str, str] | None:
        """What is wrong with a field as such, and what to do."""
        if found.name not in ALLOWED[self.kind]:
            return f"{found.name}: does not belong to {self._a_card}", self._where(found)
        if not found.text:
            return f"{found.name}: is empty", "write its value, or delete the line."
        if len(found.text) > MAX_TEXT:
            problem = f"{found.name}: has {len(found.text)} characters"
            return problem, f"keep it under {MAX_TEXT + 1}, or make two cards."
        if found.name in self.one:
            return (
                f"{found.name}: stands twice, first in line {self.one[found.name].line}",
                "keep one of them.",
            )
        return None

    def _where(self, found: Field) -> str:
        kinds = [kind for kind, allowed in ALLOWED.items() if found.name in allowed]
        if found.name == "kind":
            return "delete it; C: and S: say their kind themselves."
        return f"delete it, or make the card of kind {' or '.join(kinds)}."

    @property
    def _a_card(self) -> str:
        return f"a{'n' * (self.kind == 'estimate')} {self.kind} card"

    def _check_body(self) -> None:
        if self.kind == "cloze":
            self._check_cloze()
        elif any(cloze.opens(found.text) for found in (self.body, self.one.get("A")) if found):
            self._wrong(self.line, f"a cloze stands in {self._a_card}", _NO_CARD)
        if self.kind == "spoken":
            self._need("time", "add a line such as time: 90 (seconds).")
            if not self.many.get("point"):
                self._wrong(
                    self.line, "the spoken card has no point", "add a line such as point p1: Says why."
                )
        elif self.kind in ANSWER_EXAMPLES:
            self._need("answer", f"add a line such as answer: {ANSWER_EXAMPLES[self.kind]}.")
            if self.kind == "estimate":
                self._need(
                    "params", "add what is drawn, such as params: n_kv=1024|8192, or make it a number."
                )
        elif self.kind != "cloze" and "answer" not in self.one:
            self._need("A", "add a line that begins with A:.")
        if self.kind == "spot":
            self._check_sentences()
        if self.kind != "estimate":
            self._check_placeholders()
        code = self.one.get("A") if self.kind == "code" else None
        if code and not any(span.kind == "fence" for span in spans(code.text)):
            self._wrong(code.line, "the answer holds no code", "put the code between ```python and ```.")

    def _check_sentences(self) -> None:
        for name, least, most, said in (("right", 2, 4, "2 to 4"), ("wrong", 1, 1, "exactly one")):
            count = len(self.many.get(name, ()))
            if not least <= count <= most:
                problem = f"the spot card has {count} {name}: line{'' if count == 1 else 's'}"
                fix = f"give {said}, each a sentence as it would be said."
                self._wrong(self.line, problem, fix)
        seen: dict[str, int] = {}
        for found in (*self.many.get("right", ()), *self.many.get("wrong", ())):
            if (first := seen.setdefault(canonical(found.text), found.line)) != found.line:
                problem = f"the sentence stands twice, first in line {first}"
                self._wrong(found.line, problem, "give each once.")

    def _check_placeholders(self) -> None:
        for found in self.fields:
            if found.name in _FILLED and estimates.outside_code(found.text):
                problem = f"{found.name}: has a placeholder {{=...}}, and numbers are drawn in estimates only"
                self._wrong(found.line, problem, _NO_ESTIMATE)

    def _check_cloze(self) -> None:
        try:
            if not cloze.numbers(cloze.parse(self.body.text)):
                self._wrong(
                    self.line, "the cloze card hides nothing", "write {{c1::text}}, or begin with Q:."
                )
        except cloze.BadCloze as bad:
            line = self.body.text_line + self.body.text.count("\n", 0, bad.at)
            self._wrong(line, bad.problem, bad.fix)

    def _template(self) -> Template | None:
        told = self._read("answer", estimates.answer) if self.kind == "estimate" else None
        if told is None:
            return None
        value, unit = told
        return Template(
            question=self.body.text,
            answer=self._text("A"),
            say=self._text("say"),
            wrong=self._texts("wrong"),
            demo=self._text("demo"),
            expects=self._texts("expect"),
            params=self._text("params"),
            value=value,
            unit=unit,
        )

    def _drawn(self, note: Note) -> Note:
        """The note with its canonical numbers, where every draw that was tried gives some."""
        found = estimates.mistakes(note)
        for mistake in found:
            line = note.line_of(mistake.name, mistake.index) + mistake.line
            self._wrong(line, mistake.problem, mistake.fix)
        if found or not note.params:
            return note
        made = estimates.drawn(note)
        return replace(made, tolerance=self._tolerance(made.answer_value))

    def _answer_value(self) -> Quantity | None:
        if self.kind == "estimate":
            return None
        read = {"number": values.quantity, "typed": values.wording}.get(self.kind, values.free_quantity)
        return self._read("answer", read)

    def _tolerance(self, answer: Quantity | None) -> Tolerance | None:
        return self._read("tolerance", lambda text: values.tolerance(text, answer)) if answer else None

    def _said(self, time_s: int | None) -> points.Parts:
        """What a spoken card is to say."""
        said = points.read(self.fields, time_s)
        for mistake in said.mistakes:
            self._wrong(mistake.line, mistake.problem, mistake.fix)
        return said

    def _hash(self, said: points.Parts) -> str:
        told = [self.kind, self.body.text, *(self._text(name) for name in _TOLD)]
        told += [*self._texts("wrong"), *self._texts("right")]
        for point in said.points:
            told += [point.id, point.text, *point.hear, "/", *point.doubt]
            told += ["in", point.stage] if point.stage else []
        for stage in said.stages:
            told += ["stage", stage.name, str(stage.seconds)]
        return hashlib.sha256(json.dumps([canonical(text) for text in told]).encode()).hexdigest()

    def _lines(self) -> dict[str, tuple[int, ...]]:
        lines: dict[str, tuple[int, ...]] = {}
        for found in self.fields:
            lines[found.name] = (*lines.get(found.name, ()), found.text_line)
        return lines

    def _text(self, name: str) -> str:
        return self.one[name].text if name in self.one else ""

    def _texts(self, name: str) -> tuple[str, ...]:
        return tuple(found.text for found in self.many.get(name, ()))

    def _need(self, name: str, fix: str) -> None:
        if name not in self.one:
            self._wrong(self.line, f"the {self.kind} card has no {name}:", fix)

    def _read(self, name: str, read: Callable[[str], T]) -> T | None:
        found = self.one.get(name)
        return self._try(found, read) if found and found.text else None

    def _try(self, found: Field, read: Callable[[str], T]) -> T | None:
        try:
            return read(found.text)
        except BadValue as bad:
            self._wrong(found.line, bad.problem, bad.fix)
            return None

    def _wrong(self, line: int, problem: str, fix: str) -> None:
        self.errors.append(DeckError(self.path, line, problem, fix))
