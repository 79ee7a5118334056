"""The code that the deck on serving teaches."""

import torch

from tests.content.taught import taught

BLOCKS, SIZE, HEADS, D = 6, 4, 2, 3


def test_a_paged_cache_gives_back_what_was_stored() -> None:
    names = taught("paged-lookup")
    pool = torch.zeros(BLOCKS, SIZE, HEADS, D)
    tables = torch.tensor([4, 0, 2]), torch.tensor([5, 1, 3])
    made = torch.Generator().manual_seed(0)
    lengths = 9, 5
    rows = [torch.randn(n, HEADS, D, generator=made) for n in lengths]
    for at in range(max(lengths)):  # the two requests take turns, as in one batch
        for table, row in zip(tables, rows, strict=True):
            if at < len(row):
                names["write"](pool, table, at, row[at])
    for table, row in zip(tables, rows, strict=True):
        for n in range(len(row) + 1):
            got = names["read"](pool, table, n)
            assert got.shape == (HEADS, n, D)
            assert torch.equal(got, row[:n].transpose(0, 1))
