"""The answer of a spoken card: the points to make, then a text that makes them, each under its name. Pure."""

from collections.abc import Mapping

from markupsafe import Markup

OFTEN_WRONG = '<div class="wrong">'  # begins what app.library.drawing.often_wrong adds to an answer


def labelled(back: str, body: Mapping[str, object]) -> Markup:
    """The answer with its parts named; of a card that has no such parts, the answer as it is."""
    points, model = body.get("points"), body.get("model_html")
    if not isinstance(points, list) or not isinstance(model, str):
        return _safe(back)
    listed = Markup().join(Markup("<li>{}</li>").format(_safe(point["text_html"])) for point in points)
    said = Markup(
        '<p class="part-label">Key points</p><ul>{}</ul><p class="part-label">One way to say it</p>{}'
    )
    _, wrong, rest = back.partition(OFTEN_WRONG)
    return said.format(listed, _safe(model)) + _safe(wrong + rest)


def _safe(html: str) -> Markup:
    """HTML that was sanitised when its deck was read."""
    return Markup(html)  # noqa: S704
