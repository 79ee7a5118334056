"""What a child is given: caches it can write, its own device, no secrets."""

import os
from pathlib import Path

from app.worker.devices import cuda_names, served, takes
from app.worker.environment import child_environment

CPU = {"kind": "cpu"}
GPU = {"kind": "cuda"}


def test_the_caches_lie_in_the_data_folder(tmp_path):
    made = child_environment(tmp_path / "cache", base={})
    assert made["TRITON_CACHE_DIR"] == str(tmp_path / "cache" / "triton")
    assert made["TORCHINDUCTOR_CACHE_DIR"] == str(tmp_path / "cache" / "inductor")


def test_a_cache_that_was_chosen_by_hand_is_kept(tmp_path):
    made = child_environment(tmp_path, base={"TRITON_CACHE_DIR": "/fast/disk"})
    assert made["TRITON_CACHE_DIR"] == "/fast/disk"


def test_a_folder_that_cannot_be_written_is_replaced_by_a_temporary_one_of_our_own(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = Path(child_environment(tmp_path / "file" / "cache", base={})["TRITON_CACHE_DIR"]).parent
    assert cache.stat().st_uid == os.getuid()
    assert not cache.stat().st_mode & 0o022


def test_threads_that_wait_sleep_unless_somebody_chose_that_they_spin():
    assert child_environment(base={})["OMP_WAIT_POLICY"] == "passive"
    assert child_environment(base={"OMP_WAIT_POLICY": "active"})["OMP_WAIT_POLICY"] == "active"


def test_secrets_of_the_worker_are_not_handed_on():
    made = child_environment(base={"ALOUD_TOKEN": "secret", "ALOUD_ENDPOINT_KEYS": "box=secret"})
    assert "secret" not in str(made)


def test_one_cuda_device_needs_no_choice_and_several_get_a_child_each():
    assert list(cuda_names([CPU], {})) == []
    assert list(cuda_names([GPU, GPU, CPU], {})) == ["0", "1"]
    assert list(cuda_names([GPU, GPU, CPU], {"CUDA_VISIBLE_DEVICES": "3,5"})) == ["3", "5"]


def test_runs_take_place_on_the_gpu_where_there_is_one():
    assert served([GPU, CPU]) == [GPU]
    assert served([CPU]) == [CPU]


def test_only_a_gpu_that_triton_compiles_for_takes_from_the_lane_of_the_gpu():
    assert takes([{**GPU, "interpreter": False}, CPU]) == ("gpu", "demo")
    assert takes([{**GPU, "interpreter": True}]) == ("demo",)  # TRITON_INTERPRET=1 was set by hand
    assert takes([{**CPU, "interpreter": True}]) == ("demo",)
    assert takes([{"kind": "speech", "name": "tiny.en"}]) == ("speech",)
    assert takes([{**CPU, "interpreter": False}]) == ("demo",)  # without Triton nothing compiles, either
