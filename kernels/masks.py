"""Who may see whom: masks as boolean tensors [n_q, n_kv], True where the query sees the key.

Masks of several reasons combine with `&`: a query sees a key if no reason hides it. Which corner a causal mask is
aligned to matters as soon as n_q and n_kv differ: a KV cache needs the bottom-right one. A mask for a batch has its
axes in front; [batch, 1, n_q, n_kv] serves all heads of q [batch, h_q, n_q, d_k].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

from kernels.tiles import State

Align = Literal["bottom-right", "top-left"]


def causal_mask(n_q: int, n_kv: int, align: Align = "bottom-right", device: str = "cpu") -> Tensor:
    """True where query i may see key j: j <= i + shift. bool [n_q, n_kv].

    bottom-right takes the queries for the last n_q positions, shift = n_kv - n_q, as a KV cache needs.
    top-left takes them for the first ones, shift = 0, as PyTorch's is_causal does.
    """
    return torch.arange(n_kv, device=device) <= _places(n_q, n_kv, align, device)


def _places(n_q: int, n_kv: int, align: Align, device: str) -> Tensor:
    """The position of each query among the keys, [n_q, 1]; negative for one that comes before all of them."""
    shift = n_kv - n_q if align == "bottom-right" else 0
    return torch.arange(shift, shift + n_q, device=device)[:, None]


def keys_seen(n_q: int, n_kv: int, align: Align | None) -> tuple[int, ...]:
    """How many keys each query sees under causal_mask, or without a mask (None): the mask's row sums."""
    if align is None:
        return (n_kv,) * n_q
    shift = n_kv - n_q if align == "bottom-right" else 0
    return tuple(min(max(i + 1 + shift, 0), n_kv) for i in range(n_q))


def window_mask(
    n_q: int, n_kv: int, width: int, align: Align = "bottom-right", device: str = "cpu"
) -> Tensor:
    """True where key j is no more than width - 1 positions before query i: with a causal mask, `width` keys a row.

    Sliding-window attention (Mistral 7B, arXiv 2310.06825, section 2): position i reads i - width + 1 to i.
    """
    return torch.arange(n_kv, device=device) > _places(n_q, n_kv, align, device) - width


def padding_mask(lengths: Sequence[int], n_kv: int, side: Literal["left", "right"] = "right") -> Tensor:
    """True where a sequence of a batch has a token and no padding: bool [batch, 1, n_kv], for every query alike.

    Padding stands to the right in training, to the left where a batch is decoded together, so that the last column
    is every sequence's newest token. Left padding leaves a causal decoder with rows that see nothing at all.
    """
    place = torch.arange(n_kv) if side == "right" else torch.arange(n_kv - 1, -1, -1)
    return (place < torch.tensor(lengths)[:, None])[:, None, :]


def packed_mask(lengths: Sequence[int]) -> Tensor:
    """True where both positions are of one document, for documents packed one after the other: block-diagonal.

    bool [n, n] with n the sum of the lengths; combine it with causal_mask for a decoder.
    """
    document = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    return document[:, None] == document


def reach(visible: Tensor, layers: int) -> Tensor:
    """Which positions' inputs can have an influence on which outputs after so many layers: bool [n, n].

    Layer by layer a position hands on what it has read itself. Through L layers a window of W, which holds the position
    itself, therefore reaches L (W - 1) positions back (Mistral 7B, section 2, rounds this to L x W).
    """
    one = far = visible.float()
    for _ in range(layers - 1):
        far = (far @ one).clamp(max=1)
    return far > 0


def tile_states(visible: Tensor, bm: int, bn: int) -> tuple[tuple[State, ...], ...]:
    """What a fused kernel does with each tile of bm x bn cells of any mask [n_q, n_kv]: a block mask.

    skipped: no cell is visible, so it is never loaded. full: all are, so no mask is applied. diagonal: some are, or the
    tile reaches past the last key. FlexAttention plans its kernel by the same three (PyTorch's BlockMask).
    """
    n_q, n_kv = visible.shape
    rows, columns = -(-n_q // bm), -(-n_kv // bn)
    seen = visible.new_zeros(rows * bm, columns * bn)
    seen[:n_q, :n_kv] = visible
    needed = seen.clone()
    needed[n_q:] = True  # rows past the last query ask for nothing, and so need no mask either
    some = seen.view(rows, bm, columns, bn).any(dim=3).any(dim=1)
    every = needed.view(rows, bm, columns, bn).all(dim=3).all(dim=1)
    kinds: dict[tuple[bool, bool], State] = {
        (False, False): "skipped",
        (True, False): "diagonal",
        (True, True): "full",
    }
    pairs = zip(some.tolist(), every.tolist(), strict=True)
    return tuple(tuple(kinds[kind] for kind in zip(*row, strict=True)) for row in pairs)
