"""The one entry: what it fills in, what it refuses, and that a demo's hash covers all its code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import pytest

from kernels import device
from kernels.catalog import DEMOS, BadParams, UnknownDemo, code_hash, parse
from kernels.result import Refused
from kernels.run import run
from kernels.sources import FRAME
from tests.marks import triton

KERNELS = Path(__file__).parents[2] / "kernels"


LOADED = """
import importlib, json, sys
from kernels.catalog import DEMOS
from kernels.sources import sources
for name in DEMOS:
    for module in [m for m in sys.modules if m.startswith("kernels")]:
        del sys.modules[module]
    importlib.import_module("kernels.run")
    before = set(sys.modules)
    importlib.import_module(f"kernels.demos.{name.replace('-', '_')}")
    added = sorted(m.removeprefix("kernels.") for m in set(sys.modules) - before if m.startswith("kernels."))
    print(json.dumps([name, added, sources(name)]))
"""
HASHES = """
import json
from kernels.catalog import DEMOS, code_hash
from kernels.sources import sources
print(json.dumps({name: [code_hash(name), sources(name)] for name in DEMOS}))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The code as it stands now, whoever changes it while a test runs."""
    return copied(KERNELS, tmp_path / "one")


def copied(kernels: Path, into: Path) -> Path:
    return shutil.copytree(kernels, into / "kernels", ignore=shutil.ignore_patterns("__pycache__"))


def told(code: str, kernels: Path) -> str:
    """What a fresh process prints that imports this copy."""
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=kernels.parent, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_what_a_demo_loads_counts_as_its_source(copy: Path) -> None:
    """Seen from outside, each demo imported anew: no module that computes numbers may be missing in the hash."""
    loaded = [json.loads(line) for line in told(LOADED, copy).splitlines()]
    assert [name for name, _, _ in loaded] == list(DEMOS)
    for name, added, sources in loaded:
        counted = {source.removesuffix(".py").replace("/", ".") for source in sources}
        assert set(added) - FRAME - {"demos"} <= counted, name
        assert f"demos.{name.replace('-', '_')}" in added
        assert name != "kv-cache" or "flash.py" not in sources


def test_a_changed_file_changes_the_hash_of_the_demos_that_use_it_alone(copy: Path, tmp_path: Path) -> None:
    before = json.loads(told(HASHES, copy))
    assert json.loads(told(HASHES, copied(copy, tmp_path / "two"))) == before  # wherever it lies
    (copy / "tiles.py").write_text((copy / "tiles.py").read_text() + "# changed\n")
    changed = {
        name for name, (value, _) in json.loads(told(HASHES, copy)).items() if value != before[name][0]
    }
    assert changed == {name for name, (_, sources) in before.items() if "tiles.py" in sources}
    assert changed
    assert changed != set(DEMOS)


def test_a_result_says_where_when_and_from_which_code_it_came() -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    steps: list[tuple[float, str]] = []
    result = run(
        "decode-alignment", {"n_q": "2", "seed": 9}, progress=lambda done, words: steps.append((done, words))
    )
    assert result.params == {"n_q": 2, "n_kv": 6, "h": 2, "d_k": 8, "seed": 9}
    assert (result.demo, result.seed, result.origin, result.mode) == ("decode-alignment", 9, "live", "eager")
    assert before <= datetime.fromisoformat(result.at) <= datetime.now(UTC)
    assert result.code == code_hash("decode-alignment")
    assert result.device.name
    assert result.device.torch
    assert result.wall_ms >= 0
    fractions = [done for done, _ in steps]
    assert fractions == sorted(fractions)
    assert (fractions[0], fractions[-1]) == (0, 1)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a GPU, as far as names go: nothing can be computed on it."""
    monkeypatch.setattr(device, "_cuda", lambda: True)
    monkeypatch.setattr(device, "_gpu_name", lambda: "NVIDIA H200")
    monkeypatch.setattr(device, "_driver", lambda: "580.1")


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("name", [n for n, d in DEMOS.items() if not d.uses_device(parse(d, {}))])
def test_what_a_cpu_computes_bears_no_gpus_name(name: str) -> None:
    result = run(name, {})
    assert (result.device.kind, result.device.driver) == ("cpu", "")
    assert result.device.name == device.cpu_name()


@pytest.mark.usefixtures("gpu")
def test_what_a_gpu_computes_bears_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr("kernels.demos.attention.run", lambda job: seen.append(job.device) or ())
    result = run("attention", {})
    assert seen == ["cuda"]
    assert (result.device.kind, result.device.name, result.device.driver) == ("cuda", "NVIDIA H200", "580.1")


@pytest.mark.parametrize("name", DEMOS)
def test_the_catalogue_says_where_a_demo_computes(name: str) -> None:
    """A demo that never asks for the device computes on the CPU, and one that asks is told to be on it."""
    stem = name.replace("-", "_")
    asks = any("job.device" in file.read_text() for file in (KERNELS / "demos").glob(f"{stem}*.py"))
    entry = DEMOS[name]
    assert (entry.on == "device" and entry.modes != ("calculated",)) is asks


def test_a_calculation_that_measures_says_so() -> None:
    assert run("roofline", {}).mode == "calculated"
    assert run("roofline", {"device": "here"}).mode == "eager"


def test_the_same_seed_gives_the_same_blocks() -> None:
    one, two, other = (run("attention", {"example": "random", "seed": seed}) for seed in (3, 3, 4))
    assert one.blocks == two.blocks
    assert one.block("weights") != other.block("weights")


@pytest.mark.parametrize("seed", [-1, 2**32])
def test_a_seed_has_limits(seed: int) -> None:
    with pytest.raises(BadParams, match="seed must be a whole number from 0"):
        run("decode-alignment", {"seed": seed})


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(UnknownDemo):
        run("flashy", {})
    with pytest.raises(BadParams):
        run("flash", {"n_q": 0})


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "find_spec", lambda _: None)
    with pytest.raises(Refused, match="needs torch, which is not installed"):
        run("attention", {})


def test_without_triton_a_kernel_is_refused_and_plain_pytorch_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "find_spec", lambda name: None if name == "triton" else find_spec(name))
    with pytest.raises(Refused, match=r"needs triton, which is not installed.* It exists for Linux only\."):
        run("flash", {})
    assert run("attention", {}).blocks


def test_without_triton_no_device_interprets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_version", lambda library: "" if library == "triton" else "2.13.0")
    assert [(here["triton"], here["interpreter"]) for here in device.capabilities()][-1] == ("", False)


@triton
def test_without_a_gpu_triton_interprets_whatever_the_environment_says() -> None:
    code = "from kernels.run import run; print(run('flash', {'n_q': 16, 'n_kv': 16, 'd': 16, 'h_q': 1}).mode)"
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "TRITON_INTERPRET": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=KERNELS.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "interpreter"


def test_capabilities_end_with_the_cpu() -> None:
    *_, cpu = device.capabilities()
    assert set(cpu) == {"kind", "name", "driver", "torch", "triton", "interpreter"}
    assert cpu["kind"] == "cpu"
    assert cpu["interpreter"] is bool(cpu["triton"])
