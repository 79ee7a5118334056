"""The demo `dropout`: what dropping attention weights does to a row, and where PyTorch drops unasked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from kernels import show
from kernels.attention import Rules, softmax
from kernels.job import Job
from kernels.linked import linked
from kernels.masks import causal_mask
from kernels.numerics import DTYPES, max_error
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Row

HEADS = 256  # so many that two calls never drop the same weights by chance
KEYS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SIGMAS = 6.0


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: weights, rows, rows-mean-one, noise-by-keys, calls, eval-ignored, guarded, after-softmax, code.

    All on the CPU, so that a seed drops the same weights everywhere.
    """
    q, k, v, rules = _inputs(job)
    scores = _scores(q[0], k[0], rules)
    weights = softmax(scores)
    p, (draws,) = float(job.params["p"]), job.whole("draws")
    with _seeded(job.seed):
        dropped = F.dropout(weights.expand(draws, -1, -1), p)
    return (
        _matrix(job, scores, weights, dropped, rules),
        *_rows(weights, dropped, p),
        _noise_by_keys(job.seed, p, draws),
        *_calls(job, q, k, v),
        _after_softmax(job, q, k, v, rules),
        show.code(_snippet(job)),
    )


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Dropout draws from PyTorch's global generator, which is left afterwards as it was."""
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        yield


def _inputs(job: Job) -> tuple[Tensor, Tensor, Tensor, Rules]:
    """q, k, v [HEADS, n, d_k]; the first head is the one that is drawn."""
    n, d_k = job.whole("n", "d_k")
    q, k, v = draw_inputs(job.seed, *((HEADS, n, d_k),) * 3, dtype=DTYPES["fp32"], device="cpu")
    return q, k, v, Rules(1 / math.sqrt(d_k), causal_mask(n, n) if job.flag("causal") else None)


def _scores(q: Tensor, k: Tensor, rules: Rules) -> Tensor:
    scores = q @ k.mT * rules.scale
    return scores if rules.visible is None else scores.masked_fill(~rules.visible, -math.inf)


def _matrix(job: Job, scores: Tensor, weights: Tensor, dropped: Tensor, rules: Rules) -> Block:
    n, _ = weights.shape
    stages = {
        "softmax": weights,
        f"mean of {len(dropped):,} draws": dropped.mean(dim=0),
        "one draw": dropped[0],
    }
    labels = [[f"{side}{i}" for i in range(n)] for side in "qk"]
    data = linked(stages, *labels, scores=scores, visible=rules.visible)
    kept = int((dropped[0] > 0).sum())
    scale = 1 / (1 - float(job.params["p"]))
    return Block(
        "weights",
        data,
        title="One head's weights",
        look_for=f"This draw left {kept} of {int((weights > 0).sum())} weights, each {scale:.3g} times as large.",
        role="score",
        alt=f"{n} x {n} weights after the softmax, on average over all draws, and in one draw.",
    )


def _rows(weights: Tensor, dropped: Tensor, p: float) -> list[Block]:
    """Row sums: kept weights count 1 / (1 - p), so the mean is 1 and the variance p / (1 - p) · Σ w²."""
    sums = dropped.double().sum(dim=-1)
    spread = (p / (1 - p) * weights.double().square().sum(dim=-1)).sqrt()
    rows: list[Row] = [
        {
            "row": f"q{i}",
            "keys": int((weights[i] > 0).sum()),
            "sum": float(sums[0, i]),
            "mean": float(sums[:, i].mean()),
            "spread": float(sums[:, i].std()),
            "formula": float(spread[i]),
        }
        for i in range(len(weights))
    ]
    cols = {
        "row": "Query",
        "keys": "Keys",
        "sum": "Sum in one draw",
        "mean": f"Mean of {len(dropped):,} draws",
        "spread": "Standard deviation",
        "formula": "sqrt(p / (1 - p) · Σ w²)",
    }
    low, high = float(sums.min()), float(sums.max())
    look_for = f"Over all draws, sums from {low:.2f} to {high:.2f} occurred; nothing brings a row back to 1."
    off = ((sums.mean(dim=0) - 1).abs() / spread * math.sqrt(len(sums))).max()
    claim = f"On average every row sums to 1: no mean is off by more than {SIGMAS:g} standard errors."
    return [
        show.table("rows", cols, rows, title="Row sums in training", look_for=look_for),
        show.check("rows-mean-one", claim, float(off), "<=", SIGMAS),
    ]


def _noise_by_keys(seed: int, p: float, draws: int) -> Block:
    with _seeded(seed):
        measured = [float((F.dropout(torch.ones(draws, n), p) / n).sum(dim=-1).std()) for n in KEYS]
    formula = [math.sqrt(p / (1 - p) / n) for n in KEYS]
    return show.curves(
        "noise-by-keys",
        KEYS,
        {"measured": measured, "sqrt(p / (1 - p) / n)": formula},
        title="How far a row's sum strays",
        x_label="keys with equal weights",
        unit="standard deviation of the sum",
        log=True,
        look_for=f"From {measured[0]:.2g} with one key to {measured[-1]:.2g} with {KEYS[-1]}: "
        "the noise falls with the root of the keys.",
        alt="Standard deviation of a row's sum under dropout against its number of keys, measured and by the formula.",
    )


class Attention(nn.Module):
    """SDPA as it is often called: `guarded` hands on dropout only in training, as nn.Dropout does by itself."""

    def __init__(self, p: float, *, guarded: bool) -> None:
        super().__init__()
        self.p, self.guarded = p, guarded

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        p = self.p if self.training or not self.guarded else 0.0
        return F.scaled_dot_product_attention(q, k, v, dropout_p=p)


def _calls(job: Job, q: Tensor, k: Tensor, v: Tensor) -> list[Block]:
    """The same call twice, in training and after eval()."""
    p = float(job.params["p"])
    ways = {"p": False, "p if self.training else 0": True}
    rows: list[Row] = []
    after_eval: dict[bool, float] = {}
    with _seeded(job.seed):
        for way, guarded in ways.items():
            module = Attention(p, guarded=guarded)
            for training in (True, False):
                module.train(training)
                differ = max_error(module(q, k, v), module(q, k, v))
                rows.append({"way": way, "mode": "train()" if training else "eval()", "differ": differ})
            after_eval[guarded] = differ
    cols = {
        "way": "dropout_p =",
        "mode": "Module in",
        "differ": "Two calls differ by",
    }
    look_for = "A function has no mode: after eval(), only the second module gives one answer."
    claim = "dropout_p drops whatever module.eval() says: two calls after eval() differ."
    right = "Passed only in training, two calls after eval() are the same."
    return [
        show.table(
            "calls", cols, rows, title=f"F.scaled_dot_product_attention twice, p = {p:g}", look_for=look_for
        ),
        show.check("eval-ignored", claim, after_eval[False], ">", 0.0),
        show.check("guarded", right, after_eval[True], "=", 0.0),
    ]


def _after_softmax(job: Job, q: Tensor, k: Tensor, v: Tensor, rules: Rules) -> Block:
    p = float(job.params["p"])
    with _seeded(job.seed), sdpa_kernel(SDPBackend.MATH):
        fused = F.scaled_dot_product_attention(q, k, v, attn_mask=rules.visible, dropout_p=p)
    with _seeded(job.seed):
        by_hand = F.dropout(softmax(_scores(q, k, rules)), p) @ v
    claim = "SDPA with dropout is dropout(softmax(scores)) v: it drops weights, and not scores or values."
    tol = 1e-5 * float(v.abs().max()) / (1 - p)
    return show.check("after-softmax", claim, max_error(fused, by_hand), "=", 0.0, tol)


def _snippet(job: Job) -> str:
    n, d_k, draws = job.whole("n", "d_k", "draws")
    mask = ""
    if job.flag("causal"):
        mask = f"\nscores = scores.masked_fill(torch.ones({n}, {n}, dtype=torch.bool).triu(1), -torch.inf)"
    return f"""import torch
from torch.nn import functional as F

g = torch.Generator().manual_seed({job.seed})
q, k, v = (torch.randn({HEADS}, {n}, {d_k}, generator=g) for _ in range(3))
scores = q[0] @ k[0].T * {d_k}**-0.5{mask}
weights = scores.softmax(-1)
torch.manual_seed({job.seed})  # dropout draws from the global generator
dropped = F.dropout(weights.expand({draws}, -1, -1), {job.params["p"]})
sums = dropped.sum(-1)
print(sums[0], sums.mean(0))  # one draw; the mean of all

a, b = (F.scaled_dot_product_attention(q, k, v, dropout_p={job.params["p"]}) for _ in range(2))
print((a - b).abs().max())  # not 0, in whatever mode a module around it is
"""
