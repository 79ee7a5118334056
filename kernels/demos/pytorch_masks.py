"""The demo `pytorch-masks`: what this version of PyTorch does with a boolean mask, with is_causal and with both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.bias import causal_lower_right, causal_upper_left

from kernels import draw, show
from kernels.attention import softmax
from kernels.job import Job
from kernels.linked import linked
from kernels.masks import causal_mask
from kernels.numerics import draw as draw_inputs
from kernels.numerics import max_error
from kernels.result import Block, Row
from kernels.words import counted

ROUNDING = 1e-5
"""What float32 may move an output that is the same in exact arithmetic."""

SDPA, INVERTED = "F.sdpa, tril", "nn.MultiheadAttention, ~tril"
WEIGHTS = "nn.MultiheadAttention, tril, need_weights=True"
TRAINING = "nn.MultiheadAttention, tril, need_weights=False"
FAST = "nn.MultiheadAttention, tril, need_weights=False, eval()"


class Layer(NamedTuple):
    """A module, and the same weights used by hand with F.scaled_dot_product_attention."""

    module: nn.MultiheadAttention

    def heads(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q, k, v [1, h, n, d_k] of tokens x [n, d_model]."""
        projected = F.linear(x, self.module.in_proj_weight, self.module.in_proj_bias)
        q, k, v = projected.reshape(1, len(x), 3, self.module.num_heads, -1).permute(2, 0, 3, 1, 4)
        return q, k, v

    def sdpa(self, x: Tensor, mask: Tensor) -> Tensor:
        """The output [n, d_model] with F.scaled_dot_product_attention."""
        out = F.scaled_dot_product_attention(*self.heads(x), mask)[0]
        merged: Tensor = self.module.out_proj(out.transpose(0, 1).flatten(1))
        return merged

    def mha(self, x: Tensor, mask: Tensor, *, need_weights: bool, train: bool = True) -> Tensor:
        """The output [n, d_model] of the module. In eval mode and without weights it may take a fast path."""
        self.module.train(train)
        batch = x[None]
        out: Tensor = self.module(batch, batch, batch, attn_mask=mask, need_weights=need_weights)[0][0]
        return out


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: sdpa-reads, mha-reads, conventions, sdpa-past, mha-future, inverted-right, weights, both, none-dropped,
    corner, top-left-v0, lower-right, code."""
    n, perturb, h, d_k = job.whole("n", "perturb", "h", "d_k")
    x, new = draw_inputs(job.seed, (n, h * d_k), (perturb, h * d_k), dtype=torch.float32, device=job.device)
    tril = causal_mask(n, n, device=job.device)
    with torch.no_grad():
        layer = Layer(_module(job, h, d_k))
        return (
            *_readings(tril),
            *_conventions(layer, x, torch.cat((x[:-perturb], new)), tril, n - perturb),
            _weights(layer, x, tril),
            *_both(layer, x),
            *_corner(job, layer, x),
            show.code(_snippet(job)),
        )


def _module(job: Job, h: int, d_k: int) -> nn.MultiheadAttention:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(job.seed)
        return nn.MultiheadAttention(h * d_k, h, batch_first=True).to(job.device)


def _readings(tril: Tensor) -> list[Block]:
    """What each of the two takes the lower triangle of True for."""
    return [
        draw.panel(
            "sdpa-reads",
            tril,
            title="F.sdpa: True may be read",
            look_for="Each token reads itself and what comes before it.",
        ),
        draw.panel(
            "mha-reads",
            ~tril,
            title="nn.MultiheadAttention: True is blocked",
            look_for="Each token reads what comes after it; the last one reads nothing.",
        ),
    ]


def _conventions(layer: Layer, x: Tensor, changed: Tensor, tril: Tensor, early: int) -> list[Block]:
    """Which rows move when the last tokens change, for each way to hand over the mask."""
    calls: Mapping[str, Callable[[Tensor], Tensor]] = {
        SDPA: lambda x: layer.sdpa(x, tril),
        WEIGHTS: lambda x: layer.mha(x, tril, need_weights=True),
        TRAINING: lambda x: layer.mha(x, tril, need_weights=False),
        FAST: lambda x: layer.mha(x, tril, need_weights=False, train=False),
        INVERTED: lambda x: layer.mha(x, ~tril, need_weights=True),
    }
    outputs = {name: call(x) for name, call in calls.items()}
    moved = {name: _moved(call(changed)[:early], outputs[name][:early]) for name, call in calls.items()}
    rows: list[Row] = [
        {
            "call": name,
            "moved": moved[name],
            "last": bool(out[-1].isnan().any()),
            "error": max_error(out, outputs[SDPA]),
        }
        for name, out in outputs.items()
    ]
    cols = {
        "call": "Call",
        "moved": f"Earlier rows that moved, of {early}",
        "last": "Last row is NaN",
        "error": f"Difference from {SDPA}",
    }
    same = max_error(outputs[INVERTED], outputs[SDPA])
    return [
        show.table("conventions", cols, rows, title="One layer, one mask", look_for=_last_row(rows)),
        show.check("sdpa-past", "F.sdpa with tril: no row before the change moves.", moved[SDPA], "=", 0),
        show.check("mha-future", "nn.MultiheadAttention with the same tril: every one of them moves.",
                   moved[WEIGHTS], "=", early),
        show.check("inverted-right", "Handed the inverse, nn.MultiheadAttention gives what F.sdpa gives with tril.",
                   same, "=", 0, ROUNDING),
    ]  # fmt: skip


def _moved(after: Tensor, before: Tensor) -> int:
    """How many rows differ by more than rounding; none of them is the one that may be NaN."""
    return int(((after - before).abs().amax(dim=-1) > ROUNDING).sum())


def _last_row(rows: list[Row]) -> str:
    """Whether a row whose keys are all blocked is NaN depends on the path that a call takes."""
    nan = sum(bool(row["last"]) for row in rows)
    return (
        "nn.MultiheadAttention with tril blocks every key of the last row; of its 3 calls "
        f"{counted(nan, 'makes', 'make')} NaN of it. Which ones do depends on the version of PyTorch."
    )


def _weights(layer: Layer, x: Tensor, tril: Tensor) -> Block:
    """The mean over the heads, as nn.MultiheadAttention returns it."""
    q, k, _ = layer.heads(x)
    scores = (q @ k.mT)[0] * q.size(-1) ** -0.5
    read = softmax(scores.masked_fill(~tril, float("-inf"))).mean(dim=0)
    layer.module.train()
    other = layer.module(*[x[None]] * 3, attn_mask=tril)[1][0]
    made = {"F.sdpa": read, "nn.MultiheadAttention": other}
    labels = [[f"{side}{i}" for i in range(len(x))] for side in "qk"]
    data = linked(made, *labels, scores=scores.mean(dim=0))  # two masks, so neither hatches both stages
    look_for = "The second has its weights where the first has none."
    alt = "Weights by tril as F.sdpa reads it, then as nn.MultiheadAttention reads it."
    return Block("weights", data, "Weights by the same tril, mean of the heads", look_for, "score", alt)


def _both(layer: Layer, x: Tensor) -> list[Block]:
    """attn_mask and is_causal in one call. The mask lets each token see its neighbours on both sides."""
    q, k, v = layer.heads(x)
    n = len(x)
    causal = causal_mask(n, n, device=str(x.device))
    band = torch.ones_like(causal).triu(-1).tril(1)
    wanted = {
        name: F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        for name, mask in (("both", band & causal), ("mask", band), ("causal", causal))
    }
    rows: list[Row] = []
    for call, backend in (("default", None), ("MATH", SDPBackend.MATH)):
        out = _tried(q, k, v, band, backend)
        errors = {name: None if out is None else max_error(out, other) for name, other in wanted.items()}
        rows.append({"backend": call, "does": _does(errors), **errors})
    cols = {
        "backend": "Backend",
        "does": "attn_mask with is_causal=True",
        "both": "Difference from both masks combined",
        "mask": "from attn_mask alone",
        "causal": "from is_causal alone",
    }
    dropped = sum(str(row["does"]).startswith("drops") for row in rows)
    look_for = "PyTorch's documents promise an error for both at once: " + "; ".join(
        f"{row['backend']} {row['does']}" for row in rows
    )
    return [
        show.table("both", cols, rows, title="attn_mask and is_causal together", look_for=f"{look_for}."),
        show.check("none-dropped", "No backend silently drops one of the two masks.", dropped, "=", 0),
    ]


def _tried(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, backend: SDPBackend | None) -> Tensor | None:
    """The output, None if PyTorch raises."""
    try:
        if backend is None:
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=True)
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=True)
    except RuntimeError:
        return None


def _does(errors: Mapping[str, float | None]) -> str:
    if errors["both"] is None:
        return "raises an error"
    if errors["both"] <= ROUNDING:
        return "applies both"
    return "drops one"


def _corner(job: Job, layer: Layer, x: Tensor) -> list[Block]:
    """New queries over all keys, by each way to say causal, against the rows of the whole sequence."""
    (n_q,) = job.whole("n_q")
    q, k, v = layer.heads(x)
    n = len(x)
    wanted = F.scaled_dot_product_attention(q, k, v, is_causal=True)[:, :, n - n_q :]
    new = q[:, :, n - n_q :]
    masks = {
        "causal_upper_left": causal_upper_left(n_q, n),
        "causal_lower_right": causal_lower_right(n_q, n),
        "tril(n_kv - n_q)": causal_mask(n_q, n, device=job.device),
    }
    outputs = {"is_causal=True": F.scaled_dot_product_attention(new, k, v, is_causal=True)}
    outputs |= {way: F.scaled_dot_product_attention(new, k, v, mask) for way, mask in masks.items()}
    rows: list[Row] = [
        {"way": way, "error": max_error(out, wanted), "v0": max_error(out[:, :, 0], v[:, :, 0]) == 0}
        for way, out in outputs.items()
    ]
    cols = {"way": "Way", "error": "Error against the whole sequence", "v0": "First row is v[0]"}
    look_for = (
        "With as many queries as keys both corners give one mask."
        if n_q == n
        else "is_causal takes the upper left corner: the first new query sees key 0 alone, whatever is cached."
    )
    first = max_error(outputs["is_causal=True"][:, :, 0], v[:, :, 0])
    lower = max_error(outputs["causal_lower_right"], wanted)
    title = f"The last {counted(n_q, 'query', 'queries')} over {counted(n, 'key')}"
    return [
        show.table("corner", cols, rows, title=title, look_for=look_for),
        show.check("top-left-v0", "With is_causal the first new query returns exactly v[0].", first, "=", 0),
        show.check("lower-right", "causal_lower_right gives the rows of the whole sequence.", lower, "=", 0, ROUNDING),
    ]  # fmt: skip


def _snippet(job: Job) -> str:
    n, perturb, h, d_k = job.whole("n", "perturb", "h", "d_k")
    return f"""import torch
from torch import nn
from torch.nn import functional as F

n, changed, h, d_model = {n}, {perturb}, {h}, {h * d_k}
g = torch.Generator().manual_seed({job.seed})
x = torch.randn(n, d_model, generator=g)
y = torch.cat((x[:-changed], torch.randn(changed, d_model, generator=g)))
torch.manual_seed({job.seed})
layer = nn.MultiheadAttention(d_model, h, batch_first=True)
tril = torch.ones(n, n, dtype=torch.bool).tril()


def by_sdpa(x):
    q, k, v = F.linear(x, layer.in_proj_weight, layer.in_proj_bias).reshape(n, 3, h, -1).permute(1, 2, 0, 3)
    out = F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=tril)[0]
    return layer.out_proj(out.transpose(0, 1).flatten(1))


def moved(f):  # earlier rows that move when the last tokens change
    return int(((f(y) - f(x)).abs().amax(-1)[:-changed] > 1e-5).sum())


rows = {{
    "F.sdpa, tril": moved(by_sdpa),
    "nn.MultiheadAttention, tril": moved(lambda x: layer(x, x, x, attn_mask=tril)[0]),
    "nn.MultiheadAttention, ~tril": moved(lambda x: layer(x, x, x, attn_mask=~tril)[0]),
}}
print(rows)
"""
