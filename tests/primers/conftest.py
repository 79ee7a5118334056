"""A content folder with a primer of every kind of part, and the deck and figure that it needs."""

from pathlib import Path

import pytest

from app.settings import ROOT, Settings

SVG = """<svg viewBox="0 0 360 90" role="img" aria-labelledby="mask-title mask-desc">
<title id="mask-title">A causal mask</title>
<desc id="mask-desc">A query beside a key that it may not see.</desc>
<defs><marker id="mask-tip" viewBox="0 0 8 8" refX="7" refY="4" orient="auto">
<path class="f-tip" d="M0 0L8 4L0 8z"/></marker></defs>
<rect class="f-query" x="20" y="20" width="60" height="30"/><text class="f-q" x="50" y="39">q &lt; k</text>
<rect class="f-masked" x="120" y="20" width="60" height="30"/>
<path class="f-arrow" d="M80 35H118" marker-end="url(#mask-tip)"/>
</svg>
"""

PRIMER = """---
primer: mask
title: The causal mask
deck: test/mask
lead: One comparison, $j \\le i$, keeps the future out.
ladder: what, how, why
source: Vaswani et al. 2017, section 3.2.3
---
## The idea

Each token sees itself and what came before, $\\masked{-\\infty}$ hides the rest.

![A query and a key that it may not see.](figure:mask "The key is hatched, since $j > i$.")

## An example

```demo
attention
show: causality, weights
```

### In code

```python
scores.masked_fill(~visible, -torch.inf)
```
"""

DECK = """---
deck: test/mask
title: Masks, for a test
---
Q: What does the mask hide?
A: The future.
id: what
level: IC4
core: yes
tags: mask
next: how
source: a test, section 1

Q: How does it hide it?
A: $\\masked{-\\infty}$ before the softmax.
id: how
level: IC5
tags: mask, softmax
next: why
source: a test, section 2

Q: Why before?
A: So that each row sums to one.
id: why
level: IC6
tags: mask
source: a test, section 3

S: Explain the mask.
id: say-mask
level: IC4
time: 30
point p1: It hides the future
  hear: hides the future
  doubt: hides the past
model: It hides the future.
source: a test, section 4
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """The shipped records, and one primer."""
    content = tmp_path / "content"
    for folder, name, text in (
        ("decks", "04-mask.md", DECK),
        ("primers", "04-mask.md", PRIMER),
        ("figures", "mask.svg", SVG),
    ):
        (content / folder).mkdir(parents=True)
        (content / folder / name).write_text(text, encoding="utf-8")
    (content / "recorded").symlink_to(ROOT / "content" / "recorded")
    return Settings(data=tmp_path / "data", content=content, zone="UTC")
