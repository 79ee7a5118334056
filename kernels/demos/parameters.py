"""The demo `parameters`: the weights of W_Q, W_K, W_V and W_O, counted."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, cast

from kernels import show
from kernels.cost import parameters
from kernels.entries.parameters import CUSTOM
from kernels.job import Job
from kernels.models import MODELS, Model
from kernels.parameters import Biases, Projections
from kernels.result import Block, Row
from kernels.units import GB

BF16 = 2  # bytes
HEADS = (1, 2, 4, 8, 16, 32, 64)
BASE = Projections(512, 8, 8, 64)
LLAMA = Projections(4096, 32, 8, 128)


class Published(NamedTuple):
    """Heads of a published model: does their width add up to the model's?"""

    model: str
    heads: int
    d_head: int
    d_model: int
    source: str


PUBLISHED = (
    Published("Transformer base", 8, 64, 512, "Vaswani et al. 2017, Table 3"),
    Published("Llama-3-8B", 32, 128, 4096, "models/llama3 of meta-llama/llama-models"),
    Published("Gemma-7B", 16, 256, 3072, "Gemma Team 2024, arXiv 2403.08295, Table 1"),
    Published("PaLM-540B", 48, 256, 18432, "Chowdhery et al. 2022, arXiv 2204.02311, Table 1"),
    Published(
        "DeepSeek-V3, values", 128, 128, 7168, "inference/configs/config_671B.json of deepseek-ai/DeepSeek-V3"
    ),
)


def run(job: Job) -> tuple[Block, ...]:
    """Blocks: projections, size, sharing, layers, heads, convention, four-d-squared (or closed-form), code, known,
    known-base, known-llama, known-llama-mha."""
    model = None if job.word("model") == CUSTOM else MODELS[job.word("model")]
    p = _custom(job) if model is None else _of(model)
    (layers,) = job.whole("layers") if model is None else (model.layers,)
    return (
        _projections(p),
        _size(p),
        _sharing(p),
        _layers(p, layers, model),
        _heads(p),
        _convention(),
        _closed_form(p),
        show.code(_snippet(p, layers), title="The same in Python"),
        *_known(),
    )


def _custom(job: Job) -> Projections:
    d_model, h_q, h_kv, d_head = job.whole("d_model", "h_q", "h_kv", "d_head")
    return Projections(d_model, h_q, h_kv, d_head, cast(Biases, job.word("bias")))


def _of(model: Model) -> Projections:
    if model.dense is None:
        raise ValueError(f"{model.name} has no width to count with.")
    return Projections(model.dense.d_model, model.h_q, model.h_kv, model.d_head)


def _projections(p: Projections) -> Block:
    rows: list[Row] = [
        {
            "name": w.name,
            "d_in": w.d_in,
            "d_out": w.d_out,
            "weights": w.weights,
            "biases": w.biases,
            "total": w.total,
        }
        for w in p.each()
    ]
    sums = {key: sum(int(row[key] or 0) for row in rows) for key in ("weights", "biases", "total")}
    rows.append({"name": "one layer", "d_in": None, "d_out": None, **sums})
    cols = {
        "name": "Projection",
        "d_in": "From",
        "d_out": "To",
        "weights": "Weights",
        "biases": "Biases",
        "total": "Parameters",
    }
    look_for = "W_O leads back to d_model with as many weights as W_Q; the softmax between them has none."
    return show.table("projections", cols, rows, title="The four projections", look_for=look_for)


def _size(p: Projections) -> Block:
    bars = {w.name: BF16 * w.total for w in p.each()}
    alt = "; ".join(f"{name} {n:,} B" for name, n in bars.items()) + "."
    look_for = "Fewer key/value heads narrow W_K and W_V alone."
    return show.amounts("size", bars, title="One layer in bf16", look_for=look_for, alt=alt)


def _sharing(p: Projections) -> Block:
    """What each count of key/value heads costs: MHA, these, MQA, and none of them twice."""
    mha = replace(p, h_kv=p.h_q)
    variants = [replace(p, h_kv=h_kv) for h_kv in dict.fromkeys((p.h_q, p.h_kv, 1))]
    rows: list[Row] = [
        {
            "kind": f"{_kind(each)}{', as chosen' * (each == p)}",
            "h_kv": each.h_kv,
            "kv": sum(w.total for w in each.each()[1:3]),
            "total": each.total,
            "share": 100 * each.total / mha.total,
        }
        for each in variants
    ]
    cols = {
        "kind": "Attention",
        "h_kv": "Key/value heads",
        "kv": "W_K and W_V",
        "total": "One layer",
        "share": ("Of MHA", "%"),
    }
    saved = mha.total - p.total
    look_for = f"Sharing saves {saved:,} parameters a layer here; what it saves in the cache is not counted."
    if p.h_kv == p.h_q:
        look_for = (
            "Each query head has keys and values of its own: MHA. Sharing would shrink W_K and W_V alone."
        )
    return show.table("sharing", cols, rows, title="What sharing keys and values saves", look_for=look_for)


def _kind(p: Projections) -> str:
    return "MHA" if p.h_kv == p.h_q else "MQA" if p.h_kv == 1 else "GQA"


def _layers(p: Projections, layers: int, model: Model | None) -> Block:
    total = p.total * layers
    whole = parameters(model) if model else None
    row: Row = {
        "layers": layers,
        "total": total,
        "gb": BF16 * total / GB,
        "model": whole,
        "share": None if whole is None else 100 * total / whole,
    }
    cols = {
        "layers": "Layers",
        "total": "Attention's parameters",
        "gb": ("in bf16", "GB"),
        "model": "Whole model",
        "share": ("Attention's share", "%"),
    }
    title = "All layers" if model is None else f"All layers of {model.title}"
    look_for = (
        "Every layer has projections of its own."
        if model is None
        else "Every layer has projections of its own; most of a model's weights are in its MLPs all the same."
    )
    return show.table("layers", cols, (row,), title=title, look_for=look_for)


def _heads(p: Projections) -> Block:
    """The convention d_head = d_model / h, under which the number of heads cancels."""
    rows = [
        {"heads": h, "d_head": p.d_model // h, "total": Projections(p.d_model, h, h, p.d_model // h).total}
        for h in HEADS
        if p.d_model % h == 0
    ]
    cols = {"heads": "Heads", "d_head": "Head size d_model / h", "total": "One layer, MHA, no biases"}
    look_for = "With d_head = d_model / h the number of heads cancels: 4 · d_model² for any."
    return show.table("heads", cols, rows, title="More heads are not more weights", look_for=look_for)


def _convention() -> Block:
    rows: list[Row] = [
        {
            "model": m.model,
            "heads": m.heads,
            "d_head": m.d_head,
            "width": m.heads * m.d_head,
            "d_model": m.d_model,
            "same": m.heads * m.d_head == m.d_model,
            "source": m.source,
        }
        for m in PUBLISHED
    ]
    cols = {
        "model": "Model",
        "heads": "Heads",
        "d_head": "Head size",
        "width": "Heads x size",
        "d_model": "d_model",
        "same": "Equal",
        "source": "Source",
    }
    look_for = "d_head = d_model / h is the paper's choice and no law: three of these five do without."
    return show.table("convention", cols, rows, title="Is d_head = d_model / h?", look_for=look_for)


def _closed_form(p: Projections) -> Block:
    if p.h_q == p.h_kv and p.h_q * p.d_head == p.d_model and p.bias == "none":
        claim = "MHA with h · d_head = d_model and no biases has 4 · d_model² parameters a layer."
        return show.check("four-d-squared", claim, p.total, "=", 4 * p.d_model**2)
    wanted = 2 * p.d_model * p.d_head * (p.h_q + p.h_kv)
    formula = "2 · d_model · d_head · (h_q + h_kv)"
    if p.bias != "none":
        wanted += p.d_head * (p.h_q + 2 * p.h_kv)
        formula += " + d_head · (h_q + 2 · h_kv)"
    if p.bias == "all":
        wanted += p.d_model
        formula += " + d_model"
    return show.check("closed-form", f"One layer has {formula} parameters.", p.total, "=", wanted)


def _known() -> tuple[Block, ...]:
    """Three counts that every run must give, whatever was asked."""
    mha = replace(LLAMA, h_kv=LLAMA.h_q)
    return show.known(
        show.check("known-base", "d_model = 512 with 8 heads of 64: 1,048,576 a layer.", BASE.total, "=", 1_048_576),
        show.check("known-llama", "Llama-3-8B, 32 heads over 8: 41,943,040 a layer.", LLAMA.total, "=", 41_943_040),
        show.check("known-llama-mha", "The same with 32 heads of keys and values: 67,108,864.",
                   mha.total, "=", 67_108_864),
    )  # fmt: skip


def _snippet(p: Projections, layers: int) -> str:
    lines = "\n".join(
        f"    {w.d_in} * {w.d_out}"
        + (f" + {w.biases},  # {w.name}, bias" if w.has_bias else f",  # {w.name}")
        for w in p.each()
    )
    return f"""projections = (
{lines}
)
layer = sum(projections)
total = {layers} * layer
print(f"{{layer:,}} a layer, {{total:,}} in {layers} layer{"s" * (layers > 1)}")
"""
