"""constraints.txt pins everything that an install of Aloud brings, so that two installs are the same."""

import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from lock import pins
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from requirements import requirements

ROOT = Path(__file__).resolve().parents[2]


def pinned() -> dict[str, Version]:
    lines = (
        Requirement(line) for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line
    )
    return {canonicalize_name(line.name): Version(str(line.specifier).removeprefix("==")) for line in lines}


@pytest.mark.parametrize(
    "extra", [(), ("worker",), ("speech",), ("dev",)], ids=["web", "worker", "speech", "dev"]
)
def test_each_requirement_is_pinned_to_a_release_that_it_allows(extra: tuple[str, ...]) -> None:
    releases = pinned()
    for wanted in map(Requirement, requirements(*extra)):
        release = releases.get(canonicalize_name(wanted.name))
        assert release is not None, f"{wanted.name} has no pin; run `make lock`"
        assert release in wanted.specifier, f"{wanted} does not allow the pinned {release}; run `make lock`"


def test_what_the_web_side_brings_with_it_is_pinned_too() -> None:
    releases, seen = pinned(), set()
    open_ = [Requirement(line) for line in requirements()]
    while open_:
        wanted = open_.pop()
        name = canonicalize_name(wanted.name)
        if name in seen or (wanted.marker and not wanted.marker.evaluate({"extra": ""})):
            continue
        seen.add(name)
        assert name in releases, f"{name} comes along and has no pin; run `make lock`"
        try:
            open_ += map(Requirement, requires(name) or ())
        except PackageNotFoundError:
            pytest.fail(f"{name} is not installed")
    assert len(seen) > 20


def test_the_web_side_needs_no_torch() -> None:
    assert not [line for line in requirements() if re.match(r"torch|triton|numpy|faster", line)]


def test_the_model_for_speech_is_pinned_exactly() -> None:
    """Its packager is one person, so a new release is looked at before anybody gets it."""
    assert [line for line in requirements("speech") if "==" not in line] == []


def test_a_local_build_is_pinned_by_its_public_version_and_cuda_is_left_to_torch() -> None:
    frozen = ["numpy==2.4.6", "nvidia-cublas-cu12==12.8", "torch==2.13.0+cpu", "triton==3.7.1"]
    assert pins(frozen) == ["numpy==2.4.6", "torch==2.13.0", "triton==3.7.1"]


def test_no_pin_names_a_place_of_its_own() -> None:
    """A path or an address in constraints.txt would work on one machine only."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert all(re.fullmatch(r"#.*|[\w.-]+==[\w.]+", line) for line in lines)
