"""Writes the lines of PyTorch that reproduce a run of the demo `scaling`."""

from __future__ import annotations

from kernels.demos.scaling_figures import PAIRS
from kernels.job import Job


def snippet(job: Job) -> str:
    """Python that ends with `variance` (of q · k) and `table` {divisor: (entropy, largest weight, |J|)}."""
    d_k, n_kv, queries = job.whole("d_k", "n_kv", "queries")
    inputs = job.word("inputs")
    pair = "rand(2, pairs)" if inputs == "uniform" else "torch.randn(2, pairs, generator=g)"
    drawn = "rand({}, 1024)" if inputs == "uniform" else "torch.randn({}, 1024, generator=g)"
    lines = ["import torch", ""]
    if inputs == "uniform":
        lines += [
            "def rand(*shape):",
            "    return (2 * torch.rand(*shape, generator=g) - 1) * 3**0.5  # variance 1",
            "",
        ]
    lines += [
        f"d_k, n_kv, queries, pairs = {d_k}, {n_kv}, {queries}, {PAIRS}",
        f"g = torch.Generator().manual_seed({job.seed})",
        "dots = torch.zeros(pairs)",
        "for _ in range(d_k):  # one product after another",
        f"    x, y = {pair}",
        f"    dots += {'(0.5 * y + 0.75**0.5 * x)' if inputs == 'aligned' else 'x'} * y",
        "mean, variance = float(dots.double().mean()), float(dots.double().var())",
        "",
        f"g = torch.Generator().manual_seed({job.seed})",
        f"q = {drawn.format('queries')}.double()",
        f"k = {drawn.format('n_kv')}.double()",
    ]
    if inputs == "aligned":
        lines.append(
            "q = 0.5 * k[torch.arange(queries) % n_kv] + 0.75**0.5 * q  # each leans towards one key"
        )
    lines += [
        "scores = q[:, :d_k] @ k[:, :d_k].T",
        "table = {}",
        'for name, divisor in (("nothing", 1), ("sqrt(d_k)", d_k**0.5), ("d_k", d_k)):',
        "    p = (scores / divisor).softmax(-1)",
        "    entropy = torch.special.entr(p).sum(-1).mean()",
        "    square = p.square().sum(-1)",
        "    size = (square - 2 * p.pow(3).sum(-1) + square**2).clamp_min(0).sqrt()  # |J|",
        "    table[name] = tuple(float(t) for t in (entropy, p.amax(-1).median(), size.median()))",
        "print(mean, variance, table)",
    ]
    return "\n".join(lines) + "\n"
