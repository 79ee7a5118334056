"""The signs of Markdown, written so that they mean what they should. Pure."""

import re

BREAK = "\ue000"  # a line's break, until its paragraph is written
_SPECIAL = re.compile(r"[\\`*\[\]$]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|<(?=[A-Za-z][\w+.-]*:|[^\s<>]+@)")
_AT_LINE = re.compile(
    r"^(?:(?P<number>\d{1,9})(?=[.)](?:\s|$))|(?=#{1,6}(?:\s|$)|>|[-+](?:\s|$)|[-=]+\s*$|~~~))", re.MULTILINE
)


def escaped(text: str, *, gaps: bool = False) -> str:
    """Text that Markdown shows as it stands."""
    text = _SPECIAL.sub(lambda sign: "\\" + sign[0], text)
    text = text.replace("{=", "{\\=").replace("{?", "{\\?")
    return text if gaps else text.replace("{{c", "{\\{c").replace("{{C", "{\\{C")


def ticked(code: str) -> str:
    """Inline code, whatever ticks stand in it."""
    code = code.replace("\n", " ")
    if not code.strip():
        return code
    ticks = "`" * (1 + max(map(len, re.findall("`+", code)), default=0))
    pad = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{ticks}{pad}{code}{pad}{ticks}"


def around(text: str, sign: str) -> str:
    """Emphasis, which touches its words on both sides, and ends with its line."""
    parts = []
    for part in text.split(BREAK):
        bare = part.strip()
        before, _, after = part.partition(bare) if bare else (part, "", "")
        parts.append(f"{before}{sign}{bare}{sign}{after}" if bare else part)
    return BREAK.join(parts)


def link(words: str, target: str) -> str:
    whole = target.strip()
    if not re.match(r"(?:https?|mailto):", whole, re.IGNORECASE) or not words.strip():
        return words
    whole = re.sub(r"[\s<>\\()]", lambda sign: f"%{ord(sign[0]):02X}", whole)
    return f"[{words.strip().replace(BREAK, ' ')}]({whole})"


def _shield(found: re.Match[str]) -> str:
    return f"{found['number']}\\" if found["number"] else "\\"


def shielded(paragraph: str) -> str:
    """The lines of a paragraph, none of which begins a list, a title or a fence; each ends where it did."""
    return _AT_LINE.sub(_shield, paragraph).replace("\n", "\\\n")
