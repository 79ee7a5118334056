"""Writes the few lines of PyTorch that reproduce a run of the demo `online-softmax`."""

from __future__ import annotations

from kernels.job import Job

_SCORES = {
    "random": "",
    "rising": "k[:, 0] = torch.linspace(-8, 8, n)\n",
    "falling": "k[:, 0] = torch.linspace(8, -8, n)\n",
    "spike": "k[n // 2, 0] = 200\n",
    "equal": "k[:, 0] = 0\n",
}


def snippet(job: Job, row: int) -> str:
    """Python that ends with m, ell, acc and lse of the watched row, equal to the player's last frame."""
    n, d, block = job.whole("n_kv", "d", "block")
    made = _SCORES[job.word("scores")]
    dtype = {"fp32": "float32", "fp16": "float16"}[job.word("dtype")]
    alone = (
        f"q = torch.zeros(n, d, dtype=torch.{dtype})\nq[:, 0] = d**0.5  # a score is k's first coordinate\n"
    )
    seen = f"[: {row} + 1]" if job.flag("causal") else ""
    return (
        "import torch\n\n"
        f"n, d, block = {n}, {d}, {block}\n"
        f"g = torch.Generator().manual_seed({job.seed})\n"
        f"q, k, v = (torch.randn(n, d, generator=g).to(torch.{dtype}) for _ in range(3))\n"
        f"{alone + made if made else ''}"
        f"s = (k.float() @ q[{row}].float() / d**0.5){seen}\n\n"
        'm, ell, acc = torch.tensor(float("-inf")), torch.tensor(0.0), torch.zeros(d)\n'
        "for tile, values in zip(s.split(block), v[: len(s)].split(block)):\n"
        "    m_new = torch.maximum(m, tile.max())\n"
        "    alpha, p = torch.exp(m - m_new), torch.exp(tile - m_new)\n"
        "    ell = alpha * ell + p.sum()\n"
        f"    acc = alpha * acc + p.to(torch.{dtype}).float() @ values.float()\n"
        "    m = m_new\n"
        "lse, out = m + ell.log(), acc / ell\n"
        'print(f"m = {m:.4g}, l = {ell:.4g}, log-sum-exp = {lse:.6g}")\n'
        "whole = torch.softmax(s, -1) @ v[: len(s)].float()\n"
        'print(f"from one softmax over all of it: {(out - whole).abs().max():.1e}")\n'
    )
