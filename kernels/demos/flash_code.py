"""Writes the few lines of PyTorch that compute what a run of the demo `flash` computes."""

from __future__ import annotations

from kernels.entries.flash import window_of
from kernels.job import Job

_DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}


def snippet(job: Job) -> str:
    """Python that ends with `out`, all heads by PyTorch, and `exact` and `lse`, head 0 in float64."""
    lines = ["import torch", "from torch.nn import functional as F", "", *_inputs(job), "", *_masked(job)]
    if job.flag("poison"):
        lines += [
            "",
            'v[:, :, -1] = float("nan")  # hidden from most rows, and yet',
            "spoilt = (weights.to(v.dtype) @ v[0, 0]).isnan().any(-1).sum()",
            'print(f"{spoilt} of {len(weights)} rows are NaN in head 0")',
        ]
    return "\n".join(lines) + "\n"


def _inputs(job: Job) -> list[str]:
    batch, h_q, h_kv, n_q, n_kv, d = job.whole("batch", "h_q", "h_kv", "n_q", "n_kv", "d")
    dtype = _DTYPES[job.word("dtype")]
    lines = [
        f"g = torch.Generator().manual_seed({job.seed})",
        f"q = torch.randn({batch}, {h_q}, {n_q}, {d}, generator=g).to(torch.{dtype})",
        f"k = torch.randn({batch}, {h_kv}, {n_kv}, {d}, generator=g).to(torch.{dtype})",
        f"v = torch.randn({batch}, {h_kv}, {n_kv}, {d}, generator=g).to(torch.{dtype})",
    ]
    if h_q != h_kv:
        lines.append(f"k, v = (x.repeat_interleave({h_q // h_kv}, dim=1) for x in (k, v))  # shared heads")
    return lines


def _masked(job: Job) -> list[str]:
    n_q, n_kv = job.whole("n_q", "n_kv")
    shift, window = n_kv - n_q, window_of(job.params)
    seen = f"visible = torch.ones({n_q}, {n_kv}, dtype=torch.bool)"
    if job.flag("causal"):
        seen += f".tril({shift})" + (f".triu({shift - window + 1})" if window else "")
    blind = ".nan_to_num(0.0)" if job.flag("causal") and shift < 0 else ""
    why = "  # a row that sees nothing is 0, not 0/0" if blind else ""
    return [
        seen,
        f"out = F.scaled_dot_product_attention(q, k, v, attn_mask=visible){blind}{why}",
        "",
        "scores = q[0, 0].double() @ k[0, 0].double().T / q.size(-1) ** 0.5",
        'scores = scores.masked_fill(~visible, float("-inf"))',
        "lse = scores.logsumexp(-1)",
        f"weights = scores.softmax(-1){blind}",
        "exact = weights @ v[0, 0].double()",
        'print(f"largest error of PyTorch in head 0: {(out[0, 0] - exact).abs().max():.1e}")',
    ]
