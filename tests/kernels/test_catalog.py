"""The catalogue: what is read, what is refused and in which words, and that none of it needs torch."""

from __future__ import annotations

import itertools
import math
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kernels import catalog
from kernels.catalog import (
    DEMOS,
    BadParams,
    Demo,
    Param,
    UnknownDemo,
    canonical,
    demo,
    params_hash,
    parse,
    parse_line,
    refusals,
)
from kernels.params import NotRead
from tests.kernels import sampling

ROOT = Path(__file__).parents[2]


def test_importing_it_imports_neither_torch_nor_triton() -> None:
    code = (
        "import sys, kernels.catalog, kernels.result; print({'torch', 'triton', 'numpy'} & set(sys.modules))"
    )
    seen = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "set()"


def test_demos_of_a_topic_stand_together_and_every_demo_has_its_module() -> None:
    topics = [entry.topic for entry in DEMOS.values()]
    assert [topic for topic, _ in itertools.groupby(topics)] == list(dict.fromkeys(topics))
    for name in DEMOS:
        assert (ROOT / "kernels/demos" / f"{name.replace('-', '_')}.py").exists()


@pytest.mark.parametrize("entry", DEMOS.values(), ids=DEMOS)
def test_every_entry_is_complete_and_its_defaults_are_valid(entry: catalog.Demo) -> None:
    assert entry.title
    assert entry.look_for.endswith(".")
    assert entry.summary.endswith(".")
    for param in entry.params:
        assert param.read(param.default) == param.default
        assert (param.low is None) == (param.high is None) == (param.kind not in ("int", "float"))
    assert parse(entry, {}) == {param.name: param.default for param in entry.params}


def test_an_unknown_demo_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownDemo, match=r'no demo "flsh"; did you mean flash\?'):
        demo("flsh")
    with pytest.raises(UnknownDemo, match="choose one of attention, "):
        demo("")


@pytest.mark.parametrize(
    ("given", "value"),
    [("113", 113), (" 7 ", 7), (113, 113), (113.0, 113), ("0113", 113), ("", 4), (" \t", 4), (None, 4)],
)
def test_whole_numbers_are_read_from_text_and_json(given: object, value: int) -> None:
    assert parse(demo("attention"), {"example": "random", "n_q": given})["n_q"] == value


BAD_NUMBERS = (
    "0", "-1", "1e3", "1.5", "many", "nan", "inf", "9" * 400, "8193", True, False, 1.5, math.nan, math.inf, [], {},
    "1\x00", "１２", "1_000", "٣", 10**30, "--1", "1 2",
)  # fmt: skip


@pytest.mark.parametrize("given", BAD_NUMBERS, ids=repr)
def test_a_number_that_is_none_gets_one_sentence_that_says_what_to_give(given: object) -> None:
    with pytest.raises(BadParams) as caught:
        parse(demo("attention"), {"example": "random", "n_q": given})
    (sentence,) = caught.value.sentences
    assert sentence.startswith("n_q must be a whole number from 1 to 8,192; you gave ")
    assert len(sentence) < 120
    assert sentence.isprintable()


@pytest.mark.parametrize(
    ("given", "value"), [("true", True), ("Off", False), (1, True), (0, False), (False, False), ("1", True)]
)
def test_truth_is_read_from_text_and_json(given: object, value: bool) -> None:
    assert parse(demo("flash"), {"causal": given})["causal"] is value


@pytest.mark.parametrize("given", ["perhaps", 2, [], 0.5])
def test_what_is_neither_true_nor_false_is_refused(given: object) -> None:
    with pytest.raises(BadParams, match="causal must be true or false"):
        parse(demo("flash"), {"causal": given})


@pytest.mark.parametrize("given", ["fp12", "", 3, None, [], "FP16 "])
def test_a_choice_is_one_of_its_words(given: object) -> None:
    if given in ("", None):
        assert parse(demo("flash"), {"dtype": given})["dtype"] == "fp32"
    elif given == "FP16 ":
        assert parse(demo("flash"), {"dtype": given})["dtype"] == "fp16"
    else:
        with pytest.raises(BadParams, match="dtype must be one of fp32, fp16, bf16"):
            parse(demo("flash"), {"dtype": given})


@pytest.mark.parametrize(
    ("given", "value"), [("0.25", 0.25), (" .5 ", 0.5), ("1.", 1.0), ("25e-2", 0.25), ("+1", 1.0), (0, 0.0)]
)
def test_a_number_with_a_point_is_read_as_it_is_written(given: object, value: float) -> None:
    assert Param("p", "float", 0.5, "P", "", low=0, high=1).read(given) == value


@pytest.mark.parametrize(
    "given", ["nan", "inf", math.nan, -math.inf, "2", True, "", "x", None, "0.2_5", "٠", "0x0", "1e", "."]
)
def test_a_number_with_a_point_keeps_its_limits(given: object) -> None:
    param = Param("p", "float", 0.5, "P", "", low=0, high=1)
    with pytest.raises(NotRead, match="p must be a number from 0 to 1; you gave"):
        param.read(given)


@pytest.mark.parametrize("entry", DEMOS.values(), ids=DEMOS)
def test_a_run_that_is_too_large_is_told_so_once(entry: catalog.Demo) -> None:
    """Memory and time have one cause: whoever lowers what the first sentence names meets the other limit then."""
    rng = random.Random(7)
    for _ in range(300):
        raw = {param.name: sampling.some(param, rng) for param in entry.params}
        try:
            sentences = refusals(entry, parse(entry, raw), interpreter=True)
        except BadParams as error:
            sentences = error.sentences
        assert sum("lower" in sentence for sentence in sentences) <= 1, sentences


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(BadParams) as caught:
        parse(demo("flash"), {"n_k": 1, "d": 8, "h_q": "x"})
    assert [s.split()[0] for s in caught.value.sentences] == ["flash", "d", "h_q"]
    assert "did you mean n_kv?" in caught.value.sentences[0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("flash h_q=8 h_kv=3", "multiple of h_kv"),
        ("flash n_q=16384 n_kv=16384 h_q=64 d=256 batch=8", "limit 2 GiB"),
        ("attention n_q=8", "set example=random to choose n_q"),
        ("attention example=random h_q=4 h_kv=3", "multiple of h_kv"),
        ("attention example=random h_q=2 head=2", "at most 1"),
        ("attention example=random n_q=8192 n_kv=8192 h_q=8", "limit 1.25 GiB"),
        ("attention example=random n_q=1 n_kv=8192 d_k=512 h_q=64 h_kv=64", "limit 1.25 GiB"),
        ("attention example=random n_q=8 n_kv=8192 d_k=512 h_q=64 h_kv=64 dtype=fp64", "limit 1.25 GiB"),
        ("attention example=random n_q=4096 n_kv=4096 h_q=4 d_k=512", "multiply-adds"),
        ("attention example=random dtype=fp16 fill=-1e9", "use fill=-inf"),
        ("decode-alignment n_q=7 n_kv=6", "n_q must be at most n_kv=6"),
    ],
)
def test_combinations_that_make_no_sense_are_refused(line: str, words: str) -> None:
    with pytest.raises(BadParams) as caught:
        parse_line(line)
    (sentence,) = caught.value.sentences
    assert words in sentence
    assert re.search(r"\.$", sentence)


@pytest.mark.parametrize(
    ("params", "words"),
    [({"dtype": "bf16"}, "bf16 needs a GPU"), ({"n_q": 4096, "n_kv": 4096}, "interpreted")],
)
def test_what_only_a_gpu_can_run_is_refused_by_the_interpreter_alone(
    params: dict[str, object], words: str
) -> None:
    flash = demo("flash")
    (sentence,) = catalog.refusals(flash, parse(flash, params), interpreter=True)
    assert words in sentence
    assert catalog.refusals(flash, parse(flash, params), interpreter=False) == ()


def test_a_line_reads_back_as_itself() -> None:
    line = "flash n_q=113 n_kv=203 d=80 causal=false"
    entry, params = parse_line(line)
    assert f"{entry.name} {canonical(entry, params)}" == line
    assert canonical(*parse_line("flash causal=true d=64")) == ""


@pytest.mark.parametrize("line", ["flash n_q", "flash =3", "flash n_q=", "flash n_q = 3", "flash d=64 d=80"])
def test_a_line_that_is_no_list_of_pairs_is_refused(line: str) -> None:
    with pytest.raises(BadParams):
        parse_line(line)


def test_the_hash_of_parameters_knows_defaults_from_changes() -> None:
    entry, params = parse_line("flash d=80")
    assert params_hash(entry, params) == params_hash(entry, parse(entry, {"d": 80.0, "n_q": "128"}))
    assert params_hash(entry, params) != params_hash(entry, parse(entry, {}))


@pytest.mark.parametrize("entry", DEMOS.values(), ids=lambda entry: entry.name)
def test_a_label_stands_for_a_choice_and_for_one_alone(entry: Demo) -> None:
    for param in entry.params:
        shown = [param.labels.get(choice, choice) for choice in param.choices]
        assert set(param.labels) <= set(param.choices), param.name
        assert len(set(shown)) == len(shown), param.name
