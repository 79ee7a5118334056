"""Which files a demo's code consists of, read from their import statements. Imports no torch.

Their hash tells a result of this code from one of older code, so it must know every file that can change a number.
"""

from __future__ import annotations

import ast
import hashlib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent
FRAME = frozenset(
    {"blocks", "catalog", "codec", "entries", "params", "result", "run", "show", "sources", "words"}
)
"""Modules that every demo shares and that compute no number: how parameters are read and results are written."""


@cache
def sources(name: str) -> tuple[str, ...]:
    """The files below kernels/ that the demo `name` is made of: its entry, its module and all that these import."""
    stem = name.replace("-", "_")
    found: set[str] = set()
    waiting = [f"entries.{stem}", f"demos.{stem}"]
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += imported(module)
    return tuple(sorted(f"{module.replace('.', '/')}.py" for module in found))


@cache
def digest(name: str) -> str:
    """sha256 over the names and bytes of `sources(name)`."""
    hashed = hashlib.sha256()
    for source in sources(name):
        content = (ROOT / source).read_bytes()
        hashed.update(f"{source} {len(content)}\n".encode() + content)
    return hashed.hexdigest()


@cache
def imported(module: str) -> tuple[str, ...]:
    """The modules of kernels that `module` imports, FRAME left out, e.g. "demos.attention_code"."""
    tree = ast.parse(_file(module).read_bytes())
    named: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            named += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    inside = (name.removeprefix("kernels.") for name in named if name.startswith("kernels."))
    return tuple(sorted({name for name in inside if name not in FRAME and _file(name).is_file()}))


def _file(module: str) -> Path:
    return ROOT / f"{module.replace('.', '/')}.py"
