"""Writes the few lines of PyTorch that reproduce a run of the demo `attention`."""

from __future__ import annotations

from kernels.job import Job

_DTYPES = {
    "fp64": "torch.float64",
    "fp32": "torch.float32",
    "fp16": "torch.float16",
    "bf16": "torch.bfloat16",
}


def snippet(job: Job) -> str:
    """Python that ends with `weights` and `out`, equal to those of the run on the same device."""
    parts = (*_inputs(job), "", *_scores(job), *_weights(job), "print(weights, out)")
    return "\n".join(("import math", "import torch", "", *parts)) + "\n"


def _inputs(job: Job) -> list[str]:
    dtype = _DTYPES[job.word("dtype")]
    if job.word("example") == "book":
        return [
            "scaled_scores = torch.tensor([[2.1, 0.8, -0.4, 1.2],",
            "                              [0.9, 2.5, 1.1, 0.3],",
            "                              [0.2, 1.8, 2.0, -0.5],",
            "                              [0.1, 0.9, 1.7, 2.2]], dtype=torch.float64)",
            f"q = (scaled_scores * math.sqrt(4))[None].to({dtype})",
            f"k = v = torch.eye(4, dtype={dtype})[None]  # so that the scores are those above",
        ]
    n_q, n_kv, d_k, h_q, h_kv = job.whole("n_q", "n_kv", "d_k", "h_q", "h_kv")
    lines = [
        f"g = torch.Generator().manual_seed({job.seed})",
        f"q = torch.randn({h_q}, {n_q}, {d_k}, generator=g).to({dtype})",
        f"k = torch.randn({h_kv}, {n_kv}, {d_k}, generator=g).to({dtype})",
        f"v = torch.randn({h_kv}, {n_kv}, {d_k}, generator=g).to({dtype})",
    ]
    if h_q != h_kv:
        lines.append(f"k, v = (x.repeat_interleave({h_q // h_kv}, dim=0) for x in (k, v))  # shared heads")
    return lines


def _scores(job: Job) -> list[str]:
    factor = {"sqrt": " * (1 / math.sqrt(q.size(-1)))", "none": "", "d_k": " * (1 / q.size(-1))"}[
        job.word("scale")
    ]
    return [f"scores = (q @ k.transpose(-2, -1)){factor}"]


def _weights(job: Job) -> list[str]:
    if not job.flag("causal"):
        return ["weights = scores.softmax(-1)", "out = weights @ v"]
    n_q, n_kv = job.whole("n_q", "n_kv")
    shift = n_kv - n_q if job.word("align") == "bottom-right" else 0
    hide = f"hide = torch.ones({n_q}, {n_kv}, dtype=torch.bool).triu({shift + 1})"
    if job.word("mask_at") == "after":
        return [hide, "weights = scores.softmax(-1).masked_fill(hide, 0.0)  # too late", "out = weights @ v"]
    lines = [hide, f'weights = scores.masked_fill(hide, float("{job.word("fill")}")).softmax(-1)']
    if shift < 0 and job.word("fill") == "-inf":
        lines.append(
            "weights = weights.masked_fill(hide.all(-1, keepdim=True), 0.0)  # rows that see nothing"
        )
    return [*lines, "out = weights @ v"]
