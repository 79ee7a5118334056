"""Attention as running code: the reference, the Triton kernel, the demos. Knows nothing of the web."""
