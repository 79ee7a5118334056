"""What stands on a page, as a reader has it."""

import html
import re


def text(answer) -> str:
    """The words of a page: no tags, single spaces."""
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.text)))
