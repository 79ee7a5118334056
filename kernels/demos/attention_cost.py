"""Plain attention beside F.scaled_dot_product_attention: error always, time and memory from 1,024 tokens on."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional as F

from kernels import memory
from kernels.attention import attention
from kernels.demos import attention_words as words
from kernels.demos.attention_setting import Setting
from kernels.entries.attention import held_bytes, score_bytes
from kernels.job import Job
from kernels.numerics import max_error
from kernels.result import Block, Row, Timing, TimingRow
from kernels.show import amounts, note, table
from kernels.timing import Times, measure
from kernels.units import MIB


def refuse_if_too_large(job: Job) -> None:
    """Raises Refused if all that the run holds does not fit into the memory that is free now."""
    memory.require(held_bytes(job.params), job.device, "lower n_q, n_kv, d_k or a number of heads.")


def sdpa(s: Setting) -> Callable[[], Tensor]:
    """PyTorch's fused attention on the same inputs. Its is_causal is top-left, so the other needs a mask."""
    is_causal = s.align == "top-left" or (s.align is not None and s.q.size(1) == s.k.size(1))
    mask = None if is_causal or s.align is None else s.rules.visible
    gqa = s.q.size(0) != s.k.size(0)
    q, k, v = s.q[None], s.k[None], s.v[None]

    def call() -> Tensor:
        return F.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, is_causal=is_causal, scale=s.rules.scale, enable_gqa=gqa
        )[0]

    return call


def precision(s: Setting, plain: Tensor, wanted: Tensor) -> list[Block]:
    """The error of both against float64, and whether they agree to the last bit.

    plain is the output for s, wanted the same in float64.
    """
    fused = sdpa(s)()
    name = "F.scaled_dot_product_attention"
    rows: tuple[Row, ...] = (
        {"way": "plain PyTorch", "error": max_error(plain, wanted), "same_bits": True},
        {"way": name, "error": max_error(fused, wanted), "same_bits": torch.equal(plain, fused)},
    )
    cols = {"way": "Computed by", "error": "Largest error against float64", "same_bits": "Same bits as plain"}
    look_for = words.bits(torch.equal(plain, fused), s.k.size(-2))
    return [table("precision", cols, rows, title="Plain and fused, against float64", look_for=look_for)]


def time_and_memory(s: Setting) -> list[Block]:
    """Blocks timing and memory: the same attention unfused and fused, all heads."""
    device, flops = s.job.device, 4.0 * s.q.size(0) * s.q.size(2)  # per (query, key) pair
    n_q, n_kv = s.visible.shape
    ways: dict[str, Callable[[], Tensor]] = {
        "plain": lambda: attention(s.q, s.k, s.v, s.rules),
        "SDPA": sdpa(s),
    }
    done = {}
    for step, (label, call) in enumerate(ways.items()):
        tell = _telling(s.job, 0.5 + 0.25 * step, label)
        tell(0.0)
        done[label] = (measure(call, device, least=3, each=tell), memory.peak(call, device))
    work = {"plain": flops * n_q * n_kv, "SDPA": flops * sum(s.sees)}
    return [_timing(done, work, device), _memory(done, score_bytes(s.job.params))]


def _telling(job: Job, start: float, label: str) -> Callable[[float], None]:
    """Progress within the quarter that one way takes: a call may take a second."""
    return lambda share: job.progress(start + 0.25 * share, f"Timing {label}")


def _timing(done: dict[str, tuple[Times, int | None]], work: dict[str, float], device: str) -> Block:
    threads = f"{torch.get_num_threads()} threads" if device == "cpu" else ""
    rows = tuple(
        TimingRow(label, t.n, t.median, t.p10, t.p90, work[label], threads) for label, (t, _) in done.items()
    )
    ratio = done["plain"][0].median / done["SDPA"][0].median
    wide = any(t.wide for t, _ in done.values())
    look_for = "The spread is wide here: trust the ratio, not the milliseconds." if wide else ""
    alt = f"Plain attention takes {ratio:.1f} times as long as SDPA (medians)."
    return Block("timing", Timing("ms", rows), title="Time for all heads", look_for=look_for, alt=alt)


def _memory(done: dict[str, tuple[Times, int | None]], predicted: int) -> Block:
    peaks = {label: peak for label, (_, peak) in done.items() if peak is not None}
    if len(peaks) < len(done):
        return note("memory", "This system does not tell the peak memory of a call, so none is shown.")
    bars = {
        "two score matrices, calculated": predicted,
        **{f"{way}, measured": n for way, n in peaks.items()},
    }
    return amounts(
        "memory",
        bars,
        title="Memory beyond inputs, at the peak",
        look_for=words.peaks(peaks["SDPA"], predicted),
        alt="; ".join(f"{label}: {n / MIB:,.0f} MiB" for label, n in bars.items()) + ".",
    )
