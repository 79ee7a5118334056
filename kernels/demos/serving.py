"""The demo `serving`: how many requests fit beside the weights, and what bandwidth alone makes of a decode step."""

from __future__ import annotations

from dataclasses import replace

from kernels.cost import BYTES
from kernels.entries.serving import COUNTS
from kernels.hardware import CHIPS
from kernels.job import Job
from kernels.models import MODELS
from kernels.result import Block, Row
from kernels.serving import Server
from kernels.show import amounts, check, code, curves, known, note, table
from kernels.units import GB, TERA
from kernels.words import DECIMAL, counted, size


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: fits, memory, latency, by-batch, tensor-parallel, fits-most (where any fits), fits-check, limits, code,
    known, known-fits, known-reported, known-fp8, known-step, known-batch, known-share, known-gathered."""
    server = Server(
        MODELS[job.word("model")],
        CHIPS[job.word("device")],
        int(job.word("count")),
        job.whole("context")[0],
        job.word("cache"),
        job.word("weights"),
    )
    (batch,) = job.whole("batch")
    return (
        _fits(server),
        _memory(server, batch),
        _latency(server, batch),
        _by_batch(server, batch),
        _tensor_parallel(server),
        *_fits_checks(server),
        _limits(server),
        code(_snippet(server, batch), title="Worked out"),
        *_known(),
    )


def sold(server: Server) -> int:
    """Bytes of memory of one chip; the catalogue offers only chips that have this figure."""
    memory = server.chip.memory
    assert memory is not None
    return memory


def _fit(n: int, within: bool) -> str:
    """The verb that follows n requests."""
    return ("fits" if n == 1 else "fit") if within else ("does not fit" if n == 1 else "do not fit")


def _fits(server: Server) -> Block:
    capacities = {"as sold": sold(server)}
    if server.chip.reported:
        capacities["as the driver reports"] = server.chip.reported
    rows: list[Row] = [
        {
            "memory": label,
            "gb": memory / GB,
            "left_gb": (server.count * memory - server.weights) / GB,
            **{dtype: replace(server, cache_dtype=dtype).fits(memory) for dtype in BYTES},
        }
        for label, memory in capacities.items()
    ]
    cols = {
        "memory": "Memory",
        "gb": ("A chip", "GB"),
        "left_gb": ("Left beside the weights", "GB"),
        **{dtype: f"Requests, {dtype} cache" for dtype in BYTES},
    }
    left = server.count * sold(server) - server.weights
    look_for = (
        "Half the bytes an element are about twice the requests: what is left over is rounded down."
        if left >= 0
        else "The weights alone do not fit: more chips, or fewer bytes a weight."
    )
    title = (
        f"{server.model.title}, {counted(server.context, 'token')} a request, {counted(server.count, 'chip')}"
    )
    return table("fits", cols, rows, title=title, look_for=look_for)


def _memory(server: Server, batch: int) -> Block:
    bars = {
        f"weights in {server.weight_dtype}": server.weights,
        f"caches of {counted(batch, 'request')}": batch * server.request,
        "memory of all chips": server.count * sold(server),
    }
    needed = server.weights + batch * server.request
    return amounts(
        "memory",
        bars,
        title="Over all chips",
        look_for=f"{counted(batch, 'request')} {_fit(batch, needed <= server.count * sold(server))}.",
        alt="; ".join(f"{label} {size(n, DECIMAL)}" for label, n in bars.items()) + ".",
    )


def _latency(server: Server, batch: int) -> Block:
    most = server.fits(sold(server))
    rows: list[Row] = [
        {
            "requests": n,
            "fits": n <= most,
            "cache_gb": n * server.request / GB,
            "ms": 1000 * server.step(n),
            "gathered_ms": 1000 * server.step(n, gathered=True),
            "share": server.cache_share(n),
            "tokens": n / server.step(n),
        }
        for n in sorted({1, batch, most or 1})
    ]
    cols = {
        "requests": "Requests",
        "fits": "Fit",
        "cache_gb": ("Their caches", "GB"),
        "ms": ("A step, at least", "ms"),
        "gathered_ms": ("Without the input embedding", "ms"),
        "share": "Caches, of what is read",
        "tokens": ("All requests, at most", "tokens/s"),
    }
    look_for = (
        f"A step reads {size(server.weights, DECIMAL)} of weights whatever is served. Of the input embedding "
        f"({size(server.embedding, DECIMAL)}) it gathers one row a token; a stricter bound leaves it out."
    )
    title = f"Bytes read, over {server.count * server.chip.bandwidth / TERA:,.2f} TB/s"
    return table("latency", cols, rows, title=title, look_for=look_for)


def _by_batch(server: Server, batch: int) -> Block:
    last = max(batch, server.fits(sold(server)), 2)
    x = sorted({min(2**i, last) for i in range(last.bit_length() + 1)})
    weights = server.step(0)
    ys = {
        "weights": [1000 * weights] * len(x),
        "caches": [1000 * (server.step(n) - weights) for n in x],
        "together": [1000 * server.step(n) for n in x],
    }
    heavier = server.weights // server.request + 1
    return curves(
        "by-batch",
        x,
        ys,
        title="The least time of a step by requests",
        x_label="requests",
        unit="ms",
        log=True,
        look_for=f"From {counted(heavier, 'request')} on the caches outweigh the weights; no batching shares them.",
    )


def _tensor_parallel(server: Server) -> Block:
    model = server.model
    counts = [count for count in map(int, COUNTS) if model.h_q % count == 0]
    rows: list[Row] = []
    for count in counts:
        group = replace(server, count=count)
        rows.append(
            {
                "count": count,
                "heads": group.heads_per_chip,
                "copies": float(group.copies),
                "weights_gb": group.weights / count / GB,
                "cache_gb": group.request / count / GB,
                "requests": group.fits(sold(server)),
                "ms": 1000 * group.step(1),
            }
        )
    cols = {
        "count": "Chips",
        "heads": "Key/value heads a chip",
        "copies": "Copies of the cache",
        "weights_gb": ("Weights a chip", "GB"),
        "cache_gb": ("Cache of a request, a chip", "GB"),
        "requests": "Requests that fit",
        "ms": ("A step of one request", "ms"),
    }
    look_for = (
        f"At {counted(model.h_kv, 'chip')} each holds one key/value head. With more, heads are copied, and a chip's "
        "share of a cache no longer shrinks."
        if max(counts) > model.h_kv
        else f"No more chips than the {model.h_kv} key/value heads, so that none is copied."
    )
    return table("tensor-parallel", cols, rows, title="More chips", look_for=look_for)


def _fits_checks(server: Server) -> list[Block]:
    """As many as are told fit, and one more does not."""
    most, memory = server.fits(sold(server)), server.count * sold(server)

    def held(requests: int) -> int:
        return server.weights + requests * server.request

    claim = f"{counted(most, 'request')} {_fit(most, True)} beside the weights."
    more = "One more does not fit." if most else "Not one request fits beside the weights."
    return [
        *([check("fits-most", claim, held(most), "<=", memory)] if most else []),
        check("fits-check", more, held(most + 1), ">", memory),
    ]


def _known() -> tuple[Block, ...]:
    """The worked example that the calculator must give whatever was asked."""
    server = Server(MODELS["llama-3-70b"], CHIPS["h100-sxm"], 8, 131_072)
    fp8 = replace(server, cache_dtype="fp8")
    chip = server.chip
    assert chip.reported is not None
    one, eight, gathered = 1000 * server.step(1), 1000 * server.step(8), 1000 * server.step(1, gathered=True)
    where = "Llama-3-70B on 8 H100, 131,072 tokens a request"
    return known(
        check("known-fits", f"{where}: 11 requests at 80 GB a chip.", server.fits(sold(server)), "=", 11),
        check(
            "known-reported", f"{where}: 12 at the 85.5 GB it reports.", server.fits(chip.reported), "=", 12
        ),
        check(
            "known-fp8", f"{where}: 23 with an fp8 cache, not exactly double.", fp8.fits(sold(fp8)), "=", 23
        ),
        check("known-step", f"{where}: a step of one is 6.87 ms.", one, "=", 6.87, 0.005),
        check("known-batch", f"{where}: a step of 8 is 18.1 ms.", eight, "=", 18.1, 0.05),
        check("known-share", f"{where}: 71 % of that is caches.", server.cache_share(8), "=", 0.71, 0.005),
        check(
            "known-gathered",
            f"{where}: 6.8 ms where the input embedding is gathered.",
            gathered,
            "=",
            6.8,
            0.05,
        ),
    )


def _limits(server: Server) -> Block:
    text = (
        "Counted are weights and caches alone, divided evenly over the chips. Activations, fragments and what the "
        "framework takes come on top, communication is free here, and no chip reaches its full bandwidth: fewer "
        "requests fit, and a step takes longer. Most requests are shorter than the longest, which is why caches are "
        "paged."
    )
    return note("limits", text, title=f"A bound, not a forecast, for {server.chip.title}")


def _snippet(server: Server, batch: int) -> str:
    model = server.model
    dense = model.dense
    assert dense is not None
    kept = server.context if model.window is None else min(server.context, model.window)
    why = "" if kept == server.context else f"  # the window; the context has {server.context}"
    width = {dtype: f"{float(n):g}" for dtype, n in BYTES.items()}
    return f"""layers, d_model, d_ff, vocab = {model.layers}, {dense.d_model}, {dense.d_ff}, {dense.vocab}
h_q, h_kv, d_head = {model.h_q}, {model.h_kv}, {model.d_head}
chips, memory, bandwidth = {server.count}, {sold(server)}, {server.chip.bandwidth}  # bytes, bytes/s
tokens = {kept}{why}
matrices = 2 * d_model * (h_q + h_kv) * d_head + 3 * d_model * d_ff + 2 * d_model  # and two norms, in a layer
weights = {width[server.weight_dtype]} * (layers * matrices + 2 * vocab * d_model + d_model)
heads = -(-h_kv // chips)  # that each chip holds
request = 2 * layers * heads * chips * d_head * tokens * {width[server.cache_dtype]}
fits = max(int((chips * memory - weights) // request), 0)
milliseconds = {{n: 1000 * (weights + n * request) / (chips * bandwidth) for n in (1, {batch})}}
print(fits, "requests fit; a step takes at least", milliseconds, "ms")
"""
