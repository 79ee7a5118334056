"""The documents say what is so: every setting, and no link, command or make target that does not exist."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from app.commands import COMMANDS, flags
from app.db.migrate import upgrade, versions
from app.settings import ROOT, Settings

DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def setting_rows() -> list[str]:
    """The table of settings as docs/self-hosting.md must have it."""
    rows = []
    for name, field in Settings.model_fields.items():
        default = field.default.relative_to(ROOT) if name == "content" else field.default
        value = flags.shown(default)
        rows.append(f"| `ALOUD_{name.upper()}` | {f'`{value}`' if value else ''} | {field.description} |")
    return rows


def test_every_setting_is_documented_as_it_is() -> None:
    table = [line for line in (ROOT / "docs/self-hosting.md").read_text().splitlines() if "| `ALOUD_" in line]
    assert table == setting_rows()


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", DOCS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = page.read_text()
    code = " ; ".join(re.findall(r"`([^`\n]+)`", text) + re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S))
    assert set(re.findall(r"\bmake ([a-z0-9-]+)", code)) <= targets
    assert set(re.findall(r"\baloud (?!-)([a-z]+)", code)) <= set(COMMANDS)
    assert {name for name in re.findall(r"\bALOUD_([A-Z_]+)", text) if name.lower() not in flags.FIELDS} <= {
        "X"
    }


def test_the_first_screen_of_the_readme_has_run_test_and_docker_in_this_order() -> None:
    screen = "\n".join((ROOT / "README.md").read_text().splitlines()[:24])
    assert -1 < screen.find("make run") < screen.find("make test") < screen.find("docker compose up")


def test_the_backup_is_made_as_it_is_written_and_lies_outside_the_tree(tmp_path: Path) -> None:
    (line,) = re.findall(
        r"^```sh\n(mkdir[^`]*VACUUM[^`]*)```", (ROOT / "docs/self-hosting.md").read_text(), re.M
    )
    tree, home = tmp_path / "tree", tmp_path / "home"
    upgrade(tree / "data" / "aloud.db")
    (home / "aloud-backups").mkdir(parents=True)
    (home / "aloud-backups" / "aloud-2026-11-28T18-00-00.db").touch()  # an earlier one
    subprocess.run(["/bin/sh", "-ec", line], cwd=tree, env={**os.environ, "HOME": str(home)}, check=True)
    old, new = sorted((home / "aloud-backups").iterdir())
    assert (old.stat().st_size, versions(new)) == (0, versions(tree / "data" / "aloud.db"))
    assert [path.name for path in tree.iterdir()] == ["data"]
