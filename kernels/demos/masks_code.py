"""Writes the PyTorch that reproduces a run of the demo `masks`: the mask, attention with it, and the leak."""

from __future__ import annotations

from kernels.entries.masks import D_K, HEADS, document_lengths
from kernels.job import Job


def snippet(job: Job) -> str:
    """Python that ends with `visible` (pairs) and `leak` (rows that change and must not, by mask), as in the run."""
    n_q, n_kv, width, padding = job.whole("n_q", "n_kv", "width", "padding")
    kind = job.word("kind")
    last = job.word("align") == "bottom-right"
    place = " + n_kv - n_q  # the last n_q positions" if last else "  # the first n_q positions"
    lengths = document_lengths(job.params)
    reason, hidden = {
        "causal": ("j <= i", "j == n_kv - 1"),
        "padding": (f"(j < {n_kv - padding}).expand(n_q, -1)", f"j >= {n_kv - padding}"),
        "left-padding": (f"(j >= {padding}).expand(n_q, -1)", f"j < {padding}"),
        "window": (f"j > i - {width}", "j == 0"),
        "packed": ("document[:, None] == document", f"j < {lengths[0]}"),
    }[kind]
    packed = (
        f"document = torch.repeat_interleave(torch.arange({len(lengths)}), torch.tensor({lengths}))\n"
        if kind == "packed"
        else ""
    )
    causal = kind != "causal" and job.flag("causal")
    before = "j <= i" if causal else "torch.ones(n_q, n_kv, dtype=torch.bool)"
    return f"""import torch
from torch.nn import functional as F

n_q, n_kv = {n_q}, {n_kv}
g = torch.Generator().manual_seed({job.seed})
q, k, v = (torch.randn(1, {HEADS}, n, {D_K}, generator=g).double() for n in (n_q, n_kv, n_kv))
i = torch.arange(n_q)[:, None]{place}
j = torch.arange(n_kv)
{packed}before = {before}  # what is left if the mask is forgotten
sees = before & ({reason})


def attend(mask, change):
    out = F.scaled_dot_product_attention(q, k + change[:, None], v + change[:, None], attn_mask=mask)
    return out.nan_to_num()  # a row that sees nothing: 0 or NaN, by version


hidden = {hidden}  # the keys and values that are changed
must_not = ~(sees & hidden).any(-1)
touched = lambda mask: (attend(mask, hidden) != attend(mask, hidden & False)).any(-1).any(1)[0]
visible = int(sees.sum())
leak = {{"without": int((touched(before) & must_not).sum()), "with": int((touched(sees) & must_not).sum())}}
print(visible, leak)
"""
