"""Who may see whom: masks as boolean tensors [n_q, n_kv], True where the query sees the key.

Masks of several reasons combine with `&`. Which corner a causal mask is aligned to matters as soon as n_q and n_kv
differ: a KV cache needs the bottom-right one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import torch
from torch import Tensor

Align = Literal["bottom-right", "top-left"]


def causal_mask(n_q: int, n_kv: int, align: Align = "bottom-right", device: str = "cpu") -> Tensor:
    """True where query i may see key j: j <= i + shift. bool [n_q, n_kv].

    bottom-right takes the queries for the last n_q positions, shift = n_kv - n_q, as a KV cache needs.
    top-left takes them for the first ones, shift = 0, as PyTorch's is_causal does.
    """
    shift = n_kv - n_q if align == "bottom-right" else 0
    keys, last = torch.arange(n_kv, device=device), torch.arange(shift, shift + n_q, device=device)
    return keys <= last[:, None]


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
    shift = n_kv - n_q if align == "bottom-right" else 0
    keys, last = torch.arange(n_kv, device=device), torch.arange(shift, shift + n_q, device=device)
    return keys > last[:, None] - width


def padding_mask(lengths: Sequence[int], n_kv: int, side: Literal["left", "right"] = "right") -> Tensor:
    """True where a sequence of a batch has a token and no padding: bool [batch, 1, n_kv], for every query alike."""
    place = torch.arange(n_kv) if side == "right" else torch.arange(n_kv - 1, -1, -1)
    return (place < torch.tensor(lengths)[:, None])[:, None, :]


def packed_mask(lengths: Sequence[int]) -> Tensor:
    """True where both positions are of one document, for documents packed one after the other: block-diagonal.

    bool [n, n] with n the sum of the lengths; combine it with causal_mask for a decoder.
    """
    document = torch.repeat_interleave(torch.arange(len(lengths)), torch.tensor(lengths))
    return document[:, None] == document
