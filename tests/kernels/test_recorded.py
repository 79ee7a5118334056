"""Results as files: their names, their text, which there ought to be, and the command that makes them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kernels import record, recorded, show
from kernels.catalog import DEMOS, demo, parse
from kernels.result import OUT_OF_MEMORY, BadResult, Device, Result
from kernels.run import run

CPU = Device("cpu", "AMD EPYC", "", "2.13.0", "3.7.1")
GPU = Device("cuda", "NVIDIA H200 NVL", "580.1", "2.13.0", "3.7.1")
KV = run("kv-cache", {"tokens": 8192})


def of(line: dict[str, object], device: Device = CPU, name: str = "attention") -> Result:
    return replace(KV, demo=name, params=parse(demo(name), line), device=device)


@pytest.mark.parametrize(
    ("result", "name"),
    [
        (of({}), "attention/cpu-defaults.json"),
        (of({"fill": "-1e9", "causal": False}), "attention/cpu-causal=false,fill=-1e9.json"),
        (of({}, GPU, "flash"), "flash/nvidia-h200-nvl-defaults.json"),
        (of({}, replace(GPU, name="")), "attention/cuda-defaults.json"),
        (of({}, replace(CPU, name="Apple M3")), "attention/cpu-defaults.json"),
    ],
)
def test_a_file_is_called_by_device_and_parameters(result: Result, name: str) -> None:
    assert recorded.file_name(result) == name


def test_a_long_line_is_called_by_its_hash_and_each_by_another() -> None:
    many = {
        "example": "random",
        "n_q": 1000,
        "n_kv": 1000,
        "d_k": 100,
        "h_q": 64,
        "h_kv": 32,
        "dtype": "bf16",
    }
    names = {recorded.file_name(of({**many, "seed": seed, "scale": "none"})) for seed in range(5)}
    assert len(names) == 5
    assert all(len(Path(name).stem) <= 90 for name in names)


def test_the_first_line_is_all_but_the_blocks_and_then_comes_one_block_a_line() -> None:
    result = replace(KV, origin="recorded")
    text = recorded.text(result)
    assert recorded.read(text).to_json() == result.to_json()
    first, *blocks, last = text.splitlines()
    assert (last, len(blocks)) == ("]}", len(result.blocks))
    assert [json.loads(line.rstrip(","))["id"] for line in blocks] == [block.id for block in result.blocks]
    head = json.loads(f"{first}]}}")
    assert (head["params"], head["code"], head["blocks"]) == (result.params, result.code, [])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "no JSON object"),
        ("null", "no JSON object"),
        ("{}", "^The result says no schema; this reads 1.$"),
        ('{"schema":2}', '^The result is of schema "2"; this reads 1.$'),
        (json.dumps(KV.to_json()), "origin is 'live'"),
        (recorded.text(replace(KV, origin="recorded"))[:-40], "no JSON"),
    ],
)
def test_what_is_no_record_is_told_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(BadResult, match=why) as told:
        recorded.read(text)
    assert str(told.value).endswith(".")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda path: path.write_bytes(b"\xff\xfe"), "It is no text in UTF-8."),
        (lambda path: path.write_text(" " * 1_000_001), "It is larger than 1 MB, the most that is kept."),
        (lambda path: (path.unlink(), path.mkdir()), "It cannot be read (Is a directory)."),
        (Path.unlink, "It cannot be read (No such file or directory)."),
    ],
)
def test_a_file_that_is_no_record_is_told_in_a_sentence(
    tmp_path: Path, spoil: Callable[[Path], object], why: str
) -> None:
    path = recorded.write(tmp_path, KV)
    assert recorded.load(path).blocks == KV.blocks
    spoil(path)
    with pytest.raises(BadResult) as told:
        recorded.load(path)
    assert str(told.value) == why


def test_a_new_record_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    for wall_ms in (1, 2):
        path = recorded.write(tmp_path, replace(KV, wall_ms=wall_ms))
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == [path]
    assert recorded.read(path.read_text()).wall_ms == 2
    assert path.stat().st_mode & 0o777 == 0o644


def test_every_demo_is_wanted_with_its_defaults_and_each_line_once() -> None:
    lines = recorded.wanted(
        "# a list\nkv-cache model=llama-3-70b\nkv-cache batch=2  # two\n\nkv-cache batch=2", "cpu"
    )
    assert lines == (*DEMOS, "kv-cache batch=2")


def test_a_gpu_is_asked_for_its_own_lines_and_for_no_calculation() -> None:
    listed = "kv-cache batch=2\ncuda: flash n_q=4096 dtype=bf16"
    assert recorded.wanted(listed, "cpu")[-1] == "kv-cache batch=2"
    on_gpu = recorded.wanted(listed, "cuda")
    assert on_gpu[-1] == "flash n_q=4096 dtype=bf16"
    assert "kv-cache batch=2" not in on_gpu
    assert {DEMOS[line.split()[0]].modes for line in on_gpu} & {("calculated",)} == set()


def test_a_line_that_no_demo_takes_is_told() -> None:
    with pytest.raises(ValueError, match="did you mean flash"):
        recorded.wanted("flahs", "cpu")


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def kept(tmp_path: Path, said: list[str]) -> Callable[..., bool]:
    def make(*lines: str, run: Callable[[str], Result] = lambda line: KV) -> bool:
        return recorded.record(lines, tmp_path, run, interpreter=True, say=said.append)

    return make


def test_a_run_whose_memory_ran_out_is_no_record(kept: Callable[..., bool], said: list[str]) -> None:
    empty = replace(KV, blocks=(show.note(OUT_OF_MEMORY, "Memory ran out."),))
    assert not kept("kv-cache", run=lambda line: empty)
    assert said == ["kv-cache: not made. Memory ran out during the run."]


def test_what_this_machine_cannot_run_is_left_out_and_no_failure(
    kept: Callable[..., bool], said: list[str]
) -> None:
    assert kept("flash dtype=bf16", "kv-cache tokens=8192")
    assert "left out. bf16 needs a GPU" in said[0]
    assert "kv-cache/cpu-tokens=8192.json" in said[1]


def test_a_run_that_fails_is_told_and_the_others_are_made(kept: Callable[..., bool], said: list[str]) -> None:
    def run_one(line: str) -> Result:
        if line == "attention":
            raise recorded.NotMade("Memory ran out.")
        return KV

    assert not kept("attention", "kv-cache tokens=8192", run=run_one)
    assert said[0] == "attention: not made. Memory ran out."
    assert "kv-cache/cpu-tokens=8192.json" in said[1]


def test_a_record_that_cannot_be_written_is_told_and_the_others_are_made(
    kept: Callable[..., bool], said: list[str], tmp_path: Path
) -> None:
    (tmp_path / "attention").touch()  # where its folder would be
    assert not kept(
        "attention", "kv-cache tokens=8192", run=lambda line: of({}) if line == "attention" else KV
    )
    assert said[0] == "attention: not kept. Its file cannot be written (File exists)."
    assert "kv-cache/cpu-tokens=8192.json" in said[1]


def test_a_folder_that_cannot_be_made_is_told_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert record.main(["kv-cache", "--into", str(tmp_path / "file" / "records")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.endswith("records (Not a directory). Name another folder with --into.\n")


@pytest.mark.parametrize(
    "words",
    [["flash", "n_q=113", "causal=false", "kv-cache"], ["flash n_q=113 causal=false", "kv-cache"],
     ["flash n_q=113", "causal=false kv-cache"]],
)  # fmt: skip
def test_lines_are_read_from_words_however_a_shell_cuts_them(words: list[str]) -> None:
    assert recorded.lines_of(words) == ("flash n_q=113 causal=false", "kv-cache")


def test_a_value_without_a_demo_is_told_and_no_words_are_no_lines() -> None:
    assert recorded.lines_of([]) == ()
    with pytest.raises(ValueError, match='no demo "n_q=113"'):
        recorded.lines_of(["n_q=113", "flash"])


@pytest.mark.parametrize("words", [["kv-cache batch=2"], ["kv-cache", "batch=2"]])
def test_the_command_makes_records_without_the_web_side(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert record.main([*words, "--into", str(tmp_path), "--device", "cpu"]) == 0
    made = recorded.read((tmp_path / "kv-cache/cpu-batch=2.json").read_text())
    assert (made.origin, made.params["batch"]) == ("recorded", 2)
    assert "kv-cache/cpu-batch=2.json" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"), [(["flahs"], "did you mean flash"), (["flash n_q=0"], "n_q must be")]
)
def test_the_command_runs_nothing_for_a_line_that_no_demo_takes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert record.main(["kv-cache", *arguments, "--into", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
