"""The entry of the demo `parameters`."""

from __future__ import annotations

from collections.abc import Iterator

from kernels.models import MODELS
from kernels.params import Demo, Param, Params, Value, grouping

CUSTOM = "custom"
CONFIGURED = tuple(name for name, model in MODELS.items() if model.dense and model.latent is None)
DEFAULTS: dict[str, Value] = {"d_model": 512, "h_q": 8, "h_kv": 8, "d_head": 64, "bias": "none", "layers": 1}


def rules(p: Params) -> Iterator[str]:
    if p["model"] == CUSTOM:
        yield from grouping(p)
    elif changed := [name for name, value in DEFAULTS.items() if p[name] != value]:
        yield f"{p['model']} has a configuration of its own; set model=custom to choose {', '.join(changed)}."


DEMO = Demo(
    name="parameters",
    title="Counting attention's weights",
    summary="Four projections, exactly counted: sharing keys and values saves weights, the number of heads does not.",
    look_for="Shared heads shrink W_K and W_V alone; W_Q and W_O keep their size.",
    topic="heads and projections",
    params=(
        Param("model", "choice", CUSTOM, "Model", "A real configuration, or custom for the numbers below.",
              choices=(CUSTOM, *CONFIGURED)),
        Param("d_model", "int", DEFAULTS["d_model"], "Model width", "Numbers in one token.", low=1, high=65536),
        Param("h_q", "int", DEFAULTS["h_q"], "Query heads", "A multiple of the key/value heads.", low=1, high=512),
        Param("h_kv", "int", DEFAULTS["h_kv"], "Key/value heads",
              "As many as query heads is MHA, 1 is MQA, between them GQA.", low=1, high=512),
        Param("d_head", "int", DEFAULTS["d_head"], "Head size",
              "d_model / h_q by convention; free in fact.", low=1, high=1024),
        Param("bias", "choice", DEFAULTS["bias"], "Biases", "none as in Llama, qkv as in Qwen2, all as in GPT-2.",
              choices=("none", "qkv", "all")),
        Param("layers", "int", DEFAULTS["layers"], "Layers", "Each has projections of its own.", low=1, high=1000),
    ),
    deadline_s=10,
    needs=(),
    modes=("calculated",),
    rules=rules,
)  # fmt: skip
