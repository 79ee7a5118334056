"""What a run holds is estimated honestly, kept below what a small machine has, and refused where it is not free."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from kernels import memory
from kernels.catalog import demo, parse, parse_line
from kernels.entries.attention import HELD_LIMIT, SMALL, held_bytes
from kernels.result import Refused
from kernels.run import run

ROOT = Path(__file__).parents[2]
PEAK = """
import re, sys
from kernels import memory, timing
from kernels.catalog import parse_line
from kernels.run import run
once = lambda call: (call(), timing.Times(1, 1.0, 1.0, 1.0))[1]  # the clock is of no interest here
timing.race = lambda calls, device, **_: {label: once(call) for label, call in calls.items()}
memory.peak = lambda call, device: (call(), 1)[1]  # it sets back the mark that is read here
run("attention", {"example": "random", "n_q": 64, "n_kv": 64})  # what torch itself takes comes with the first run
def status(field): return int(re.search(field + r":\\s+(\\d+)", open("/proc/self/status").read())[1]) * 1024
before = status("VmRSS")
entry, params = parse_line(sys.argv[1])
run(entry.name, params)
print(status("VmHWM") - before)
"""


LINES = (
    "n_q=1 n_kv=8192 d_k=512 h_q=12 h_kv=12",
    "n_q=8 n_kv=8192 d_k=256 h_q=12 h_kv=12 dtype=fp64",
    "n_q=8 n_kv=8192 d_k=512 h_q=64 h_kv=1",
    "n_q=1023 n_kv=8192 d_k=32 h_q=32 h_kv=1",
    "n_q=2048 n_kv=2048 d_k=16 h_q=4 h_kv=4 dtype=fp64",
    "n_q=1024 n_kv=1024 d_k=64 h_q=32 h_kv=8",
)


@pytest.fixture(scope="module")
def peaks() -> dict[str, int]:
    """What each line holds at its peak, in a process of its own: as many at once as there are processors."""

    def peak(line: str) -> int:
        command = [sys.executable, "-c", PEAK, f"attention example=random {line}"]
        return int(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(zip(LINES, pool.map(peak, LINES), strict=True))


def forget_code_of_torch() -> None:
    """Let the system drop the pages of its largest library, as it may with what is idle (madvise(2))."""
    libc, pageout = ctypes.CDLL("libc.so.6"), 21
    for start, end in re.findall(
        r"^(\w+)-(\w+) r.*libtorch_cpu", Path("/proc/self/maps").read_text(), re.MULTILINE
    ):
        at, size = int(start, 16), int(end, 16) - int(start, 16)
        libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(size), pageout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_code_that_is_read_from_disk_again_is_no_memory_of_the_call() -> None:
    def call() -> None:
        x = torch.zeros(2048, 2048)
        torch.softmax(x @ x, -1)

    call()
    warm = memory.peak(call, "cpu")
    forget_code_of_torch()
    cold = memory.peak(call, "cpu")
    assert warm is not None
    assert cold == pytest.approx(warm, abs=2_000_000)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("line", LINES)
def test_a_run_holds_no_more_than_estimated_and_not_much_less(peaks: dict[str, int], line: str) -> None:
    estimate = held_bytes(parse_line(f"attention example=random {line}")[1])
    assert peaks[line] <= estimate <= 1.3 * peaks[line] + SMALL


@pytest.mark.parametrize(
    "given",
    [
        {"n_q": 1, "n_kv": 8192, "d_k": 512, "h_q": 64, "h_kv": 64},
        {"n_q": 8, "n_kv": 8192, "d_k": 512, "h_q": 64, "h_kv": 64, "dtype": "fp64"},
        {"n_q": 8192, "n_kv": 8192, "dtype": "fp64"},
    ],
)
def test_inputs_and_copies_count_as_well_as_scores(given: dict[str, object]) -> None:
    entry = demo("attention")
    params = {p.name: p.default for p in entry.params} | given | {"example": "random"}
    assert held_bytes(params) > HELD_LIMIT  # type: ignore[arg-type]
    assert any("limit 1.25 GiB" in sentence for sentence in entry.rules(params))  # type: ignore[arg-type]


def test_the_classic_case_of_4096_tokens_and_8_heads_is_within_the_limit() -> None:
    given = {"example": "random", "n_q": 4096, "n_kv": 4096, "d_k": 64, "h_q": 8, "h_kv": 8}
    assert 2**30 < held_bytes(parse(demo("attention"), given)) <= HELD_LIMIT


def test_a_run_that_does_not_fit_now_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available", lambda _: 2**27)
    for name in ("attention", "flash"):
        with pytest.raises(Refused, match=r"would hold 0\.[1-9] GiB and 0\.1 GiB are free.*; lower .*\."):
            run(name, {})


def test_a_container_s_limit_counts(tmp_path: Path) -> None:
    files = {"max": "2147483648\n", "current": "1610612736\n", "stat": "anon 1\ninactive_file 268435456\n"}
    for name, text in files.items():
        (tmp_path / f"memory.{name}").write_text(text)
    assert memory.left_in_container(tmp_path) == 2**29 + 2**28
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.left_in_container(tmp_path) is None
    assert memory.left_in_container(tmp_path / "none") is None
