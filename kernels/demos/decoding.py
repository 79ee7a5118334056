"""The demo `decoding`: a KV cache changes the work and nothing else, and two bugs that do change the tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch.utils.flop_counter import FlopCounterMode

from kernels.decoder import Cache, Decoder, Greedy, decoder, greedy, logits
from kernels.decoder_size import flops_per_new_token
from kernels.demos.decoding_code import snippet
from kernels.entries.decoding import LONGEST, VOCAB, size
from kernels.job import Job
from kernels.numerics import max_error
from kernels.result import Block, Row
from kernels.show import amounts, check, code, curves, note, table
from kernels.words import counted

FP64 = 1e-9
"""Scores that differ by less are the same but for the order of float64 additions; a bug moves them by far more."""

BUGS = {"top_left": "mask aligned top-left", "no_offset": "position not offset"}


class Runs(NamedTuple):
    """The same prompt decoded in four ways: without a cache, with one, and with two bugs."""

    model: Decoder
    prompt: tuple[int, ...]
    full: Greedy
    cached: Greedy
    bugs: dict[str, Greedy]


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: tokens, same-tokens, same-scores, bugs, top-left-caught, no-offset-caught, proof, flops, flops-less,
    flops-counted, per-step, growth, cache-size, code."""
    runs = decode_all(job)
    prompt, new = job.whole("prompt", "new")
    work = {
        "without": flops_per_new_token(runs.model.size, prompt, new, cached=False),
        "with": flops_per_new_token(runs.model.size, prompt, new, cached=True),
    }
    return (
        _tokens(runs),
        *_same(runs),
        _bugs(runs),
        *_caught(runs),
        _proof(runs),
        *_flops(runs, work),
        _per_step(work),
        _growth(runs, prompt, new),
        _cache_size(runs),
        code(snippet(job)),
    )


def decode_all(job: Job) -> Runs:
    """Draws the decoder and the prompt, and decodes."""
    prompt, new = job.whole("prompt", "new")
    model = decoder(
        size(job.params),
        job.seed,
        positions="learned" if job.word("positions") == "learned" else "rope",
        tied=job.flag("tied"),
        longest=LONGEST,
        device=job.device,
    )
    drawn = torch.randint(VOCAB, (prompt,), generator=torch.Generator().manual_seed(job.seed))
    given = tuple(drawn.tolist())
    full = greedy(model, given, new, cached=False)
    job.progress(0.5, "Decoding with a cache")
    bugs = {
        "top_left": greedy(model, given, new, align="top-left"),
        "no_offset": greedy(model, given, new, offset=False),
    }
    return Runs(model, given, full, greedy(model, given, new), bugs)


def first_difference(got: Sequence[int], wanted: Sequence[int]) -> int | None:
    """The number, from 0, of the first token that differs; None if none does."""
    return next((i for i, (a, b) in enumerate(zip(got, wanted, strict=True)) if a != b), None)


def _tokens(runs: Runs) -> Block:
    columns = {"full": runs.full, "cached": runs.cached, **runs.bugs}
    rows: list[Row] = [
        {"new": i, "position": len(runs.prompt) + i} | {key: ran.tokens[i] for key, ran in columns.items()}
        for i in range(len(runs.full.tokens))
    ]
    cols = {"new": "New token", "position": "Position", "full": "No cache", "cached": "Cache"} | {
        key: f"Bug: {words}" for key, words in BUGS.items()
    }
    alt = f"The same {len(rows)} tokens with a cache and without: {', '.join(map(str, runs.full.tokens))}."
    look_for = "Token 0 comes from the prompt alone, so it is right even with a bug: look from token 1 on."
    return table("tokens", cols, rows, title="What was written, token by token", look_for=look_for, alt=alt)


def _same(runs: Runs) -> tuple[Block, Block]:
    differ = sum(a != b for a, b in zip(runs.cached.tokens, runs.full.tokens, strict=True))
    claim = "No token differs between decoding with a cache and without."
    error = max_error(runs.cached.scores, runs.full.scores)
    told = "The scores behind the tokens are the same, too, but for rounding in float64."
    return check("same-tokens", claim, differ, "=", 0), check("same-scores", told, error, "=", 0.0, FP64)


def _bugs(runs: Runs) -> Block:
    ways = {"right cache": runs.cached, **{BUGS[key]: ran for key, ran in runs.bugs.items()}}
    rows: list[Row] = [
        {
            "way": way,
            "first": first_difference(ran.tokens, runs.full.tokens),
            "differ": sum(a != b for a, b in zip(ran.tokens, runs.full.tokens, strict=True)),
            "moved": max_error(ran.scores[1], runs.full.scores[1]),
        }
        for way, ran in ways.items()
    ]
    cols = {
        "way": "Decoded with",
        "first": "First token that differs",
        "differ": "Tokens that differ",
        "moved": "Scores of token 1 moved by",
    }
    hidden = sum(row["first"] is None for row in rows[1:])
    look_for = (
        "Both bugs show in the tokens; neither raises an error."
        if not hidden
        else f"{'Neither bug shows' if hidden == 2 else 'One bug does not show'} in the tokens of this run: "
        "compare scores, since equal tokens prove little."
    )
    return table("bugs", cols, rows, title="Two bugs, and when they show", look_for=look_for)


def _caught(runs: Runs) -> tuple[Block, Block]:
    """At the first cached step all inputs are still equal, so its scores show the bug whatever the tokens do."""
    moved = {key: max_error(ran.scores[1], runs.full.scores[1]) for key, ran in runs.bugs.items()}
    return (
        check(
            "top-left-caught",
            "A mask aligned to the top left lets the new token see key 0 alone, which moves its scores.",
            moved["top_left"],
            ">",
            FP64,
        ),
        check(
            "no-offset-caught",
            "A new token that is given position 0 again is another token to the model, which moves its scores.",
            moved["no_offset"],
            ">",
            FP64,
        ),
    )


def _proof(runs: Runs) -> Block:
    return note(
        "proof",
        "What most often goes wrong with a cache: the new token's position, the mask's corner, caching keys that were "
        "repeated for every query head, and a cache that is not emptied between requests. Decode two requests with the "
        "cache and without, and compare the scores: that finds all but repeated keys, which cost memory and change "
        "nothing else.",
        title="How to prove a cache right",
    )


def _flops(runs: Runs, work: dict[str, tuple[int, ...]]) -> list[Block]:
    full, cached = sum(work["without"]), sum(work["with"])
    rows: list[Row] = [
        {"way": "without a cache", "flops": full, "ratio": full / cached},
        {"way": "with a cache", "flops": cached, "ratio": 1.0},
    ]
    cols = {"way": "Decoded", "flops": ("Matrix products", "FLOP"), "ratio": "Against the cache"}
    look_for = (
        f"{full / cached:.1f} times the work, for the same tokens; a longer answer makes the ratio larger."
    )
    prefill, step = _counted(runs)
    n = len(runs.prompt)
    exact = runs.model.size.flops(n, n) + runs.model.size.flops(1, n + 1)
    return [
        table("flops", cols, rows, title="Work of the whole answer", look_for=look_for),
        check("flops-less", "The cache saves work.", cached, "<", full),
        check(
            "flops-counted",
            "PyTorch's own counter finds what the formula says for the prompt and the first cached step.",
            prefill + step,
            "=",
            exact,
        ),
    ]


def _counted(runs: Runs) -> tuple[int, int]:
    """FLOP of the prompt's pass and of the step after it, as torch.utils.flop_counter counts matrix products."""
    cache, device = Cache(), runs.model.embedding.device
    counted = []
    for tokens in (runs.prompt, runs.full.tokens[:1]):
        with FlopCounterMode(display=False) as counter:
            logits(runs.model, torch.tensor(tokens, device=device), cache)
        counted.append(int(counter.get_total_flops()))
    return counted[0], counted[1]


def _per_step(work: dict[str, tuple[int, ...]]) -> Block:
    steps = range(len(work["with"]))
    lines = {f"{way} a cache": [n / 1e6 for n in flops] for way, flops in work.items()}
    last = work["without"][-1] // work["with"][-1]
    return curves(
        "per-step",
        list(steps),
        lines,
        title="Work for each new token",
        x_label="new token",
        unit="MFLOP",
        look_for=f"Token 0 costs the same, since it pays for the prompt. The last one costs {last} times as much "
        f"without a cache: exactly the {last} tokens that are computed anew instead of one.",
        alt="Without a cache the work grows with every token; with one, each after token 0 costs the work of one "
        "token, and grows by no more than the keys it reads.",
    )


def _growth(runs: Runs, prompt: int, new: int) -> Block:
    """After the last token is chosen it is not fed back, so the cache ends one token short of the sequence."""
    each = runs.model.size.cached_per_token
    rows: list[Row] = [
        {
            "step": i,
            "tokens": n,
            "numbers": each * n,
            "bytes": 2 * each * n,
            "added": each * (n if i == 0 else 1),
        }
        for i, n in enumerate(range(prompt, prompt + new))
    ]
    cols = {
        "step": "New token",
        "tokens": "Tokens cached",
        "numbers": "Numbers cached",
        "bytes": ("In 16 bits", "B"),
        "added": "Numbers added",
    }
    kept = runs.cached.cache.numbers
    s = runs.model.size
    look_for = (
        f"2 x {counted(s.layers, 'layer')} x {counted(s.h_kv, 'key/value head')} x {s.d_head} = {each:,} numbers a "
        f"token; at the end {kept:,} are held."
    )
    return table("growth", cols, rows, title="How the cache grows", look_for=look_for)


def _cache_size(runs: Runs) -> Block:
    s, kept = runs.model.size, runs.cached.cache.numbers
    shared = f"as it should be: {counted(s.h_kv, 'key/value head')}"
    look_for = (
        f"Repeating keys and values before they are cached gives the same tokens and takes {s.h_q // s.h_kv} times "
        "the memory."
        if s.h_q > s.h_kv
        else "Every query head has keys and values of its own here, so there is nothing to repeat."
    )
    return amounts(
        "cache-size",
        {shared: 2 * kept, "repeated for each query head": 2 * kept * s.h_q // s.h_kv},
        title="Cached in 16 bits, at the end",
        look_for=look_for,
        alt=f"{2 * kept:,} B as it should be, {2 * kept * s.h_q // s.h_kv:,} B with repeated heads.",
    )
