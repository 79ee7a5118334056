"""Wrong statements as a learner may make them: card, key point, and what was said.

They were written before the rules of scoring.py and guards.py in app/drill/said, and take no wording from a deck's
`doubt:` lines. At first sight those rules credited 17 of them as mentioned, and 26 with neither doubts nor guards. Two
faults of a general kind were then mended, which made it 14. Nobody mends a rule so that one of these passes: for then
they would measure nothing.
"""

WRONG: tuple[tuple[str, str, str], ...] = (
    ("pitch-30", "mask", "We put the mask after the softmax."),
    ("pitch-30", "softmax", "Then a softmax over the query axis normalises every column of the scores."),
    ("pitch-30", "scale", "We multiply the scores by root d k so that they grow to unit variance."),
    (
        "pitch-30",
        "qkv",
        "The query comes from this token while key and value are the three projections of the output.",
    ),
    (
        "pitch-90",
        "cost",
        "Because the softmax is cheap, attention is not quadratic, it is linear in the length.",
    ),
    ("pitch-90", "cache", "The KV cache holds the queries of the earlier tokens."),
    ("pitch-90", "flash", "Flash attention writes the score matrix to memory once and skips small weights."),
    ("pitch-90", "heads", "We have several heads, and each of them gets its own eighth of the embedding."),
    ("pitch-90", "softmax", "The softmax gives weights, and they average the keys."),
    ("say-intuition", "blend", "It is not a blend: attention takes the value of the one best key."),
    ("say-intuition", "ask", "Each word offers a query, and its key asks for other words."),
    ("say-intuition", "parallel", "Words are read one after the other, never at once."),
    ("say-scaling", "sum", "The variance of d k random products shrinks as the head gets wider."),
    ("say-scaling", "saturation", "With small scores the softmax becomes nearly one hot."),
    ("say-scaling", "root", "Dividing by root d k gives a standard deviation of root d k."),
    ("say-causal-mask", "before", "After the softmax we set the weights of later tokens to minus infinity."),
    (
        "say-causal-mask",
        "diagonal",
        "A token cannot see itself, only what comes before it, so the diagonal is masked.",
    ),
    (
        "say-causal-mask",
        "zero",
        "Later tokens get a weight of almost zero, and the rest sums to less than one.",
    ),
    ("say-mask-table", "first", "The first row has four scores left, and the last row has weight one."),
    ("say-why-heads", "whole", "Each head projects a different part of the vector."),
    (
        "say-why-heads",
        "cost",
        "The cost grows with the number of heads, eight heads need the same flops eight times.",
    ),
    ("say-architecture", "softmax", "The softmax runs over the queries, so each column sums to one."),
    ("say-architecture", "mask", "Minus infinity goes below the diagonal."),
    ("say-gqa", "share", "Groups of key heads share one query head."),
    ("say-gqa", "cache", "The cache becomes eight times larger."),
    ("say-gqa", "bytes", "It needs fewer flops per token and reads the same number of bytes."),
    ("say-variants", "mqa", "Multi query has one key and value head for every query head."),
    ("say-mla", "absorb", "The up projections cannot be absorbed, since the softmax is in between."),
    (
        "say-mla",
        "rope",
        "There is no need of a separate rope key, because rope commutes with the projections.",
    ),
    ("say-numerics", "max", "We subtract the minimum of the row, the row maximum would overflow."),
    (
        "say-numerics",
        "range",
        "fp16 goes up to ten to the thirty eight, so we scale the query after the product.",
    ),
    (
        "say-exactness",
        "bits",
        "It adds in another order, and still the last bits are the same as in the plain version.",
    ),
    ("say-online-softmax", "rescale", "When a smaller maximum comes the old sum is rescaled."),
    ("say-flash", "memory", "The extra memory is quadratic in the length."),
    ("say-flash", "traffic", "HBM traffic grows, but it is linear in n, no longer quadratic."),
    ("say-complexity", "linear", "The MLP is quadratic in the length and linear in the width."),
    ("say-roofline", "decode", "Decode is compute bound, and long prefill waits for memory bandwidth."),
    ("say-kv-cache", "why", "Keys of earlier tokens change with every new token, so the cache is updated."),
    (
        "say-speculative",
        "draft",
        "The large model proposes several tokens, and the small draft checks them in one pass.",
    ),
    (
        "say-alignment",
        "corner",
        "With a cache the mask aligns to the top left, and one new query sees only the first key.",
    ),
)
