"""What an Anki card shows: its note type's template, filled with the note's fields. Pure.

>>> filled("{{#Hint}}<i>{{Hint}}</i>{{/Hint}}{{Front}}", {"Front": "Why?", "Hint": ""}, answer=False)
'Why?'
"""

import re
from collections.abc import Mapping

_MARK = re.compile(r"\{\{\s*([#^/]?)\s*([^{}]*?)\s*\}\}")
_COMMENT = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_ANSWER = re.compile(r"<hr[^>]*\bid\s*=\s*[\"']?answer\b[^>]*>", re.IGNORECASE)
_NO_GAP = r"(?:(?!\{\{c\d|\}\}).)*?"
_CLOZE = re.compile(rf"\{{\{{c\d+::({_NO_GAP})\}}\}}", re.DOTALL | re.IGNORECASE)


def filled(template: str, fields: Mapping[str, str], *, answer: bool) -> str:
    """The HTML of one side. Of an answer only what stands below the question.

    A hint is hidden on the question's side; what is to be typed stands on the answer's alone.
    """
    template = _COMMENT.sub("", template)
    if answer:
        template = _ANSWER.split(template, maxsplit=1)[-1]
    made: list[str] = []
    shown = [True]
    at = 0
    for mark in _MARK.finditer(template):
        if shown[-1]:
            made.append(template[at : mark.start()])
        at = mark.end()
        sign, name = mark[1], mark[2]
        if sign == "/":
            if len(shown) > 1:
                shown.pop()
        elif sign:
            given = bool(_value(name, fields).strip())
            shown.append(shown[-1] and given == (sign == "#"))
        elif shown[-1]:
            made.append(_filled(name, fields, answer=answer))
    if shown[-1]:
        made.append(template[at:])
    return "".join(made)


def typed_field(template: str) -> str | None:
    """The field that is to be typed, where the question asks for one and it is no cloze."""
    for mark in _MARK.finditer(template):
        *filters, name = (part.strip() for part in mark[2].split(":"))
        if not mark[1] and "type" in filters and "cloze" not in filters:
            return name
    return None


def _filled(mark: str, fields: Mapping[str, str], *, answer: bool) -> str:
    *filters, name = (part.strip() for part in mark.split(":"))
    if name == "FrontSide" or any(each.startswith("tts") for each in filters):
        return ""
    hidden = not answer and ("hint" in filters or ("type" in filters and "cloze" not in filters))
    if hidden or (answer and "cloze" in filters):
        return ""
    return _value(name, fields)


def _value(name: str, fields: Mapping[str, str]) -> str:
    return fields.get(name.rpartition(":")[2].strip(), "")


def without_gaps(html: str) -> str:
    """The text of a cloze with its gaps filled."""
    return _CLOZE.sub(lambda gap: gap[1].partition("::")[0], html)
