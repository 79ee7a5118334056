"""The demo `gradients`: the backward pass by hand against autograd, and which inputs an output's gradient reaches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from kernels import jacobian, show
from kernels.attention import Rules, Steps, steps
from kernels.backward import Backward, backward
from kernels.job import Job
from kernels.linked import linked
from kernels.masks import causal_mask
from kernels.numerics import DTYPES, max_error
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Matrix, Row
from kernels.words import counted

D_MODEL = 16


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: backward, match, dq, dk, dv, jacobian, delta, delta-same, rows-of-ds, reach, by-token, future, code.
    With one token there is no future, and with the mask off the check says that it is seen."""
    s = _setting(job)
    trace = s.attend(*(s.x @ w for w in s.projections))
    q, k, v = (s.x @ w for w in s.projections)
    by_hand = backward(q, k, v, trace.weights, trace.out, s.d_out, s.rules.scale)
    auto = _autograd(s)
    reach = _reach(s)
    return (
        _backward(s, trace, by_hand),
        *_match(s, by_hand, auto),
        _jacobian(trace, by_hand),
        *_delta(trace, by_hand),
        _rows_of_ds(by_hand),
        _reach_block(s, reach),
        _by_token(job, s, trace, reach),
        *_future(job, reach),
        show.code(_snippet(job)),
    )


@dataclass(frozen=True)
class Setting:
    """Tokens x [n, D_MODEL], projections [D_MODEL, d_k], the gradient d_out [n, d_k] of the output; float64."""

    x: Tensor
    projections: tuple[Tensor, Tensor, Tensor]
    d_out: Tensor
    rules: Rules

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Steps:
        return Steps(*(t[0] for t in steps(q[None], k[None], v[None], self.rules)))

    def out(self, x: Tensor) -> Tensor:
        """The output [n, d_k] as a function of the tokens."""
        return self.attend(*(x @ w for w in self.projections)).out


def _setting(job: Job) -> Setting:
    n, d_k = job.whole("n", "d_k")
    shapes = (n, D_MODEL), *((D_MODEL, d_k),) * 3, (n, d_k)
    x, w_q, w_k, w_v, d_out = draw_inputs(job.seed, *shapes, dtype=DTYPES["fp64"], device=job.device)
    visible = causal_mask(n, n, device=job.device) if job.flag("causal") else None
    spread = math.sqrt(D_MODEL)  # so that queries, keys and values have variance 1
    return Setting(x, (w_q / spread, w_k / spread, w_v / spread), d_out, Rules(1 / math.sqrt(d_k), visible))


def _autograd(s: Setting) -> tuple[Tensor, ...]:
    """dQ, dK, dV and dX as PyTorch finds them."""
    x = s.x.clone().requires_grad_()
    q, k, v = (x @ w for w in s.projections)
    out = s.attend(q, k, v).out
    return torch.autograd.grad(out, (q, k, v, x), s.d_out)


def _reach(s: Setting) -> Tensor:
    """The Jacobian of every output in every token, [n, d_k, n, D_MODEL]."""
    found: Tensor = torch.autograd.functional.jacobian(s.out, s.x, vectorize=True)  # type: ignore[no-untyped-call]
    return found


def _backward(s: Setting, trace: Steps, b: Backward) -> Block:
    stages = {
        "P": trace.weights,
        "dP = dO Vᵀ": b.dp,
        "dP − D": b.dp - b.delta[:, None],
        "dS = P ∘ (dP − D)": b.ds,
    }
    return Block(
        "backward",
        _matrix(s, stages),
        title="From the weights back to the scores",
        look_for="Each row of dS sums to 0: adding a constant to all its scores would change nothing.",
        role="score",
        alt=f"{len(s.x)} x {len(s.x)} matrices: weights, their gradient, the same less D, and the scores' gradient.",
    )


def _matrix(s: Setting, stages: Mapping[str, Tensor]) -> Matrix:
    labels = [[f"{side}{i}" for i in range(len(s.x))] for side in "ox"]
    return linked(stages, *labels, visible=s.rules.visible)


def _match(s: Setting, b: Backward, auto: tuple[Tensor, ...]) -> list[Block]:
    """By hand against autograd. dX leaves through the three projections: the sum of what each sends back."""
    d_x = sum(
        (d @ w.mT for d, w in zip((b.dq, b.dk, b.dv), s.projections, strict=True)), torch.zeros_like(s.x)
    )
    named = dict(zip(("dQ", "dK", "dV", "dX"), zip((b.dq, b.dk, b.dv, d_x), auto, strict=True), strict=True))
    ways = ("dS K / sqrt(d_k)", "dSᵀ Q / sqrt(d_k)", "Pᵀ dO", "dQ W_Qᵀ + dK W_Kᵀ + dV W_Vᵀ")
    rows: list[Row] = [
        {"gradient": name, "way": way, "norm": float(found.norm()), "error": max_error(by_hand, found)}
        for (name, (by_hand, found)), way in zip(named.items(), ways, strict=True)
    ]
    cols = {
        "gradient": "Gradient",
        "way": "By hand",
        "norm": "Norm",
        "error": "Largest difference from autograd",
    }
    checks = [
        show.check(name.lower(), f"{name} by hand is autograd's, up to rounding in float64.",
                   max_error(by_hand, found), "=", 0.0, _rounding(s, found))
        for name, (by_hand, found) in named.items()
        if name != "dX"
    ]  # fmt: skip
    look_for = (
        "Each gradient is a product or two; that of the tokens adds up what the three projections send back."
    )
    return [show.table("match", cols, rows, title="Against autograd", look_for=look_for), *checks]


def _rounding(s: Setting, found: Tensor) -> float:
    """Far more than a few hundred additions lose in float64, far less than any mistake makes."""
    return 1e-12 * (1 + float(found.abs().max()) + float(s.d_out.abs().max()))


def _jacobian(trace: Steps, b: Backward) -> Block:
    """Row by row with the matrix itself, which is what the formula for dS spares."""
    p = trace.weights
    matrices = torch.diag_embed(p) - p[:, :, None] * p[:, None, :]
    differs = max_error(b.ds, (matrices @ b.dp[..., None])[..., 0])
    differs = max(differs, max_error(b.ds, jacobian.through(p, b.dp)))
    claim = "Each row of dS is the softmax's Jacobian diag(p) - ppᵀ times the row of dP."
    return show.check("jacobian", claim, differs, "=", 0.0, 1e-12 * (1 + float(b.dp.abs().max())))


def _delta(trace: Steps, b: Backward) -> list[Block]:
    """D in both ways: FlashAttention takes the second, which needs no weights."""
    n, d_k = trace.out.shape
    of_weights = (b.dp * trace.weights).sum(dim=-1)
    pairs = zip(of_weights.tolist(), b.delta.tolist(), strict=True)
    rows: list[Row] = [{"row": f"o{i}", "weights": w, "output": o} for i, (w, o) in enumerate(pairs)]
    cols = {
        "row": "Row",
        "weights": f"Sum of dP ∘ P ({counted(n, 'number')})",
        "output": f"Sum of dO ∘ O ({counted(d_k, 'number')})",
    }
    look_for = "The forward keeps O and the log-sum-exp; the backward starts with D from O, before it has any weights."
    table = show.table("delta", cols, rows, title="D, what each row takes off", look_for=look_for)
    claim = "The row sums of dP ∘ P and of dO ∘ O are the same numbers."
    error = max_error(of_weights, b.delta)
    return [table, show.check("delta-same", claim, error, "=", 0.0, 1e-12 * (1 + float(b.dp.abs().max())))]


def _rows_of_ds(b: Backward) -> Block:
    worst = float(b.ds.sum(dim=-1).abs().max())
    claim = "Every row of dS sums to 0, as softmax ignores what is added to all scores of a row."
    return show.check("rows-of-ds", claim, worst, "=", 0.0, 1e-12 * (1 + float(b.dp.abs().max())))


def _reach_block(s: Setting, reach: Tensor) -> Block:
    n = len(s.x)
    causal = s.rules.visible is not None
    look_for = "Without a mask every output has a gradient to every token."
    if causal:
        look_for = (
            "Nothing above the diagonal: an output has a gradient to itself and to earlier tokens alone."
        )
    return Block(
        "reach",
        _matrix(s, {"|∂o_i / ∂x_j|": reach.norm(dim=(1, 3))}),
        title="Which token moves which output",
        look_for=look_for,
        role="score",
        alt=f"Norms of {n} x {n} Jacobians, outputs in rows, tokens in columns.",
    )


def _by_token(job: Job, s: Setting, trace: Steps, reach: Tensor) -> Block:
    """The two roads: a token's value, weighted by p, and the scores that its query and key move."""
    (token,) = job.whole("token")
    values = trace.weights[token][:, None, None] * s.projections[2].mT  # [n, d_k, D_MODEL]
    whole = reach[token].movedim(1, 0)
    lines = {"in all": whole, "through v": values, "through q and k": whole - values}
    norms = {label: part.norm(dim=(1, 2)).tolist() for label, part in lines.items()}
    at = max(range(len(s.x)), key=norms["in all"].__getitem__)
    return show.curves(
        "by-token",
        range(len(s.x)),
        norms,
        title=f"Gradient of output {token} to each token",
        x_label="token",
        unit="norm",
        look_for=f"Token {at} has the most. A weight of 0 stops both roads: p · W_V, and p ∘ (dP − D) to the scores.",
        alt=f"Norm of the derivative of output {token} in {counted(len(s.x), 'token')}: in all, and by its way.",
    )


def _future(job: Job, reach: Tensor) -> list[Block]:
    n = reach.size(0)
    if n == 1:
        return []
    norms = reach.norm(dim=(1, 3))
    later = norms[torch.ones_like(norms, dtype=torch.bool).triu(1)]
    if job.flag("causal"):
        claim = "No output has a gradient to a later token: all are exactly 0."
        return [show.check("future", claim, float(later.max()), "=", 0.0)]
    claim = "Without a mask every output has a gradient to every later token."
    return [show.check("future", claim, float(later.min()), ">", 0.0)]


def _snippet(job: Job) -> str:
    n, d_k, token = job.whole("n", "d_k", "token")
    mask = ""
    if job.flag("causal"):
        mask = f"\n    s = s.masked_fill(torch.ones({n}, {n}, dtype=torch.bool).triu(1), -torch.inf)"
    return f"""import torch

g = torch.Generator().manual_seed({job.seed})
shapes = ({n}, {D_MODEL}), *(({D_MODEL}, {d_k}),) * 3, ({n}, {d_k})
x, *projections, dO = (torch.randn(shape, generator=g).double() for shape in shapes)

def attend(q, k, v):
    s = q @ k.T * {d_k}**-0.5{mask}
    p = s.softmax(-1)
    return p, p @ v

q, k, v = ((x @ w / {math.isqrt(D_MODEL)}).requires_grad_() for w in projections)
p, o = attend(q, k, v)
dV = p.T @ dO
dP = dO @ v.T
D = (dO * o).sum(-1, keepdim=True)  # = (dP * p).sum(-1, keepdim=True), without the weights
dS = p * (dP - D)
dQ, dK = dS @ k * {d_k}**-0.5, dS.T @ q * {d_k}**-0.5
autograd = torch.autograd.grad(o, (q, k, v), dO)
error = [(a - b).abs().max().item() for a, b in zip((dQ, dK, dV), autograd)]

def output(x):
    return attend(*(x @ w / {math.isqrt(D_MODEL)} for w in projections))[1]

J = torch.autograd.functional.jacobian(output, x)
reach = J.norm(dim=(1, 3))
print(error, reach[{token}])
"""
