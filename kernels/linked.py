"""Small linked matrices of any kind, sent whole: stages by their names, in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from torch import Tensor

from kernels import draw
from kernels.result import Matrix


def linked(
    stages: Mapping[str, Tensor],
    rows: Sequence[str],
    cols: Sequence[str],
    *,
    scores: Tensor | None = None,
    visible: Tensor | None = None,
) -> Matrix:
    """Stages [n_q, n_kv], up to 128 x 128; visible [n_q, n_kv] is True where the query should see the key.

    scores [n_q, n_kv] go with stages that end in weights: each row is then told with its largest score and the sum of
    its weights. Rows of anything else have neither.
    """
    last = list(stages.values())[-1]
    figures = last.new_empty(0), last.new_empty(0)
    if scores is not None:
        figures = scores.amax(dim=-1), last.double().sum(dim=-1)
    view = draw.head_view(0, draw.Picture(stages, *figures))
    mask = None if visible is None else draw.cells(visible)
    shape = tuple(last.shape)
    return Matrix(
        tuple(rows), tuple(cols), shape, None, None, None, view.stages, mask, view.row_max, view.row_sum
    )
