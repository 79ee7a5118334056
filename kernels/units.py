"""Units of bytes, and of bytes and operations a second. Imports no torch.

Memory is allocated by the binary ones and sold by the decimal ones: 40 GiB are 42.95 GB.
"""

from __future__ import annotations

KIB, MIB, GIB = 2**10, 2**20, 2**30
GB, TERA = 10**9, 10**12
