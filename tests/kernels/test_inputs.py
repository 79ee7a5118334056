"""What no kernel takes, in the same words by each: flash, its unfused counterpart, and decoding."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from tests.marks import TRITON_MISSING

pytest.importorskip("triton", reason=TRITON_MISSING)

from kernels.decode import decode
from kernels.device import settle
from kernels.flash import flash
from kernels.naive import naive

DEVICE, _ = settle()
Kernel = Callable[[Tensor, Tensor, Tensor], object]
each_kernel = pytest.mark.parametrize("kernel", [flash, naive, decode], ids=["flash", "naive", "decode"])


@each_kernel
@pytest.mark.parametrize(
    ("shape", "dtype", "words"),
    [
        ((1, 2, 4, 8), torch.float32, "d must be from 16 to 256"),
        ((1, 2, 4, 257), torch.float32, "d must be from 16 to 256"),
        ((2, 4, 32), torch.float32, r"\[batch, heads, tokens, d\]"),
        ((1, 2, 4, 32), torch.float64, "one dtype"),
        ((1, 3, 4, 32), torch.float32, "multiple of h_kv"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(
    kernel: Kernel, shape: tuple[int, ...], dtype: torch.dtype, words: str
) -> None:
    q = torch.zeros(shape, dtype=dtype)
    k = torch.zeros((1, 2, 4, shape[-1]), dtype=dtype) if len(shape) == 4 else q
    with pytest.raises(ValueError, match=words):
        kernel(q, k, k)


@each_kernel
@pytest.mark.skipif(DEVICE != "cpu", reason="a GPU computes bf16 right")
def test_bf16_is_refused_by_the_interpreter(kernel: Kernel) -> None:
    q = torch.zeros((1, 1, 4, 32), dtype=torch.bfloat16)
    with pytest.raises(ValueError, match="wrong products in bfloat16"):
        kernel(q, q, q)
