"""Small linked matrices: what is told of a row goes with weights, and with nothing else."""

import torch

from kernels.linked import linked
from kernels.masks import causal_mask

SCORES = torch.tensor([[1.0, 5.0], [3.0, 2.0]])


def test_rows_of_weights_are_told_with_their_largest_score_and_sum() -> None:
    visible = causal_mask(2, 2)
    masked = SCORES.masked_fill(~visible, -torch.inf)
    made = linked(
        {"masked": masked, "softmax": masked.softmax(-1)}, "ab", "cd", scores=masked, visible=visible
    )
    assert (made.row_max, made.row_sum) == ((1.0, 3.0), (1.0, 1.0))
    assert made.mask == ((1, 0), (1, 1))
    assert [stage.name for stage in made.stages] == ["masked", "softmax"]
    assert (made.row_labels, made.col_labels, made.shape) == (("a", "b"), ("c", "d"), (2, 2))


def test_rows_of_anything_else_have_neither() -> None:
    made = linked({"values": SCORES}, "ab", "cd")
    assert (made.row_max, made.row_sum, made.mask) == ((), (), None)
    assert made.stages[0].values == ((1.0, 5.0), (3.0, 2.0))
