"""Kernels are tested on the device that is here: Triton must know of it before it is first imported."""

from __future__ import annotations

from kernels.device import settle

settle()
