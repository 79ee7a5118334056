"""The demo `mixing`: a head returns a mean of values, several heads return several, and W_O mixes them."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels import show
from kernels.attention import Rules, attention
from kernels.job import Job
from kernels.linked import linked
from kernels.numerics import draw as draw_inputs
from kernels.numerics import max_error
from kernels.result import Block, Role, Row
from kernels.words import counted

LARGE = 60.0  # a score so far above the others that their weights are below any rounding


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: values, one-head, two-heads, blend, kept, outside, hull, slices, own-slice, mixed, code."""
    n, first, second = job.whole("n", "first", "second")
    share, values = float(job.params["share"]), torch.eye(n, dtype=torch.float64)
    weights = torch.zeros(1, n, dtype=torch.float64)
    weights[0, first], weights[0, second] = share, 1 - share
    one = weights @ values
    two = torch.stack([_reads(place, values) for place in (first, second)])
    return (
        _rows("values", "The values", values, "A single 1 in each: what comes out shows what was read.",
              tuple(f"v{i}" for i in range(n)), "v"),
        _rows("one-head", "One head's output", one,
              f"{share:.4g} of v{first} and {1 - share:.4g} of v{second} in one row: "
              f"{'a mean, and neither of them' if 0 < share < 1 else 'one of them alone'}.", ("head 0",)),
        _rows("two-heads", "The outputs of two heads, side by side before W_O", two,
              f"v{first} and v{second}, each as it was, in rows of their own.", ("head 0", "head 1")),
        *_between(one, two, values, (first, second), share),
        *_hull(job),
        *_slices(job),
        show.code(_snippet(job)),
    )  # fmt: skip


def _reads(place: int, values: Tensor) -> Tensor:
    """The output of a head whose query matches the key of one token alone."""
    n = len(values)
    query = torch.zeros(1, 1, n, dtype=torch.float64)
    query[..., place] = LARGE
    return attention(query, torch.eye(n, dtype=torch.float64)[None], values[None], Rules(1.0))[0, 0]


def _rows(
    block_id: str, title: str, x: Tensor, look_for: str, labels: tuple[str, ...], role: Role = ""
) -> Block:
    data = linked({"numbers": x}, labels, [f"c{j}" for j in range(x.size(1))])
    alt = f"{counted(len(x), 'row')} of {counted(x.size(1), 'number')}."
    return Block(block_id, data, title, look_for, role, alt)


def _between(one: Tensor, two: Tensor, values: Tensor, wanted: tuple[int, int], share: float) -> list[Block]:
    kept = max(max_error(two[i], values[place]) for i, place in enumerate(wanted))
    nearest = min(max_error(one[0], values[place]) for place in wanted)
    return [
        show.check("blend", "The one head is off from the nearer of the two values by what it gives to the other.",
                   nearest, "=", min(share, 1 - share), 1e-12),
        show.check("kept", "Two heads hand on both values, each in a place of its own.", kept, "=", 0, 1e-12),
    ]  # fmt: skip


def _hull(job: Job) -> list[Block]:
    """Random values: the output lies within the smallest and the largest value of each coordinate."""
    n, d = job.whole("n")[0], 16
    q, k, v = draw_inputs(job.seed, (1, n, d), (1, n, d), (1, n, d), dtype=torch.float64, device="cpu")
    out = attention(q, k, v, Rules(d**-0.5))[0]
    low, high = v[0].amin(0), v[0].amax(0)
    outside = torch.maximum(low - out, out - high).amax().clamp(min=0)
    note = (
        "Weights are not negative and sum to 1, so a head's output lies in the convex hull of the values it reads. "
        "What lies outside needs another head, W_O, or the MLP."
    )
    claim = "No coordinate of any output leaves the range of the values."
    return [show.note("hull", note), show.check("outside", claim, float(outside), "=", 0, 1e-12)]


def _slices(job: Job) -> list[Block]:
    """Which slices of the output change when one head does, under W_O = I and under a random W_O."""
    h, d = job.whole("h")[0], 4
    heads, w_o = draw_inputs(job.seed + 1, (8, h, d), (h * d, h * d), dtype=torch.float64, device="cpu")
    other = heads.clone()
    other[:, 0] += 1.0
    rows: list[Row] = []
    changed: dict[str, int] = {}
    for name, w in (("identity", torch.eye(h * d, dtype=torch.float64)), ("random", w_o)):
        before, after = heads.flatten(1) @ w, other.flatten(1) @ w
        moved = (before != after).reshape(-1, h, d).any(dim=2).any(dim=0)
        changed[name] = int(moved.sum())
        rows.append({"w_o": name, "slices": changed[name], "of": h})
    cols = {"w_o": "W_O", "slices": "Slices of the output that change", "of": "of"}
    return [
        show.table("slices", cols, rows, title="Head 0 is changed",
                   look_for="Concatenation alone keeps the heads apart; the output projection is what mixes them."),
        show.check("own-slice", "With W_O = I only the head's own slice changes.", changed["identity"], "=", 1),
        show.check("mixed", "With any usual W_O every slice changes.", changed["random"], "=", h),
    ]  # fmt: skip


def _snippet(job: Job) -> str:
    n, first, second = job.whole("n", "first", "second")
    share = float(job.params["share"])
    return f"""import torch

values = torch.eye({n}, dtype=torch.float64)  # one unit vector a token
weights = torch.zeros(1, {n}, dtype=torch.float64)
weights[0, {first}], weights[0, {second}] = {share!r}, 1 - {share!r}
one_head = weights @ values
two_heads = torch.eye({n}, dtype=torch.float64)[[{first}, {second}]] @ values  # each head reads one token
print(one_head.tolist(), two_heads.tolist())
"""
