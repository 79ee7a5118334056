"""What compose.yml and the Dockerfile promise: this machine only, one writable place, no root, health checks."""

import re
from fnmatch import fnmatch
from typing import Any

import pytest
import yaml

from app.settings import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
STAGES = dict(re.findall(r"^FROM \S+ AS (\S+)\n(.*?)(?=^FROM |\Z)", DOCKERFILE, re.M | re.S))


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "compose.yml").read_text())


def test_the_port_is_published_on_loopback_only(compose: dict[str, Any]) -> None:
    ports = [port for service in compose["services"].values() for port in service.get("ports", ())]
    assert ports == ["127.0.0.1:8000:8000"]


def test_only_the_web_side_writes_the_data_volume(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert "data:/data" in services["web"]["volumes"]
    assert "data:/data:ro" in services["worker"]["volumes"]
    assert {"data", "cache"} == set(compose["volumes"])


@pytest.mark.parametrize("name", ["web", "worker"])
def test_each_service_is_confined_and_watched(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["build"]["target"] == name
    assert name in STAGES
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["healthcheck"]["test"][:2] == ["CMD", "python"]
    compile(service["healthcheck"]["test"][3], "healthcheck", "exec")


def test_the_worker_waits_for_the_pages_and_calls_them_by_an_allowed_name(compose: dict[str, Any]) -> None:
    services = compose["services"]
    assert services["worker"]["depends_on"]["web"]["condition"] == "service_healthy"
    assert services["worker"]["environment"]["ALOUD_SERVER"] == "http://web:8000"
    assert services["web"]["environment"]["ALOUD_ALLOWED_HOSTS"] == "web"
    assert any(mount.startswith("/tmp:exec") for mount in services["worker"]["tmpfs"])


def test_the_gpu_file_adds_the_gpus_to_a_service_that_exists(compose: dict[str, Any]) -> None:
    added = yaml.safe_load((ROOT / "compose.gpu.yml").read_text())["services"]
    assert set(added) == {"worker"} <= set(compose["services"])
    (device,) = added["worker"]["deploy"]["resources"]["reservations"]["devices"]
    assert device == {"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}


@pytest.mark.parametrize("target", ["web", "worker"])
def test_a_target_ends_as_a_user_that_is_not_root(target: str) -> None:
    users = re.findall(r"^USER (\S+)$", STAGES[target], re.M)
    assert users == ["10001"]
    assert not re.search(r"^(RUN|COPY)", STAGES[target].split("USER ")[1], re.M)


def test_the_python_is_chosen_by_an_argument() -> None:
    assert re.search(r"^ARG PYTHON_VERSION=3\.1\d$", DOCKERFILE, re.M)
    assert [line for line in DOCKERFILE.splitlines() if "python:" in line] == [
        "FROM python:${PYTHON_VERSION}-slim AS base"
    ]


def test_the_web_image_has_no_torch_and_the_worker_image_has_compilers() -> None:
    assert "--from=web-packages" in STAGES["web"]
    assert "requirements.py worker" not in STAGES["web-packages"]
    assert "--from=worker-packages" in STAGES["worker"]
    assert {"gcc", "g++"} <= set(STAGES["worker"].split())


def test_no_line_needs_a_builder_of_its_own_kind() -> None:
    assert "--mount" not in DOCKERFILE
    assert "<<" not in DOCKERFILE
    assert "# syntax" not in DOCKERFILE


def test_whatever_is_copied_or_read_at_run_time_is_let_through() -> None:
    let = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    assert "*" in (ROOT / ".dockerignore").read_text().splitlines()
    for needed in (
        "app",
        "kernels",
        "alembic",
        "content",
        "static",
        "templates",
        "pyproject.toml",
        "constraints.txt",
    ):
        assert needed in let
        assert (ROOT / needed).exists()
    copied = [
        word for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.M) for word in line.split()
    ]
    assert all(path == "." or any(fnmatch(path, name) for name in let) for path in copied)
