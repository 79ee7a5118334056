"""FLOP and bytes of attention, against the published figures and against loops that count."""

from __future__ import annotations

import pytest

from kernels.roofline import accesses, crossover, decode, decode_mla, fused, theorem, tiled, unfused


def test_unfused_attention_does_about_half_a_head_of_flop_a_byte() -> None:
    assert unfused(4096, 128).intensity == pytest.approx(62.06, abs=0.005)
    assert unfused(1 << 20, 128).intensity == pytest.approx(64, abs=0.01)


@pytest.mark.parametrize(("n", "tile"), [(4096, 128), (512, 64), (1024, 1024)])
def test_a_tile_reads_the_keys_once_for_its_rows(n: int, tile: int) -> None:
    d = 64
    read = 0
    for _ in range(n // tile):
        read += tile * d  # its queries
        read += 2 * n * d  # all keys and values
    work = tiled(n, d, tile)
    assert work.moved == 2 * (read + n * d)  # and the output, in 16 bits
    assert work.intensity == n * tile / (n + tile)


def test_the_tile_of_the_cards_stands_below_both_ridges() -> None:
    assert round(tiled(4096, 128, 128).intensity) == 124


def test_the_ceiling_is_half_the_length() -> None:
    assert fused(4096, 128).intensity == 2048 == tiled(4096, 128, 4096).intensity


@pytest.mark.parametrize(("h_q", "h_kv", "wanted"), [(32, 32, 1), (64, 8, 8), (64, 1, 64)])
def test_decoding_does_as_many_flop_a_byte_as_heads_share_a_key(h_q: int, h_kv: int, wanted: int) -> None:
    assert decode(10_000, 128, h_q, h_kv).intensity == wanted
    assert decode(10_000, 128, h_q, h_kv, n_q=2).intensity == 2 * wanted


def test_mla_stands_just_below_the_ridges_of_hopper() -> None:
    assert decode_mla(5000, 128).intensity == pytest.approx(241.8, abs=0.05)
    assert decode_mla(5000, 16).intensity == pytest.approx(241.8 / 8, abs=0.05)  # eight chips share the heads


def test_where_attention_overtakes_the_matrices() -> None:
    assert [crossover(d, causal=c) for d in (4096, 8192) for c in (False, True)] == [
        24576,
        49152,
        49152,
        98304,
    ]


@pytest.mark.parametrize(("n", "d", "tile"), [(512, 64, 64), (1024, 256, 128), (256, 512, 16)])
def test_accesses_are_those_of_loops_that_count(n: int, d: int, tile: int) -> None:
    scores_and_weights = 4 * n * n  # each written once and read once
    fused_reads = sum(tile * d + 2 * n * d for _ in range(n // tile))
    assert accesses(n, d, tile) == (4 * n * d + scores_and_weights, fused_reads + n * d)


def test_fusing_moves_less_wherever_a_head_is_smaller_than_two_tiles() -> None:
    for d in (16, 64, 128, 255):
        plain, tiles = accesses(1 << 20, d, 128)
        assert float(tiles / plain) == pytest.approx(d / 256, rel=1e-3)
        assert tiles < plain


def test_the_theorem_tells_growth_where_it_holds() -> None:
    found = theorem(1 << 20, 64, 51_200)
    assert found is not None
    assert theorem(1 << 21, 64, 51_200) == 4 * found
    assert theorem(256, 64, 51_200) is theorem(1 << 20, 2048, 1024) is None
