"""The demo `rope`: the score of a query and a key that are turned by their positions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from kernels import show
from kernels.demos.rope_layouts import layouts
from kernels.job import Job
from kernels.linked import linked
from kernels.numerics import DTYPES, max_error
from kernels.numerics import draw as draw_inputs
from kernels.result import Block, Row
from kernels.rope import frequencies, rotate

PLACES = 10  # positions of the matrix
DISTANCES = 256
SHIFTS = 2048
PAIRS_SHOWN = 16
TRAINED = 4096  # positions of the example that interpolation stretches


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: scores, relative, distance-matters, everywhere, diagonals, by-distance, length-kept, pairs,
    pairs-add-up, layouts, layouts-same, wavelengths, positions-held, stretch and stretch-check (factor above 1),
    code."""
    s = _setting(job)
    m, n = job.whole("m", "n")
    return (
        *_scores(job, s),
        *_everywhere(s),
        _by_distance(s),
        _length_kept(job, s),
        *_pairs(job, s),
        *layouts(s.q, s.k, (m / s.factor, n / s.factor), s.base, s.rounding(max(m, n))),
        _wavelengths(s),
        _positions_held(job, s),
        *_stretch(s),
        show.code(_snippet(job)),
    )


@dataclass(frozen=True)
class Setting:
    """One query and one key [d] in float64, to be put at any positions."""

    q: Tensor
    k: Tensor
    base: float
    factor: int

    def turned(self, x: Tensor, positions: Sequence[float] | Tensor) -> Tensor:
        """x at each position, [positions, d]."""
        at = torch.as_tensor(positions, dtype=torch.float64) / self.factor
        return rotate(x.expand(len(at), -1), at, self.base)

    def score(self, m: float, n: float) -> float:
        return float(self.turned(self.q, [m]) @ self.turned(self.k, [n]).mT)

    def rounding(self, farthest: int) -> float:
        """How far rounding moves a score: an angle of `farthest` radians is off by half a step of float64."""
        return (
            4
            * torch.finfo(torch.float64).eps
            * (farthest + len(self.q))
            * float(self.q.norm() * self.k.norm())
        )


def _setting(job: Job) -> Setting:
    d, base, factor = job.whole("d", "base", "factor")
    q, k = draw_inputs(job.seed, (d,), (d,), dtype=DTYPES["fp64"], device="cpu")
    return Setting(q, k, base, factor)


def _scores(job: Job, s: Setting) -> list[Block]:
    m, n, shift = job.whole("m", "n", "shift")
    places = ((m, n), (m + shift, n + shift), (m, n + 1))
    here, moved, other = (s.score(*place) for place in places)
    rows: list[Row] = [
        {"query": a, "key": b, "distance": a - b, "score": score}
        for (a, b), score in zip(places, (here, moved, other), strict=True)
    ]
    rows.append({"query": None, "key": None, "distance": None, "score": float(s.q @ s.k)})
    cols = {"query": "Query at", "key": "Key at", "distance": "Distance", "score": "Score"}
    look_for = f"Both moved by {shift:,}: the same score. The key moved by one: another. The last row has no positions."
    farthest = max(m, n) + shift
    return [
        show.table("scores", cols, rows, title="One query, one key, three places", look_for=look_for),
        show.check("relative", f"The score at {m:,} and {n:,} is that at {m + shift:,} and {n + shift:,}.",
                   moved, "=", here, s.rounding(farthest)),
        show.check("distance-matters", f"That at {m:,} and {n + 1:,} is another one.",
                   abs(other - here), ">", s.rounding(farthest)),
    ]  # fmt: skip


def _everywhere(s: Setting) -> list[Block]:
    """The same query and the same key at every position: all that differs is where they stand."""
    scores = s.turned(s.q, range(PLACES)) @ s.turned(s.k, range(PLACES)).mT
    plain = (s.q @ s.k).expand(PLACES, PLACES)
    labels = [str(i) for i in range(PLACES)]
    data = linked({"without positions": plain, "with RoPE": scores}, labels, labels)
    matrix = Block(
        "everywhere",
        data,
        title="The same query and key at every position",
        look_for="Constant along each diagonal: a score knows how far apart the two stand, and not where.",
        role="score",
        alt=f"{PLACES} x {PLACES} scores, queries' positions in rows and keys' in columns.",
    )
    lines = (scores.diagonal(offset) for offset in range(1 - PLACES, PLACES))
    spread = max(float(line.max() - line.min()) for line in lines)
    claim = "No diagonal of the matrix holds two different scores."
    return [matrix, show.check("diagonals", claim, spread, "=", 0.0, s.rounding(PLACES))]


def _by_distance(s: Setting) -> Block:
    distances = range(DISTANCES + 1)
    q, k = s.turned(s.q, distances), s.turned(s.k, [0])[0]
    itself = q @ s.q
    lines = {"q with k": (q @ k).tolist(), "q with itself": itself.tolist()}
    if s.factor > 1:
        undivided = replace(s, factor=1)
        lines["q with itself, positions not divided"] = (undivided.turned(s.q, distances) @ s.q).tolist()
    return show.curves(
        "by-distance",
        distances,
        lines,
        title="Score by distance",
        x_label="distance",
        unit="q · k, undivided",
        look_for=f"q with itself is largest at distance 0, its squared length {float(itself[0]):.4g}: "
        "there alone do all pairs point the same way.",
        alt=f"Scores of a turned query with a fixed key at distances 0 to {DISTANCES}.",
    )


def _length_kept(job: Job, s: Setting) -> Block:
    farthest = max(job.whole("m", "n", "shift"))
    lengths = s.turned(s.q, torch.linspace(0, farthest, 1000, dtype=torch.float64)).norm(dim=-1)
    change = max_error(lengths, s.q.norm().expand(1000))
    claim = f"Turning changes no length: |q| at 1,000 positions up to {farthest:,}."
    return show.check("length-kept", claim, change, "=", 0.0, 1e-14 * float(s.q.norm()))


def _pairs(job: Job, s: Setting) -> list[Block]:
    """What each pair adds: |q_i| |k_i| times the cosine of the angle between them at this distance."""
    m, n = job.whole("m", "n")
    theta = frequencies(len(s.q), s.base)
    products = torch.view_as_complex(s.q.view(-1, 2)) * torch.view_as_complex(s.k.view(-1, 2)).conj()
    parts = (products * torch.polar(torch.ones_like(theta), theta * (m - n) / s.factor)).real
    rows = [
        {
            "pair": i + 1,
            "theta": float(theta[i]) / s.factor,
            "wavelength": 2 * math.pi * s.factor / float(theta[i]),
            "turned": float(theta[i]) * (m - n) / s.factor,
            "before": float(products[i].real),
            "part": float(parts[i]),
        }
        for i in range(min(len(theta), PAIRS_SHOWN))
    ]
    cols = {
        "pair": "Pair",
        "theta": ("Speed", "rad a token"),
        "wavelength": ("Full turn after", "tokens"),
        "turned": (f"Turned at distance {m - n:,}", "rad"),
        "before": "Part of q · k unturned",
        "part": "Part of the score",
    }
    shown = "" if len(rows) == len(theta) else f", the first {PAIRS_SHOWN} of {len(theta)}"
    title = f"Pair by pair{shown}"
    look_for = "Fast pairs come first: they tell near positions apart, and slow ones far ones."
    claim = "The parts of all pairs add up to the score."
    total, score = float(parts.sum()), s.score(m, n)
    return [
        show.table("pairs", cols, rows, title=title, look_for=look_for),
        show.check("pairs-add-up", claim, total, "=", score, s.rounding(max(m, n))),
    ]


def _wavelengths(s: Setting) -> Block:
    turns = (2 * math.pi * s.factor / frequencies(len(s.q), s.base)).tolist()
    return show.curves(
        "wavelengths",
        range(1, len(turns) + 1),
        {"full turn": turns},
        title="How far each pair counts before it repeats",
        x_label="pair",
        unit="tokens",
        log=True,
        look_for=f"From {turns[0]:,.1f} tokens in the first pair to {turns[-1]:,.1f} in the last.",
        alt="Tokens until a pair has turned once, against the pair's number.",
    )


def _positions_held(job: Job, s: Setting) -> Block:
    """Positions are whole numbers, and a narrow float does not hold them all: bf16 up to 256, fp16 up to 2,048."""
    m, n = job.whole("m", "n")
    offsets = torch.arange(SHIFTS + 1)
    rows: list[Row] = []
    errors: dict[str, float] = {}
    for name in ("fp32", "fp16", "bf16"):
        query, key = ((offsets + place).to(DTYPES[name]).double() for place in (m, n))
        exact = (query == offsets + m) & (key == offsets + n)
        scores = (s.turned(s.q, query) * s.turned(s.k, key)).sum(dim=-1)
        worst = max_error(scores, torch.full_like(scores, s.score(m, n)))
        errors[name] = worst
        rows.append({"dtype": name, "held": 100 * float(exact.double().mean()), "error": worst})
    cols = {
        "dtype": "Positions held in",
        "held": ("Held exactly", "%"),
        "error": "Largest error of the score",
    }
    if errors["bf16"] > s.rounding(max(m, n) + SHIFTS):
        look_for = (
            "A rounded position turns by a wrong angle: keep positions in fp32, whatever the model's type."
        )
    elif m == n:
        look_for = (
            "With m = n both positions are rounded to one number: the distance stays 0, and the score right."
        )
    else:
        look_for = "Here rounded positions move the score by no more than rounding does."
    if any(map(math.isnan, errors.values())):
        look_for += " fp16 ends at 65,504: beyond it a position is infinite and its score NaN."
    title = f"Moved by 0 to {SHIFTS:,}, with rounded positions"
    return show.table("positions-held", cols, rows, title=title, look_for=look_for)


def _stretch(s: Setting) -> list[Block]:
    """Interpolation for a text `factor` times as long as those of the training."""
    if s.factor == 1:
        return []
    theta, longer = frequencies(len(s.q), s.base), TRAINED * s.factor
    new = int((theta * TRAINED < 2 * math.pi).sum())  # pairs that training never saw go all round
    rows: list[Row] = [
        {"how": how, "tokens": tokens, "angle": float(theta[-1]) * last, "new": unseen, "scores": tokens**2}
        for how, tokens, last, unseen in (
            ("as trained", TRAINED, TRAINED, 0),
            ("longer, as they are", longer, longer, new),
            (f"longer, divided by {s.factor}", longer, longer / s.factor, 0),
        )
    ]
    cols = {
        "how": "Positions",
        "tokens": ("Text", "tokens"),
        "angle": ("Slowest pair turns up to", "rad"),
        "new": "Pairs that meet new angles",
        "scores": "Scores of a head, unmasked",
    }
    look_for = (
        "Divided, no pair meets an angle that training had not; the longer text still takes all its scores."
    )
    title = f"Trained to {TRAINED:,} tokens, asked for {longer:,}"
    near, far = s.score(s.factor * 5, 0), replace(s, factor=1).score(5, 0)
    claim = f"Divided by {s.factor}, {5 * s.factor} tokens apart score as 5 did in training."
    return [
        show.table("stretch", cols, rows, title=title, look_for=look_for),
        show.check("stretch-check", claim, near, "=", far, s.rounding(5 * s.factor)),
    ]


def _snippet(job: Job) -> str:
    d, m, n, shift, base, factor = job.whole("d", "m", "n", "shift", "base", "factor")
    divided = f" / {factor}" if factor > 1 else ""
    return f"""import torch

g = torch.Generator().manual_seed({job.seed})
q, k = (torch.randn({d}, generator=g).double() for _ in range(2))
theta = {base}.0 ** (-torch.arange(0, {d}, 2).double() / {d})  # radians a token

def turn(x, position):
    pairs = torch.view_as_complex(x.view(-1, 2))
    angle = position{divided} * theta
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten()

def score(m, n):
    return float(turn(q, m) @ turn(k, n))

scores = [score({m}, {n}), score({m + shift}, {n + shift}), score({m}, {n + 1}), float(q @ k)]
print(scores)
"""
