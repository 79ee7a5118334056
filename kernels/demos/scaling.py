"""The demo `scaling`: what dividing by sqrt(d_k) does to scores, to weights and to the gradient."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from kernels import show
from kernels.demos import scaling_figures as measure
from kernels.demos.scaling_code import snippet
from kernels.demos.scaling_figures import (
    ALIGNMENT,
    BEYOND,
    DIVISORS,
    SMALL,
    VARIANCE_AT,
    WIDTHS,
    Figures,
    Shape,
    Sums,
)
from kernels.job import Job
from kernels.result import Block, Row

FEW, MANY = (16, 512), (128, 64)  # (keys, d_k): the gradient vanishes in the one case, and grows in the other


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: variance, variance-is-d (mean-is-half-d for aligned inputs), divisors, entropy-by-width, by-width,
    flatter, jacobian-by-width, jacobian, few-keys, many-keys, code."""
    d_k, n_kv = job.whole("d_k", "n_kv")
    sums = measure.sums(job)
    job.progress(0.4, "Softmax at each head size")
    q, k, upstream = measure.inputs(job)
    at_width = {d: measure.by_divisor(x, d) for d, x in measure.scores_by_width(q, k, sorted({*WIDTHS, d_k}))}
    job.progress(0.8, "Gradients")
    yours = [measure.figures(q, k, upstream, d_k, name) for name in DIVISORS]
    cases = {case: measure.case(job.seed, *case) for case in (FEW, MANY)}
    return (
        _variance(sums),
        _variance_check(job.word("inputs"), sums[d_k], d_k),
        _divisors(yours, n_kv),
        _entropy_by_width(at_width, n_kv),
        _by_width(at_width, n_kv),
        _flatter(at_width),
        _jacobian_by_width(at_width),
        _jacobian(cases, yours, n_kv, d_k),
        *_case_checks(cases),
        show.code(snippet(job)),
    )


def _variance(sums: Mapping[int, Sums]) -> Block:
    rows = [
        {
            "d_k": d,
            "mean": sums[d].mean,
            "variance": sums[d].variance,
            "per_d": sums[d].variance / d,
            "beyond": 100 * sums[d].beyond,
        }
        for d in VARIANCE_AT
    ]
    cols = {
        "d_k": "d_k",
        "mean": "Mean of q · k",
        "variance": "Variance of q · k",
        "per_d": "of q · k / sqrt(d_k)",
        "beyond": (f"Beyond ±{BEYOND:g}", "%"),
    }
    divided = [sums[d].variance / d for d in VARIANCE_AT]
    look_for = (
        f"From d_k = 2 to 256 the variance grows {sums[256].variance / sums[2].variance:.0f}-fold; "
        f"divided by the root, it is between {min(divided):.2f} and {max(divided):.2f} at all of them."
    )
    title = f"A score is a sum: {measure.PAIRS:,} pairs of q and k"
    return show.table("variance", cols, rows, title=title, look_for=look_for)


def _variance_check(inputs: str, sums: Sums, d: int) -> Block:
    """Within six standard errors. The fourth moment of a product adds up to 12 / d to the 2 of a normal sum."""
    if inputs == "aligned":
        claim = (
            "Aligned, q · k has a mean of d_k / 2, which grows faster than its standard deviation, a root."
        )
        tol = 6 * math.sqrt((1 + ALIGNMENT**2) * d / measure.PAIRS)
        return show.check("mean-is-half-d", claim, sums.mean, "=", ALIGNMENT * d, tol)
    claim = f"Independent components of variance 1: the variance of q · k is d_k = {d}."
    tol = 6 * d * math.sqrt((2 + 12 / d) / measure.PAIRS)
    return show.check("variance-is-d", claim, sums.variance, "=", d, tol)


def _divisors(yours: Sequence[Figures], n_kv: int) -> Block:
    most = math.log(n_kv)
    rows: list[Row] = [
        {
            "divisor": name,
            "variance": f.variance,
            "entropy": f.entropy,
            "share": f.entropy / most,
            "largest": f.largest,
            "jacobian": f.jacobian,
            "small": 100 * f.small,
            "to_q": f.to_q,
        }
        for name, f in zip(DIVISORS, yours, strict=True)
    ]
    cols = {
        "divisor": "Divided by",
        "variance": "Variance of scores",
        "entropy": ("Mean entropy", "nats"),
        "share": f"Of ln {n_kv}",
        "largest": "Largest weight, median",
        "jacobian": "|J|, median",
        "small": (f"|J| below {SMALL:g}", "% of rows"),
        "to_q": "|dL/dq|, median",
    }
    raw, root, _ = (f.entropy / most for f in yours)
    look_for = (
        f"The rows keep {raw:.1%} of the largest possible entropy undivided, {root:.1%} divided by the root."
    )
    return show.table("divisors", cols, rows, title="Your head size, by divisor", look_for=look_for)


def _entropy_by_width(at_width: Mapping[int, Mapping[str, Shape]], n_kv: int) -> Block:
    lines = {f"divided by {name}": [s[name].entropy for s in at_width.values()] for name in DIVISORS}
    return show.curves(
        "entropy-by-width",
        [math.log2(d) for d in at_width],  # the entropies are better read on an axis that is not logarithmic
        {**lines, f"uniform: ln {n_kv}": [math.log(n_kv)] * len(at_width)},
        title="Entropy of the weights",
        x_label="log2 d_k",
        unit="nats",
        look_for=_held_by(*lines.values()),
        alt=f"Mean entropy of a row over {n_kv} keys against the head size, for three divisors.",
    )


def _held_by(raw: Sequence[float], root: Sequence[float], by_d: Sequence[float]) -> str:
    """Which divisor keeps the entropy, in nats by head size: the root, unless queries and keys are aligned."""
    if min(root) > max(root) / 2:
        return (
            f"Divided by the root it stays between {min(root):.2f} and {max(root):.2f} nats; "
            f"undivided it goes from {raw[0]:.2f} to {raw[-1]:.2f}."
        )
    return (
        f"Divided by the root it falls from {root[0]:.2f} to {root[-1]:.2f} nats all the same: the score of a key that "
        "a query leans towards grows with d_k itself. Divided by d_k it stays between "
        f"{min(by_d):.2f} and {max(by_d):.2f}: hence the 1/d of muP."
    )


def _by_width(at_width: Mapping[int, Mapping[str, Shape]], n_kv: int) -> Block:
    short = dict(zip(DIVISORS, ("raw", "root", "by_d"), strict=True))
    rows = [
        {"d_k": d}
        | {f"share_{short[name]}": at_width[d][name].entropy / math.log(n_kv) for name in DIVISORS}
        | {f"largest_{short[name]}": at_width[d][name].largest for name in DIVISORS}
        for d in WIDTHS
    ]
    cols = {
        "d_k": "d_k",
        "share_raw": f"Entropy of ln {n_kv}: undivided",
        "share_root": "Entropy by sqrt(d_k)",
        "share_by_d": "Entropy by d_k",
        "largest_raw": "Largest weight, median: undivided",
        "largest_root": "Largest by sqrt(d_k)",
        "largest_by_d": "Largest by d_k",
    }
    shares = [at_width[64][name].entropy / math.log(n_kv) for name in DIVISORS]
    look_for = (
        "At d_k = 64 a row keeps {:.1%} of the largest entropy undivided, {:.1%} by the root, {:.1%} by d_k."
    )
    return show.table("by-width", cols, rows, title="The same in figures", look_for=look_for.format(*shares))


def _flatter(at_width: Mapping[int, Mapping[str, Shape]]) -> Block:
    """dH/dβ = -β Var_p(s) for the entropy H of softmax(β s): a larger divisor never sharpens a row."""
    count = sum(
        int((shapes[less].entropies > shapes[more].entropies + 1e-9).sum())
        for shapes in at_width.values()
        for less, more in pairwise(DIVISORS)
    )
    claim = "A larger divisor flattens every row: no entropy falls from nothing to the root, or from the root to d_k."
    return show.check("flatter", claim, count, "=", 0)


def _jacobian_by_width(at_width: Mapping[int, Mapping[str, Shape]]) -> Block:
    lines = {f"divided by {name}": [s[name].jacobian for s in at_width.values()] for name in DIVISORS}
    raised = [d for d, s in at_width.items() if s["nothing"].jacobian > s["sqrt(d_k)"].jacobian]
    look_for = "Undivided, it is no larger than divided by the root at any of these head sizes."
    if raised:
        look_for = (
            f"Undivided, it is larger than divided by the root at d_k = {', '.join(map(str, raised))}: "
            "a sharper softmax may pass more gradient, until it is nearly one-hot."
        )
    return show.curves(
        "jacobian-by-width",
        tuple(at_width),
        lines,
        title="How much gradient the softmax lets through",
        x_label="d_k",
        unit="|J|, median",
        log=True,
        look_for=look_for,
        alt="Median Frobenius norm of diag(p) - ppᵀ against the head size, for three divisors.",
    )


def _jacobian(
    cases: Mapping[tuple[int, int], tuple[Figures, Figures]], yours: Sequence[Figures], n_kv: int, d_k: int
) -> Block:
    settings: list[tuple[str, int, int, Figures, Figures]] = [
        *(("from N(0, 1)", *case, *pair) for case, pair in cases.items()),
        ("yours", n_kv, d_k, yours[0], yours[1]),
    ]
    rows: list[Row] = [
        {
            "inputs": inputs,
            "n_kv": keys,
            "d_k": d,
            "raw": raw.jacobian,
            "root": root.jacobian,
            "small": 100 * raw.small,
            "raw_to_q": raw.to_q,
            "root_to_q": root.to_q,
        }
        for inputs, keys, d, raw, root in settings
    ]
    cols = {
        "inputs": "Inputs",
        "n_kv": "Keys",
        "d_k": "d_k",
        "raw": "|J| undivided",
        "root": "|J| by the root",
        "small": (f"Undivided below {SMALL:g}", "% of rows"),
        "raw_to_q": "|dL/dq| undivided",
        "root_to_q": "|dL/dq| by the root",
    }
    look_for = (
        "Few keys and a wide head: the gradient is gone. Many keys and a usual head: it is larger undivided."
    )
    return show.table("jacobian", cols, rows, title="When gradients vanish, in medians", look_for=look_for)


def _case_checks(cases: Mapping[tuple[int, int], tuple[Figures, Figures]]) -> list[Block]:
    (few_raw, few_root), (many_raw, many_root) = cases[FEW], cases[MANY]
    few = "16 keys, d_k = 512: undivided, |J| is less than a hundredth of what it is divided by the root."
    many = "128 keys, d_k = 64: undivided, |J| is larger. Saturation alone does not make gradients vanish."
    return [
        show.check("few-keys", few, few_raw.jacobian / few_root.jacobian, "<", 0.01),
        show.check("many-keys", many, many_raw.jacobian / many_root.jacobian, ">", 1.0),
    ]
