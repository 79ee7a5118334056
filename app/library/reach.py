"""Within reach of keys: what may be wider than a phone and is moved sideways there."""

from markupsafe import Markup

_FORMULA = '<math display="block"'


def reachable(html: str) -> Markup:
    """Sanitised HTML, whose formulas of a line of their own can be focused, as code can, and so be scrolled by keys."""
    plain = str(html)  # Markup's own replace escapes what it puts in
    return Markup(plain.replace(_FORMULA, _FORMULA + ' tabindex="0"'))  # noqa: S704  (sanitised when it was rendered)
