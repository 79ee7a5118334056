"""Writes the few lines of PyTorch that reproduce a run of the demo `fusing`."""

from __future__ import annotations

from kernels.job import Job

_DTYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}


def snippet(job: Job) -> str:
    """Python that ends with `plain`, `fused` and `exact`, and the bytes `three` and `one` that both ways move."""
    h_q, h_kv, n_q, n_kv, d = job.whole("h_q", "h_kv", "n_q", "n_kv", "d")
    dtype, causal = _DTYPES[job.word("dtype")], job.flag("causal")
    shared = f"k, v = (x.repeat_interleave({h_q // h_kv}, dim=1) for x in (k, v))  # shared heads\n"
    seen = f".tril({n_kv - n_q})" if causal else ""
    blind = ".nan_to_num(0.0)" if causal and n_kv < n_q else ""
    return (
        "import torch\n"
        "from torch.nn import functional as F\n\n"
        f"g = torch.Generator().manual_seed({job.seed})\n"
        f"q = torch.randn(1, {h_q}, {n_q}, {d}, generator=g).to(torch.{dtype})\n"
        f"k = torch.randn(1, {h_kv}, {n_kv}, {d}, generator=g).to(torch.{dtype})\n"
        f"v = torch.randn(1, {h_kv}, {n_kv}, {d}, generator=g).to(torch.{dtype})\n"
        "inputs = q.nbytes + k.nbytes + v.nbytes\n"
        f"{shared if h_q != h_kv else ''}"
        f"visible = torch.ones({n_q}, {n_kv}, dtype=torch.bool){seen}\n\n"
        "def three_kernels(q, k, v):\n"
        "    s = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(~visible, float('-inf'))  # written, then read\n"
        f"    p = s.softmax(-1){blind}  # written, then read\n"
        "    return p @ v, s\n\n"
        "plain, s = three_kernels(q, k, v)\n"
        f"fused = F.scaled_dot_product_attention(q, k, v, attn_mask=visible){blind}  # holds a tile of s at a time\n"
        "exact, _ = three_kernels(*(x.double() for x in (q, k, v)))\n"
        "lse_bytes = 4 * s[..., 0].numel()\n"
        "one = inputs + fused.nbytes + lse_bytes\n"
        "three = one + 4 * s.nbytes\n"
        'print(f"bytes moved: {three:,} by three kernels, {one:,} by one")\n'
        "errors = [float((x - exact).abs().max()) for x in (plain, fused)]\n"
        'print("largest error: {:.1e} with S and P in memory, {:.1e} fused".format(*errors))\n'
    )
