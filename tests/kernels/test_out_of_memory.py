"""Memory that runs out is a result in words, and leaves nothing behind."""

import gc
import weakref

import numpy as np
import pytest
import torch

import kernels.run
from kernels import out_of_memory
from kernels.catalog import demo, parse
from kernels.job import Job
from kernels.result import Note, Result
from kernels.run import run

FAR_TOO_MUCH = 2**50  # floats: more than a process can address


def job(name: str = "kv-cache", **params: object) -> Job:
    return Job(parse(demo(name), params))


@pytest.fixture
def greedy(monkeypatch: pytest.MonkeyPatch):
    """Lets every demo do this instead of its own."""

    def replace(body) -> None:
        monkeypatch.setattr(kernels.run, "_body", lambda name: body)

    return replace


def test_the_note_says_what_was_asked_what_is_free_and_what_to_lower(greedy) -> None:
    greedy(lambda job: (torch.empty(FAR_TOO_MUCH),))
    result = Result.from_json(run("kv-cache", {"batch": 2}).to_json())
    (block,) = result.blocks
    assert isinstance(block.data, Note)
    assert block.id == "out-of-memory"
    assert block.data.text.startswith(
        "Memory ran out during this run. It asked for 4.0 PiB at once. Now that"
    )
    assert "iB are free." in block.data.text
    assert block.data.text.endswith("Lower tokens or batch.")


@pytest.mark.parametrize(
    ("error", "bytes_"),
    [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB. GPU 0 has"), 20 * 2**30),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes."), 4096),
        (MemoryError("Unable to allocate 8.00 PiB for an array with shape (1, )"), 8 * 2**50),
        (MemoryError(), None),
    ],
)
def test_each_library_says_it_in_its_own_way(error: Exception, bytes_: int | None) -> None:
    assert out_of_memory.caused(error)
    assert out_of_memory.asked(error) == bytes_


def test_the_words_are_those_that_the_libraries_use_now() -> None:
    for body in (lambda: torch.empty(FAR_TOO_MUCH), lambda: np.zeros(FAR_TOO_MUCH)):
        with pytest.raises((RuntimeError, MemoryError)) as raised:
            body()
        assert out_of_memory.caused(raised.value)
        assert out_of_memory.asked(raised.value) in (2**52, 2**53)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("CUDA error: out of memory"),  # of a context that may be broken, so the child must go
        RuntimeError("CUDA error: an illegal memory access was encountered"),
        ValueError("4 out of 5"),
    ],
)
def test_other_errors_stay_errors(error: Exception, greedy) -> None:
    def body(job: Job) -> None:
        raise error

    greedy(body)
    with pytest.raises(type(error), match=str(error)):
        run("kv-cache", {})


def test_what_the_run_held_is_given_back_before_what_is_free_is_told(greedy, monkeypatch) -> None:
    held: list[weakref.ref] = []
    gone: list[bool] = []

    def body(job: Job) -> None:
        tensor = torch.zeros(1000)
        held.append(weakref.ref(tensor))
        torch.empty(FAR_TOO_MUCH)

    monkeypatch.setattr("kernels.memory.available", lambda device: gone.append(held[0]() is None))
    greedy(body)
    gc.disable()
    try:
        run("kv-cache", {})
    finally:
        gc.enable()
    assert gone == [True]


def test_what_is_at_its_least_is_not_to_be_lowered() -> None:
    entry = demo("kv-cache")
    assert out_of_memory.advice(entry, job(batch=1, tokens=1)).startswith("Nothing here can be lowered")
    assert out_of_memory.advice(entry, job(batch=1, tokens=2)) == "Lower tokens."
    assert out_of_memory.advice(demo("flash"), job("flash", h_q=1, d=16)) == "Lower n_q or n_kv."
