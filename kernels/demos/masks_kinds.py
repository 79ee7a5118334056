"""What the demo `masks` shows of one kind alone: how far a window reaches and what it saves, and packed documents."""

from __future__ import annotations

from kernels.demos.masks_setting import Setting
from kernels.entries.masks import document_lengths
from kernels.masks import causal_mask, reach, window_mask
from kernels.result import Block, Row
from kernels.show import check, curves, note, table

LAYERS = 8
POSITIONS = 256
LENGTHS = tuple(2**i for i in range(6, 18))


def window(s: Setting) -> list[Block]:
    """Blocks reach, reach-formula, cost, mistral: of a causal window, whatever the run's own lengths."""
    if s.kind != "window":
        return []
    (width,) = s.job.whole("width")
    mask = causal_mask(POSITIONS, POSITIONS) & window_mask(POSITIONS, POSITIONS, width)
    rows: list[Row] = []
    wrong = 0  # the last position is among those that reach it, so L (W - 1) back are one more in all
    for layers in range(1, LAYERS + 1):
        reached = int(reach(mask, layers)[-1].sum())
        exact = min(layers * (width - 1) + 1, POSITIONS)
        wrong += reached != exact
        rows.append(
            {
                "layers": layers,
                "reached": reached,
                "exact": exact,
                "back": layers * (width - 1),
                "rule": layers * width,
            }
        )
    cols = {
        "layers": "Layers",
        "reached": f"Positions that reach the last of {POSITIONS}, itself among them",
        "exact": "L (W - 1) + 1, at most all",
        "back": "Reach back, L (W - 1)",
        "rule": "Round number, L x W",
    }
    look_for = (
        "A window of 1 holds the position alone: no layer brings anything from before it."
        if width == 1
        else "A window holds the position itself, so each layer reaches a window less one further back."
    )
    look_for += " flash-attn leaves the position out of its count: window_size=(w, 0) sees w + 1 keys."
    claim = "Followed through the masks, L layers reach L (W - 1) positions back, or to the first."
    return [
        table("reach", cols, rows, title="How far a causal window reaches through layers", look_for=look_for),
        check("reach-formula", claim, wrong, "=", 0),
        _cost(width),
        _mistral(),
    ]


def window_pairs(n: int, width: int) -> int:
    """Visible pairs of a causal window over n tokens: n · W less the corner in which the window is not yet full."""
    short = min(width, n)
    return n * short - short * (short - 1) // 2


def _cost(width: int) -> Block:
    lines = {
        "causal": [n * (n + 1) // 2 for n in LENGTHS],
        f"window of {width:,}": [window_pairs(n, width) for n in LENGTHS],
    }
    return curves(
        "cost",
        LENGTHS,
        lines,
        title="Pairs that are visible in one layer",
        x_label="tokens",
        unit="pairs",
        log=True,
        look_for="Twice the tokens: four times the pairs without a window, in the limit twice with one. "
        "O(n²) against O(n W).",
        alt=f"At {LENGTHS[-1]:,} tokens: {lines['causal'][-1]:,} pairs without a window, "
        f"{window_pairs(LENGTHS[-1], width):,} with it.",
    )


def _mistral() -> Block:
    return note(
        "mistral",
        "Mistral 7B v0.1: a window of 4,096 and 32 layers, by its paper a theoretical span of 32 x 4,096 = 131,072 "
        "tokens; counted exactly, it reaches 32 x 4,095 = 131,040 tokens back. Its cache never holds more than 4,096 "
        "tokens a layer, which is 512 MiB. That influence can travel so far does not say that much of it arrives.",
        title="A real window",
    )


def documents(s: Setting) -> list[Block]:
    """Blocks documents, positions: what packing saves, and where each document's positions start."""
    if s.kind != "packed":
        return []
    rows: list[Row] = []
    start = 0
    for number, length in enumerate(document_lengths(s.job.params)):
        own = slice(start, start + length)
        rows.append(
            {
                "document": number,
                "start": start,
                "length": length,
                "pairs": int(s.visible[own, own].sum()),
                "hidden": int(s.before[own].sum() - s.visible[own].sum()),
            }
        )
        start += length
    cols = {
        "document": "Document",
        "start": "From token",
        "length": "Tokens",
        "pairs": "Pairs in it",
        "hidden": "Pairs with others, now hidden",
    }
    told = (
        "Each document should count its positions from 0 again. Learned positions need that; with RoPE it changes "
        "nothing under this mask, since scores depend on the difference of positions alone. Kernels for variable "
        "lengths (varlen, cu_seqlens) never form the hidden blocks."
    )
    return [
        table("documents", cols, rows, title="The packed documents"),
        note("positions", told, title="And their positions"),
    ]
