"""Bytes of a KV cache, against the published figures."""

from __future__ import annotations

from kernels.cost import (
    bytes_per_token,
    cache_bytes,
    elements_per_token,
    parameters,
    requests_to_match_weights,
)
from kernels.models import MODELS

PER_TOKEN = {
    "llama-2-7b": 524_288,
    "llama-2-13b": 819_200,
    "llama-2-70b": 327_680,
    "llama-3-8b": 131_072,
    "llama-3-70b": 327_680,
    "llama-3.1-405b": 516_096,
    "mistral-7b": 131_072,
    "falcon-7b": 8 * 1024,
    "falcon-40b": 120 * 1024,
    "falcon-180b": 160 * 1024,
    "gpt-3-175b": 4.5 * 2**20,
    "palm-540b": 118 * 1024,
    "deepseek-v2": 69_120,
    "deepseek-v3": 70_272,
    "deepseek-67b": 389_120,
}
WEIGHTS = {
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
    "llama-3-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
    "mistral-7b": 7_241_732_096,
}


def test_bytes_per_token_are_the_published_ones() -> None:
    assert {name: bytes_per_token(model, "bf16") for name, model in MODELS.items()} == PER_TOKEN


def test_counted_weights_are_the_published_ones() -> None:
    counted = {name: parameters(model) for name, model in MODELS.items()}
    assert {name: n for name, n in counted.items() if n is not None} == WEIGHTS


def test_a_request_of_128_ki_tokens() -> None:
    llama = MODELS["llama-3-70b"]
    assert cache_bytes(llama, "bf16", 131_072) == 42_949_672_960 == 40 * 2**30
    assert cache_bytes(llama, "fp8", 131_072) == 20 * 2**30
    assert cache_bytes(llama, "bf16", 131_072, as_mha=True) == 320 * 2**30
    assert requests_to_match_weights(llama, "bf16", 131_072) == 4
    assert cache_bytes(MODELS["llama-3-8b"], "bf16", 131_072) == 16 * 2**30
    assert cache_bytes(MODELS["llama-3.1-405b"], "bf16", 131_072) == 63 * 2**30


def test_a_window_caps_the_cache() -> None:
    assert cache_bytes(MODELS["mistral-7b"], "bf16", 131_072) == 512 * 2**20
    assert cache_bytes(MODELS["mistral-7b"], "bf16", 100) == 100 * 131_072


def test_latent_attention_equals_two_and_a_quarter_groups() -> None:
    model = MODELS["deepseek-v2"]
    one_group = 2 * model.layers * model.d_head
    assert elements_per_token(model) / one_group == 2.25


def test_as_if_mha_counts_the_heads_of_mla_with_the_rope_part_of_their_keys() -> None:
    """61 layers of 128 heads, keys of 128 + 64 and values of 128, in 2 bytes."""
    assert (
        bytes_per_token(MODELS["deepseek-v3"], "bf16", as_mha=True) == 61 * 128 * (192 + 128) * 2 == 4_997_120
    )


def test_half_a_byte_an_element() -> None:
    assert bytes_per_token(MODELS["llama-3-70b"], "int4") == 81_920


def test_every_model_names_its_source_and_kind() -> None:
    assert all(model.source for model in MODELS.values())
    kinds = {name: model.kind for name, model in MODELS.items()}
    assert kinds["falcon-7b"] == kinds["palm-540b"] == "MQA"
    assert kinds["falcon-40b"] == kinds["llama-2-70b"] == "GQA"
    assert kinds["llama-2-13b"] == kinds["gpt-3-175b"] == "MHA"
    assert kinds["deepseek-v3"] == "MLA"
