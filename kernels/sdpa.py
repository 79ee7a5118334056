"""F.scaled_dot_product_attention for one head, as this machine runs it by default and by plain PyTorch inside."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


def sdpa(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, *, causal: bool = False) -> Tensor:
    """q [n_q, d], k and v [n_kv, d] to the output [n_q, d]. A mask is boolean (True may be read) or is added."""
    batch = (q[None, None], k[None, None], v[None, None])
    return F.scaled_dot_product_attention(*batch, attn_mask=mask, is_causal=causal)[0, 0]


def sdpa_math(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, *, causal: bool = False) -> Tensor:
    """The same by the MATH backend: PyTorch's own products and softmax, nothing fused."""
    with sdpa_kernel(SDPBackend.MATH):
        return sdpa(q, k, v, mask, causal=causal)
