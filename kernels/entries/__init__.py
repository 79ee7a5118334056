"""What the catalogue holds: one file per demo with its parameters, limits and rules. Imports no torch."""

from __future__ import annotations

from kernels.entries import attention, decode_alignment, flash, kv_cache
from kernels.params import Demo

ENTRIES: tuple[Demo, ...] = (attention.DEMO, flash.DEMO, decode_alignment.DEMO, kv_cache.DEMO)
"""All demos, in the order in which they are shown."""
