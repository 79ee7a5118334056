"""Results that are kept as files: where each one stands, how it is written and read, which there ought to be. No torch.

    content/recorded/flash/cpu-n_q=113,n_kv=203,d=80.json

The first line of a file holds all but the blocks; after it comes one block a line, so that a difference between two
versions shows which block has changed. A new record of the same parameters on the same kind of
device has the same name, and takes the old one's place.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

from kernels.catalog import DEMOS, canonical, demo, params_hash, parse, parse_line, refusals
from kernels.result import MOST_BYTES, TOO_LARGE, BadResult, Device, Result

FOLDER = Path(__file__).resolve().parent.parent / "content" / "recorded"
LIST = "lines.txt"
CARDS = "cards.txt"  # what the shipped cards and primers run, written by scripts/card_lines.py
CUDA_ONLY = "cuda:"  # begins a line of the list that no CPU is asked for

Kind = Literal["cpu", "cuda"]
CPU: Kind = "cpu"
CUDA: Kind = "cuda"

_NAME = re.compile(r"[\w.=,+-]{1,80}", re.ASCII)
_dump = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class NotMade(Exception):
    """A run gave no result; the message is one sentence."""


class CannotKeep(Exception):
    """The folder takes no records; the message is a sentence for whoever named it."""


def device_slug(device: Device) -> str:
    """A device in a file's name and in a link: cpu for every processor, the model's name for a GPU."""
    name = re.sub(r"[^a-z0-9]+", "-", device.name.lower()).strip("-")
    return "cpu" if device.kind == "cpu" else name or "cuda"


def file_name(result: Result) -> str:
    """Where the result stands below the folder of records. Raises UnknownDemo or BadParams."""
    entry = demo(result.demo)
    params = parse(entry, result.params)
    given = canonical(entry, params).replace(" ", ",") or "defaults"
    told = given if _NAME.fullmatch(given) else params_hash(entry, params)[:16]
    return f"{entry.name}/{device_slug(result.device)}-{told}.json"


def text(result: Result) -> str:
    """The file of a result: JSON whose first line is the head, and that has one block in each line after it."""
    data = result.to_json()
    blocks = data.pop("blocks")
    assert isinstance(blocks, list)
    return f'{_dump(data)[:-1]},"blocks":[\n' + ",\n".join(map(_dump, blocks)) + "\n]}\n"


def read(written: str) -> Result:
    """The result in a record's text. Raises BadResult, with a sentence."""
    try:
        data = json.loads(written)
    except (ValueError, RecursionError) as error:
        raise BadResult(f"It is no JSON ({error}).") from None
    if not isinstance(data, Mapping):
        raise BadResult("It is no JSON object.")
    result = Result.from_json(data)
    if result.origin != "recorded":
        raise BadResult(f"Its origin is {result.origin!r}; a record says 'recorded'.")
    return result


def load(path: Path) -> Result:
    """The result in a record's file. Raises BadResult, with a sentence."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadResult("It is larger than 1 MB, the most that is kept.")
        return read(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise BadResult("It is no text in UTF-8.") from None
    except OSError as error:
        raise BadResult(f"It cannot be read ({error.strerror}).") from None


def write(into: Path, result: Result) -> Path:
    """Keep a result as a record below `into`, in place of an older one; it appears whole. Raises BadResult."""
    made = text(replace(result, origin="recorded"))
    if len(made.encode()) > MOST_BYTES:
        raise BadResult(TOO_LARGE)
    path = into / file_name(result)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        file.write(made)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)
    return path


def open_folder(into: Path) -> None:
    """Make the folder of records, if need be. Raises CannotKeep where none could be written there."""
    try:
        into.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=into).close()
    except OSError as error:
        raise CannotKeep(
            f"No record can be kept in {into} ({error.strerror}). Name another folder with --into."
        ) from None


def lines_of(words: Iterable[str]) -> tuple[str, ...]:
    """Demo lines from words as a shell gives them: `flash n_q=113 kv-cache` and "flash n_q=113" kv-cache are two.

    Raises ValueError for a line that no demo takes.
    """
    lines: list[str] = []
    for word in " ".join(words).split():
        if lines and "=" in word:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return tuple(
        f"{entry.name} {canonical(entry, params)}".strip() for entry, params in map(parse_line, lines)
    )


def listed(into: Path) -> str:
    """The text of the folder's own lists, else of the shipped ones: what is recorded besides, and what cards run."""
    own = _lists(into)
    return own if own is not None else _lists(FOLDER) or ""


def _lists(folder: Path) -> str | None:
    found = [folder / name for name in (LIST, CARDS) if (folder / name).is_file()]
    return "\n".join(path.read_text(encoding="utf-8") for path in found) if found else None


def wanted(listed: str, kind: Kind) -> tuple[str, ...]:
    """The demo lines that there ought to be records of, from a device of that kind: defaults, then the list's lines.

    What does not use a GPU is not asked of one. Raises ValueError for a line that no demo takes.
    """
    told = [*DEMOS, *_lines(listed, kind)]
    read_lines = (parse_line(line) for line in told)
    asked = (pair for pair in read_lines if kind == "cpu" or pair[0].uses_device(pair[1]))
    return tuple(dict.fromkeys(f"{entry.name} {canonical(entry, params)}".strip() for entry, params in asked))


def _lines(listed: str, kind: Kind) -> Iterator[str]:
    for raw in listed.splitlines():
        line = raw.partition("#")[0].strip()
        only_cuda = line.startswith(CUDA_ONLY)
        if line and not (only_cuda and kind == "cpu"):
            yield line.removeprefix(CUDA_ONLY).strip()


def record(
    lines: Iterable[str],
    into: Path,
    run: Callable[[str], Result],
    *,
    interpreter: bool,
    say: Callable[[str], None],
) -> bool:
    """Run each line and keep its result below `into`; whether all were made that such a machine can run.

    `interpreter`: Triton has no GPU there. `say` gets a line of text for each. `run` may raise NotMade.
    """
    whole = True
    for line in lines:
        entry, params = parse_line(line)
        if refused := refusals(entry, params, interpreter=interpreter):
            say(f"{line}: left out. {' '.join(refused)}")
            continue
        try:
            if not (made := run(line)).whole:
                raise NotMade("Memory ran out during the run.")
            path = write(into, made)
        except (NotMade, BadResult) as error:
            whole = False
            say(f"{line}: not made. {error}")
        except OSError as error:
            whole = False
            say(f"{line}: not kept. Its file cannot be written ({error.strerror}).")
        else:
            say(f"{line}: {path.relative_to(into)}, {made.wall_ms:,} ms")
    return whole
