"""Where a line must not break: between a number and its unit, and between a formula and the sign that follows it."""

import re
from typing import Final

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

NO_BREAK: Final = "\u00a0"
_UNIT = re.compile(r"(?<=\d) (?=(?:%|[kKMGTP]i?B|B|[mµn]?s|[MGTP]?FLOPs?|[GT]B/s|[GT]FLOP/s)(?![\w/]))")
_SIGN = re.compile(r"[^\w\s]+")


def keep_together(state: StateCore) -> None:
    for token in state.tokens:
        if token.children:
            token.children = _kept(token.children)


def _kept(tokens: list[Token]) -> list[Token]:
    made: list[Token] = []
    for token in tokens:
        if token.type == "text":
            token.content = _UNIT.sub(NO_BREAK, token.content)
            if made and made[-1].type == "math" and (sign := _SIGN.match(token.content)):
                made[-1:] = _wrapped(made[-1], sign[0])
                token.content = token.content[sign.end() :]
        made.append(token)
    return made


def _wrapped(formula: Token, sign: str) -> list[Token]:
    opened, closed = Token("span_open", "span", 1), Token("span_close", "span", -1)
    opened.attrSet("class", "no-break")
    return [opened, formula, Token("text", "", 0, content=sign), closed]
