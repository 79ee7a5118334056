"""A result with a block of every type, as JSON and without its blocks."""

import json
from dataclasses import replace

from app.settings import ROOT
from kernels.result import Result

EVERY = json.loads((ROOT / "tests/fixtures/results/every-block.json").read_text(encoding="utf-8"))
EMPTY = replace(Result.from_json(EVERY), blocks=())
