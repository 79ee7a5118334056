"""What the demo `attention` says beside its blocks. Every sentence follows from the run's own figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from kernels.attention import Rules
from kernels.demos.attention_setting import Setting
from kernels.result import Row
from kernels.words import counted


def who_sees_whom(sees: Sequence[int], n_kv: int) -> str:
    """sees holds how many of the n_kv keys each query sees, in order."""
    if min(sees) == n_kv:
        return "Every query sees every key."
    if sees[-1] < n_kv:
        return f"The last query sees {sees[-1]:,} of {n_kv:,} keys: this alignment is wrong for a cache."
    full, blind = sees.count(n_kv), sees.count(0)
    last, them = ("The last query sees", "it") if full == 1 else (f"The last {full:,} queries see", "them")
    if not blind:
        return f"{last} every key; each one before {them} sees one key less."
    none = "the first query sees none" if blind == 1 else f"the first {blind:,} queries see none"
    return f"{last} every key; each one before {them} sees one key less, and {none}."


def what_the_mask_did(s: Setting, leak: float | None, least: float) -> str:
    """leak is the largest weight of a hidden key that is drawn, None if none is; least the smallest drawn row sum."""
    if not s.hides:
        return "No key is hidden from any query, so the mask changes nothing."
    if leak is None:
        return "In the part that is drawn, no key is hidden."
    if s.rules.mask_after:
        return f"Hidden keys are dropped after the softmax: what is left of a row sums to as little as {least:.3g}."
    if leak == 0:
        return f"Hidden scores become {s.job.word('fill')}, and their weights are exactly 0."
    return f"Hidden scores become {s.job.word('fill')}, and a hidden key still gets a weight of up to {leak:.3g}."


def what_the_rows_are(s: Setting, rows: Sequence[Row], *, leaks: bool) -> str:
    """rows are those of the table; leaks says whether a hidden key has a weight in any of them."""
    if leaks:
        return "The rows sum to 1, and hidden keys have a part in that."
    seeing = [row for row in rows if row["sees"]]
    rounding = 8 * torch.finfo(s.q.dtype).eps
    short = sum(float(row["sum"] or 0) < 1 - rounding for row in seeing)
    if short:
        told = f"Of {counted(len(rows), 'row')} shown, {counted(short, 'sums', 'sum')} to less than 1"
        return f"{told}: hidden keys took their share and were then dropped."
    told = "Each row that sees a key is a distribution over the keys it sees." if seeing else ""
    return " ".join(
        filter(None, (told, "" if len(seeing) == len(rows) else "A row that sees none is all 0."))
    )


def error(got: float, limit: float, largest: float) -> str:
    """got and limit are those of the number that is shown; largest is the largest error of all."""
    where = "nearest to its limit" if got <= limit else "furthest beyond its limit"
    return (
        f"The weights of its row say how far rounding may take a number. Shown is the one {where}; "
        f"the largest error of all is {largest:.2g}."
    )


def blind(count: int, rules: Rules) -> str:
    """What became of the queries that see nothing."""
    who = f"{counted(count, 'query sees', 'queries see')} no key at all."
    if rules.mask_after:
        return (
            f"{who} The softmax ran over all keys before the mask, so the log-sum-exp counts what must not be seen; "
            "the weights are set to 0 afterwards, and so the output is 0."
        )
    if rules.fill == -math.inf:
        return (
            f"{who} A softmax over nothing but -inf is 0/0 = NaN in plain PyTorch; here, as in fused kernels, the "
            "output is 0 and the log-sum-exp -inf."
        )
    return (
        f"{who} With a finite fill all scores of such a row are equal, so its output is the mean of values that it "
        "must not see."
    )


def scaling(d_k: int, rows: Sequence[Row]) -> str:
    """rows are those of the table: divided by nothing, by sqrt(d_k), by d_k."""

    def of(row: Row) -> str:
        return f"{float(row['variance'] or 0):.3g}, and the largest weight of a row is {float(row['largest'] or 0):.2g}"

    if d_k == 1:
        return "With d_k = 1 the three divisors are one."
    return (
        f"Undivided, the scores have a variance of {of(rows[0])} on average; "
        f"divided by sqrt({d_k}), a variance of {of(rows[1])}."
    )


def bits(same: bool, n_kv: int) -> str:
    """Whether plain and fused attention agree to the last bit."""
    if same and n_kv == 1:
        return "With one key every output is its value: there is nothing to add up, and the bits agree."
    if same:
        return "Here even the bits agree, which nobody promises: sums in another order may differ in the last ones."
    return "Both are exact but for rounding, and the bits are not the same."


def peaks(fused: int, predicted: int) -> str:
    """The measured peak of fused attention beside two score matrices, in bytes."""
    plain = "Plain attention holds scores and weights at once"
    if 2 * fused < predicted:
        return f"{plain}; SDPA needs less than one of the two, so it never holds a whole score matrix."
    return f"{plain}; SDPA needs {fused / predicted:.1f} times as much as these two matrices here."
