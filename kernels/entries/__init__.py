"""What the catalogue holds: one file per demo with its parameters, limits and rules. Imports no torch."""

from __future__ import annotations

from kernels.entries import (
    attention,
    bias,
    blind_rows,
    decode_alignment,
    decoding,
    dropout,
    flash,
    fusing,
    gqa,
    gradients,
    head_split,
    heads,
    kv_cache,
    mask_buffer,
    mask_bugs,
    masks,
    memory,
    mixing,
    mla,
    online_softmax,
    parameters,
    precision,
    projections,
    pytorch_masks,
    rank,
    roofline,
    rope,
    scaling,
    serving,
    softmax,
    speed,
    split_kv,
    symmetry,
)
from kernels.params import Demo

ENTRIES: tuple[Demo, ...] = (
    # the formula
    attention.DEMO,
    scaling.DEMO,
    softmax.DEMO,
    gradients.DEMO,
    rank.DEMO,
    precision.DEMO,
    # masks
    masks.DEMO,
    decode_alignment.DEMO,
    mask_bugs.DEMO,
    blind_rows.DEMO,
    pytorch_masks.DEMO,
    mask_buffer.DEMO,
    # heads and projections
    projections.DEMO,
    heads.DEMO,
    head_split.DEMO,
    gqa.DEMO,
    mixing.DEMO,
    symmetry.DEMO,
    bias.DEMO,
    rope.DEMO,
    dropout.DEMO,
    parameters.DEMO,
    # kernels
    online_softmax.DEMO,
    fusing.DEMO,
    flash.DEMO,
    # decoding and serving
    decoding.DEMO,
    split_kv.DEMO,
    mla.DEMO,
    kv_cache.DEMO,
    serving.DEMO,
    # cost
    roofline.DEMO,
    memory.DEMO,
    speed.DEMO,
)
"""All demos, in the order in which they are shown; those of a topic stand together."""
