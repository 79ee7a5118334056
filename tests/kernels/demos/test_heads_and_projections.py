"""The demos of heads and projections: exact figures exactly, random ones in effect, checks wherever they are asked."""

from __future__ import annotations

import pytest
import torch

from kernels.catalog import BadParams, parse_line
from kernels.demos.head_split import MERGES, SPLITS, by_head, mha
from kernels.demos.symmetry import permutation
from kernels.numerics import draw, max_error
from kernels.rope import rotate
from kernels.run import run
from tests.kernels.demos.tools import broken, copied, data, sampled

QUICK = {
    "projections": {"trials": 20, "tokens": 8},
    "heads": {},
    "head-split": {},
    "gqa": {},
    "mixing": {},
    "symmetry": {},
    "bias": {},
}


@pytest.mark.parametrize("name", QUICK)
def test_every_check_holds_whatever_is_chosen(name: str) -> None:
    for result in sampled(name, 15, **QUICK[name]):
        assert broken(result) == [], result.params


def test_a_token_scores_itself_highest_as_often_as_its_size_lets_it() -> None:
    rows = {row["d"]: row for row in data(run("projections", {}), "self").rows}
    assert rows[64]["iid"] > 0.999
    assert rows[4]["iid"] == pytest.approx(0.565, abs=0.03)
    assert rows[2]["iid"] == pytest.approx(0.279, abs=0.03)
    assert {row["normed"] for row in rows.values()} == {1.0}
    assert all(row["uneven"] < row["iid"] or row["iid"] == 1 for row in rows.values())


def test_two_tokens_are_enough_to_refute_that_a_token_scores_itself_highest() -> None:
    assert data(run("projections", {}), "counterexample").stages[0].values == ((1, 3), (3, 10))


def test_the_share_in_the_sentence_is_that_of_the_table() -> None:
    result = run("projections", {"trials": 50})
    rows = data(result, "self").rows
    said = result.block("self-by-size").look_for
    assert f"a share of {rows[0]['iid']:.3f} scores" in said
    assert f"and {rows[-1]['iid']:.3f} with 128" in said


@pytest.mark.parametrize("line", ["projections", "projections n=7 d=3 d_k=5 seed=4"])
def test_the_copied_projections_give_the_same_asymmetry(line: str) -> None:
    entry, params = parse_line(line)
    result = run(entry.name, params)
    for row in data(result, "symmetry").rows:
        assert copied(result)["symmetry"][row["way"]] == pytest.approx(
            [row["logits"], row["weights"]], abs=1e-12
        )


def test_the_copied_projections_count_the_same_shares() -> None:
    result = run("projections", {"trials": 40, "tokens": 9, "seed": 6})
    rows = data(result, "self").rows
    assert copied(result)["highest"] == {row["d"]: (row["iid"], row["normed"]) for row in rows}


def test_layer_normed_pairs_tie_and_the_table_says_so() -> None:
    x = torch.nn.functional.layer_norm(torch.randn(50, 2, dtype=torch.float64), (2,), eps=0.0)
    torch.testing.assert_close(x.abs(), torch.ones_like(x))
    assert "a tie counts" in run("projections", {"trials": 10}).block("self").look_for


def test_keys_and_values_in_one_matrix_run_and_are_coupled() -> None:
    result = run("projections", {"n": 5, "d": 8, "d_k": 4})
    apart, shared, latent = data(result, "values").rows
    assert [row["weights"] for row in (apart, shared, latent)] == [96, 64, 96]
    assert [row["cached"] for row in (apart, shared, latent)] == [8, 4, 4]
    assert {row["shape"] for row in (apart, shared, latent)} == {"5 x 4"}
    assert shared["differs"] == data(result, "values-differ").got > 0.01


def test_heads_cost_no_products_but_softmax_and_memory() -> None:
    result = run("heads", {})
    rows = data(result, "heads").rows
    assert [row["h"] for row in rows] == [1, 2, 4, 8, 16, 32, 64]
    assert {row["flops"] for row in rows} == {row["counted"] for row in rows} == {2_147_483_648}
    assert (rows[0]["scores"], rows[-1]["scores"]) == (4_194_304, 268_435_456)
    assert (rows[0]["exps"], rows[-1]["exps"]) == (1_048_576, 67_108_864)
    assert data(result, "exponentials").got == 64
    assert set(copied(result)["flops"].values()) == {2_147_483_648}


def test_a_width_that_does_not_divide_is_refused() -> None:
    with pytest.raises(BadParams, match="d_model must be a multiple of h_most"):
        parse_line("heads d_model=100")


def test_a_causality_test_misses_the_bug_that_is_made_twice() -> None:
    rows = {(row["split"], row["merge"]): row for row in data(run("head-split", {}), "ways").rows}
    passes = {way for way, row in rows.items() if row["causal"]}
    assert passes == {("transposed", "transposed"), ("view only", "view only")}
    assert {way for way, row in rows.items() if row["equal"]} == {("transposed", "transposed")}


def test_only_the_transposed_split_and_merge_undo_each_other_and_keep_heads_apart() -> None:
    q, k, v = draw(3, *[(2, 6, 16)] * 3, dtype=torch.float64, device="cpu")
    wanted = by_head(q, k, v, 4)
    for split in SPLITS:
        assert torch.equal(MERGES[split](SPLITS[split](q, 4), 4), q)
        for merge in MERGES:
            right = (split, merge) == ("transposed", "transposed")
            assert (max_error(mha(q, k, v, 4, split, merge), wanted) < 1e-12) is right
    assert not torch.equal(SPLITS["transposed"](q, 4), SPLITS["view only"](q, 4))


def test_the_layouts_say_how_many_tokens_a_head_holds() -> None:
    result = run("head-split", {"n": 6, "h": 4})
    assert "of 6 of the 6 tokens" in result.block("layout-right").look_for
    assert (
        "of 2 of the 6 tokens" in result.block("layout-wrong").look_for
    )  # 6 rows of 4, taken from rows of 16


@pytest.mark.parametrize("line", ["head-split", "head-split batch=1 n=9 h=3 d_k=2 seed=8"])
def test_the_copied_splits_give_the_same_errors(line: str) -> None:
    entry, params = parse_line(line)
    result = run(entry.name, params)
    for row in data(result, "ways").rows:
        assert copied(result)["error"][row["split"], row["merge"]] == pytest.approx(row["error"], abs=1e-9)


def test_neighbours_share_a_key_value_head() -> None:
    result = run("gqa", {"h_q": 8, "h_kv": 2})
    assert data(result, "shapes").head_map == (0, 0, 0, 0, 1, 1, 1, 1)
    interleaved, native, repeated = data(result, "ways").rows
    assert max(interleaved["error"], native["error"]) < 1e-6
    assert repeated["error"] > 0.1
    assert repeated["heads"] == 4
    assert [(row["h_kv"], row["bytes"], row["intensity"]) for row in data(result, "sharing").rows] == [
        (1, 64, 8),
        (2, 128, 4),
        (4, 256, 2),
        (8, 512, 1),
    ]


@pytest.mark.parametrize(("h_kv", "check"), [(8, "repeat-same"), (1, "repeat-same"), (4, "repeat-wrong")])
def test_repeat_is_wrong_only_where_heads_are_shared_in_groups(h_kv: int, check: str) -> None:
    result = run("gqa", {"h_q": 8, "h_kv": h_kv})
    assert data(result, check).holds
    heads = data(result, "ways").rows[2]["heads"]
    said = result.block("ways").look_for
    assert said.startswith(f"By repeat, {heads} of 8 query heads read a wrong head") is (
        check == "repeat-wrong"
    )


@pytest.mark.parametrize("line", ["gqa", "gqa h_q=6 h_kv=3 n=11 d_k=5 seed=2"])
def test_the_copied_sharing_gives_the_same_errors(line: str) -> None:
    entry, params = parse_line(line)
    result = run(entry.name, params)
    rows = {row["way"]: row["error"] for row in data(result, "ways").rows}
    error = copied(result)["error"]
    assert error["repeat"] == pytest.approx(rows["repeat"], abs=1e-5)
    assert error["repeat_interleave"] < 1e-5


@pytest.mark.parametrize(
    ("share", "words"), [(0.25, "neither of them"), (0.0, "one of them"), (1.0, "one of them")]
)
def test_what_is_said_of_one_head_is_what_it_holds(share: float, words: str) -> None:
    result = run("mixing", {"share": share, "first": 2})
    row = data(result, "one-head").stages[0].values[0]
    assert result.block("one-head").look_for.startswith(f"{row[2]:g} of v2 and {row[1]:g} of v1 in one row")
    assert words in result.block("one-head").look_for
    assert result.block("one-head").alt == "1 row of 4 numbers."


def test_one_head_blends_two_values_and_two_heads_keep_both() -> None:
    result = run("mixing", {})
    assert data(result, "one-head").stages[0].values == ((0.5, 0.5, 0, 0),)
    kept = data(result, "two-heads").stages[0].values
    assert [[round(x, 9) for x in row] for row in kept] == [[1, 0, 0, 0], [0, 1, 0, 0]]
    assert [(row["w_o"], row["slices"]) for row in data(result, "slices").rows] == [
        ("identity", 1),
        ("random", 4),
    ]
    assert copied(result)["one_head"].tolist() == [[0.5, 0.5, 0, 0]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mixing n=3 first=3", "first counts from 0, so with n=3 it must be at most 2"),
        ("mixing first=1", "first and second must be two tokens"),
        ("bias d_k=7", "d_k must be even"),
        ("gqa h_q=8 h_kv=3", "multiple of h_kv"),
    ],
)
def test_combinations_that_make_no_sense_are_refused(line: str, words: str) -> None:
    with pytest.raises(BadParams, match=words):
        parse_line(line)


def test_attention_is_equivariant_until_a_mask_gives_it_an_order() -> None:
    result = run("symmetry", {})
    assert [row["true"] for row in data(result, "laws").rows] == [True, False, False, True, True, False]
    error = copied(result)["error"]
    assert error["equivariant"] < 1e-12
    assert error["invariant"] == pytest.approx(data(result, "not-invariant").got, abs=1e-12)
    assert error["causal"] == pytest.approx(data(result, "causal").got, abs=1e-12)


def test_a_permutation_always_moves_a_token() -> None:
    for seed in range(40):
        order = permutation(2, seed)
        assert order.tolist() == [1, 0]


def test_the_bias_on_keys_is_the_one_that_does_nothing() -> None:
    result = run("bias", {})
    query, key, value = data(result, "biases").rows
    assert query["plain"] > 0.1
    assert key["plain"] < 1e-12
    assert key["rope"] > 0.05
    assert value["plain"] == pytest.approx(value["rope"])
    said = float(result.block("biases").look_for.split(" by ")[1].split(":")[0])
    assert 0 < said < 1e-5
    assert copied(result)["change"]["Q"] == pytest.approx(query["plain"], abs=1e-12)


def test_turning_by_positions_keeps_lengths_and_shows_scores_only_differences() -> None:
    q, k = draw(5, (1, 64), (1, 64), dtype=torch.float64, device="cpu")

    def score(i: int, j: int) -> float:
        return float(rotate(q, torch.tensor([i])) @ rotate(k, torch.tensor([j])).mT)

    assert score(7, 3) == pytest.approx(score(107, 103), abs=1e-9)
    assert abs(score(7, 3) - score(7, 4)) > 1e-3
    assert float(rotate(q, torch.tensor([12345])).norm()) == pytest.approx(float(q.norm()))
    assert torch.equal(rotate(q, torch.tensor([0])), q)
