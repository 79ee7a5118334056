"""What a machine says that it can do."""

import pytest
import torch

from kernels import device


@pytest.mark.parametrize(("chosen", "interpreter"), [(None, False), ("0", False), ("", False), ("1", True)])
def test_on_a_gpu_triton_interprets_only_where_somebody_chose_so(
    chosen: str | None, interpreter: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    if chosen is not None:
        monkeypatch.setenv("TRITON_INTERPRET", chosen)
    monkeypatch.setattr(device, "_cuda", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda index: "NVIDIA H200")
    gpu, cpu = device.capabilities()
    assert (gpu["name"], gpu["interpreter"], cpu["kind"]) == ("NVIDIA H200", interpreter, "cpu")
