"""Real model configurations: what their attention layers keep in a KV cache, each with its source.

One table, so that a figure on a card, in a demo and in a test is the same figure. Imports no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

_LITGPT = "litgpt/config.py of Lightning-AI/litgpt, which cites each model's config.json"
_LLAMA3 = "models/llama3 of meta-llama/llama-models; " + _LITGPT


@dataclass(frozen=True)
class Dense:
    """A Llama-shaped decoder, complete enough to count its weights: gated MLP, RMSNorm, no biases."""

    d_model: int
    d_ff: int
    vocab: int


@dataclass(frozen=True)
class Model:
    """Attention of one model.

    d_head is the width of one key (and one value) head. latent, where given, is the number of elements
    that multi-head latent attention stores per token and layer instead of keys and values; d_rope of them are a
    RoPE key that all heads share, and by which each head's keys are wider than its values.
    window, where given, is the number of most recent tokens a layer can see, and so must keep.
    """

    name: str
    title: str
    layers: int
    h_q: int
    h_kv: int
    d_head: int
    source: str
    latent: int | None = None
    d_rope: int = 0
    window: int | None = None
    dense: Dense | None = None

    @property
    def kind(self) -> str:
        if self.latent is not None:
            return "MLA"
        if self.h_kv == self.h_q:
            return "MHA"
        return "MQA" if self.h_kv == 1 else "GQA"


_ROWS = (
    Model("llama-2-7b", "Llama-2-7B", 32, 32, 32, 128, _LITGPT, dense=Dense(4096, 11008, 32000)),
    Model("llama-2-13b", "Llama-2-13B", 40, 40, 40, 128, _LITGPT, dense=Dense(5120, 13824, 32000)),
    Model("llama-2-70b", "Llama-2-70B", 80, 64, 8, 128, _LITGPT, dense=Dense(8192, 28672, 32000)),
    Model("llama-3-8b", "Llama-3-8B", 32, 32, 8, 128, _LLAMA3, dense=Dense(4096, 14336, 128256)),
    Model("llama-3-70b", "Llama-3-70B", 80, 64, 8, 128, _LLAMA3, dense=Dense(8192, 28672, 128256)),
    Model("llama-3.1-405b", "Llama-3.1-405B", 126, 128, 8, 128, _LLAMA3, dense=Dense(16384, 53248, 128256)),
    Model(
        "mistral-7b",
        "Mistral-7B v0.1",
        32,
        32,
        8,
        128,
        "params.json of Mistral-7B-v0.1; " + _LITGPT,
        window=4096,
        dense=Dense(4096, 14336, 32000),
    ),
    Model("falcon-7b", "Falcon-7B", 32, 71, 1, 64, _LITGPT),
    Model("falcon-40b", "Falcon-40B", 60, 128, 8, 64, _LITGPT),
    Model("falcon-180b", "Falcon-180B", 80, 232, 8, 64, _LITGPT),
    Model("gpt-3-175b", "GPT-3 175B", 96, 96, 96, 128, "Brown et al. 2020, arXiv 2005.14165, Table 2.1"),
    Model("palm-540b", "PaLM-540B", 118, 48, 1, 256, "Chowdhery et al. 2022, arXiv 2204.02311, Table 1"),
    Model(
        "deepseek-v2",
        "DeepSeek-V2",
        60,
        128,
        128,
        128,
        "inference/configs/config_236B.json of deepseek-ai/DeepSeek-V3",
        latent=512 + 64,
        d_rope=64,
    ),
    Model(
        "deepseek-v3",
        "DeepSeek-V3 and R1",
        61,
        128,
        128,
        128,
        "inference/configs/config_671B.json of deepseek-ai/DeepSeek-V3",
        latent=512 + 64,
        d_rope=64,
    ),
    Model("deepseek-67b", "DeepSeek-67B", 95, 64, 8, 128, "DeepSeek LLM, arXiv 2401.02954, Table 2"),
)

MODELS: Mapping[str, Model] = {model.name: model for model in _ROWS}
"""All models by name, in the order in which they are shown."""
