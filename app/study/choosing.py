"""What was chosen to study, as an address or a form tells it."""

from typing import Annotated

from fastapi import Depends, Form, Query

from app.study.chosen import Chosen
from app.web.errors import Invalid

Text = Annotated[str, Form(max_length=2000)]
Asked = Annotated[str, Query(max_length=2000)]
DIGITS = 15  # of a number that an address may tell


def _asked(
    deck: Asked = "",
    tag: Asked = "",
    level: Asked = "",
    core: Asked = "",
    ahead: Asked = "",
    cram: Asked = "",
) -> Chosen:
    return chosen(deck, tag, level, core, ahead, cram)


def _sent(
    deck: Text = "", tag: Text = "", level: Text = "", core: Text = "", ahead: Text = "", cram: Text = ""
) -> Chosen:
    return chosen(deck, tag, level, core, ahead, cram)


ByAddress = Annotated[Chosen, Depends(_asked)]
ByForm = Annotated[Chosen, Depends(_sent)]


def chosen(deck: str, tag: str, level: str, core: str, ahead: str, cram: str) -> Chosen:
    """Raises Invalid where a number is none."""
    return Chosen(
        deck=deck,
        tag=tag,
        level=level,
        core=core in ("yes", "true", "1"),
        ahead=_number("ahead", ahead) or 0,
        cram=_number("cram", cram),
    )


def _number(name: str, text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS):
        raise Invalid(f"{name} must be a whole number, and {text[:20]!r} is none; leave it out or mend it.")
    return int(text)
