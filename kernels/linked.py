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
    scores: Tensor,
    visible: Tensor | None = None,
) -> Matrix:
    """Stages [n_q, n_kv], up to 128 x 128. The row maxima are those of `scores`, the sums those of the last stage.

    visible [n_q, n_kv] is True where the query should see the key.
    """
    last = list(stages.values())[-1]
    view = draw.head_view(0, draw.Picture(stages, scores.amax(dim=-1), last.double().sum(dim=-1)))
    mask = None if visible is None else tuple(map(tuple, visible.int().tolist()))
    shape = tuple(last.shape)
    return Matrix(
        tuple(rows), tuple(cols), shape, None, None, None, view.stages, mask, view.row_max, view.row_sum
    )
