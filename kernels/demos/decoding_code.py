"""Writes the PyTorch that reproduces a run of the demo `decoding`: the decoder, its cache, both ways to decode."""

from __future__ import annotations

from kernels.decoder import TIED
from kernels.entries.decoding import LONGEST, VOCAB
from kernels.job import Job

_ROTATE = """
def rotate(x, at):
    angle = at.double()[:, None] * 10_000.0 ** (-torch.arange(0, d, 2).double() / d)
    cos, sin, even, odd = angle.cos(), angle.sin(), x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)

"""


def snippet(job: Job) -> str:
    """Python that ends with `answers` (tokens by way), `apart` (scores) and `flops`, as in the run."""
    turned = "" if job.word("positions") == "learned" else _ROTATE
    return _weights(job) + turned + _decoder(job) + _both_ways(*job.whole("prompt", "new"))


def _weights(job: Job) -> str:
    """The sizes, all weights in the order in which the run draws them, and the prompt."""
    prompt, layers, h_q, h_kv, d, d_ff = job.whole("prompt", "layers", "h_q", "h_kv", "d_head", "d_ff")
    tied = job.flag("tied")
    scale = TIED if tied else 1
    places = f"places = drawn({LONGEST}, m, {scale})\n" if job.word("positions") == "learned" else ""
    head = "embedding.T" if tied else "drawn(m, vocab, m**-0.5)"
    return f"""import torch
from torch.nn import functional as F

layers, h_q, h_kv, d, d_ff, vocab = {layers}, {h_q}, {h_kv}, {d}, {d_ff}, {VOCAB}
m = h_q * d
g = torch.Generator().manual_seed({job.seed})
drawn = lambda rows, columns, scale: torch.randn(rows, columns, generator=g).double() * scale
embedding = drawn(vocab, m, {scale})
{places}shapes = [(m, m), (m, h_kv * d), (m, h_kv * d), (m, m), (m, d_ff), (m, d_ff), (d_ff, m)]
weights = [[drawn(i, o, max(i, 1) ** -0.5) for i, o in shapes] for _ in range(layers)]
head = {head}
prompt = torch.randint(vocab, ({prompt},), generator=torch.Generator().manual_seed({job.seed})).tolist()

norm = lambda x: x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)
"""


def _decoder(job: Job) -> str:
    """One forward pass over new tokens, which appends their keys and values to the cache."""
    learned = job.word("positions") == "learned"
    embed = "embedding[tokens] + places[at]" if learned else "embedding[tokens]"
    turn = "" if learned else "        q, k = rotate(q, at), rotate(k, at)\n"
    mlp = "        y = norm(x)\n        x = x + (F.silu(y @ gate) * (y @ up)) @ down\n"
    return f"""
def scores(tokens, cache):  # cache: keys and values of each layer, empty at first
    before, n = cache[0][0].size(1) if cache else 0, len(tokens)
    at = torch.arange(before, before + n)  # positions count on
    sees = torch.ones(n, before + n, dtype=torch.bool).tril(before)  # aligned to the bottom right
    x = {embed}
    for i, (query, key, value, out, gate, up, down) in enumerate(weights):
        y = norm(x)
        q, k, v = ((y @ w).view(n, -1, d).transpose(0, 1) for w in (query, key, value))
{turn}        if before:
            k, v = torch.cat((cache[i][0], k), 1), torch.cat((cache[i][1], v), 1)
        cache[i : i + 1] = [(k, v)]  # h_kv heads; enable_gqa shares them
        o = F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=sees, enable_gqa=True)[0]
        x = x + o.transpose(0, 1).reshape(n, m) @ out
{mlp if job.whole("d_ff") != (0,) else ""}    return norm(x) @ head
"""


def _both_ways(prompt: int, new: int) -> str:
    """Greedy decoding without a cache and with one, how far their scores are apart, and the FLOP of both."""
    return f"""

answers, behind = {{}}, {{}}
for way in ("no cache", "cache"):
    sequence, cache, behind[way] = list(prompt), [], []
    for step in range({new}):
        last = scores(sequence, []) if way == "no cache" or step == 0 else None
        if way == "cache":
            last = scores(sequence if step == 0 else sequence[-1:], cache)
        behind[way].append(last[-1])
        sequence.append(int(last[-1].argmax()))
    answers[way] = sequence[{prompt}:]
apart = float((torch.stack(behind["cache"]) - torch.stack(behind["no cache"])).abs().max())

a_token = layers * (2 * m * m + 2 * m * h_kv * d + 3 * m * d_ff) + m * vocab
work = lambda n_q, n_kv: 2 * n_q * a_token + 4 * layers * m * n_q * n_kv
lengths = range({prompt}, {prompt + new})
flops = {{"no cache": sum(work(n, n) for n in lengths)}}
flops["cache"] = sum(work(n if n == {prompt} else 1, n) for n in lengths)
print(answers, apart, flops, flops["no cache"] / flops["cache"])
"""
