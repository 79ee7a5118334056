"""From a result to what its templates draw: text, levels and coordinates. Pure; no HTML but highlighted code.

A page calls `drawing.result(result_json)` and hands each of its `.blocks` to the macro `draw(block, scope)`.
"""

from app.demos.drawing.undrawable import Undrawable
from app.demos.drawing.views import Badge, BlockView, ResultView, check, result

__all__ = ["Badge", "BlockView", "ResultView", "Undrawable", "check", "result"]
