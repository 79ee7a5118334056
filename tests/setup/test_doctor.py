"""aloud doctor finds what is in the way, and says what to do."""

import contextlib
import sqlite3
from pathlib import Path

import pytest

from app import doctor
from app.db.migrate import upgrade
from app.settings import Settings
from tests.marks import linux

MOUNTS = """\
/dev/vda1 / ext4 rw,relatime 0 0
server:/export /home nfs4 rw 0 0
/dev/sdb1 /home/me/my\\040disk xfs rw 0 0
tmpfs /home2 tmpfs rw 0 0
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/aloud", "ext4"),
        ("/home/me/aloud", "nfs4"),
        ("/home/me/my disk/aloud", "xfs"),
        ("/home2/aloud", "tmpfs"),
    ],
)
def test_the_file_system_is_that_of_the_nearest_mount(path: str, kind: str) -> None:
    assert doctor.file_system(Path(path), MOUNTS) == kind


def test_a_network_disk_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_mounts", lambda: f"server:/x {tmp_path.anchor} nfs4 rw 0 0")
    found = list(doctor.data_folder(tmp_path / "data"))
    assert [f.mark for f in found][-1] == "fail"
    assert "on a disk of this machine" in found[-1].fix


def test_a_folder_that_is_a_file_fails(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    (found,) = doctor.data_folder(tmp_path / "data")
    assert found.mark == "fail"
    assert "ALOUD_DATA" in found.fix


@linux
def test_a_folder_that_cannot_be_written_fails() -> None:
    """Not even root writes in /proc."""
    (found,) = doctor.data_folder(Path("/proc/aloud"))
    assert found.mark == "fail"
    assert "let this user write there" in found.fix


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    list(doctor.data_folder(tmp_path / "data"))
    doctor.database(Settings(data=tmp_path / "data"))
    assert list(tmp_path.iterdir()) == []


def test_a_broken_database_fails(tmp_path: Path) -> None:
    (tmp_path / "aloud.db").write_bytes(b"not a database, but long enough to be read as one" * 20)
    found = doctor.database(Settings(data=tmp_path))
    assert found.mark == "fail"
    assert "Restore it" in found.fix


@pytest.mark.parametrize(("host", "mark"), [("127.0.0.1", "ok"), ("0.0.0.0", "warn")])
def test_the_microphone_needs_localhost_or_https(host: str, mark: str) -> None:
    assert doctor.microphone(Settings(host=host)).mark == mark


@pytest.mark.parametrize(
    ("device", "words"),
    [
        (
            {"kind": "cpu", "name": "M4", "triton": "", "interpreter": False},
            "Device M4 (cpu); Triton is not here, so the flash demo does not run",
        ),
        (
            {"kind": "cuda", "name": "H200", "triton": "", "interpreter": False},
            "Device H200 (cuda); Triton is not here, so the flash demo does not run",
        ),
        (
            {"kind": "cpu", "name": "Xeon", "triton": "3.7.1", "interpreter": True},
            "Device Xeon (cpu); Triton kernels are interpreted: checked, never timed",
        ),
        (
            {"kind": "cuda", "name": "H200", "triton": "3.7.1", "interpreter": False},
            "Device H200 (cuda); Triton kernels compile",
        ),
    ],
)
def test_what_becomes_of_kernels_on_a_device_is_told(
    device: dict[str, object], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert [finding.what for finding in doctor.device(device)] == [words]


def test_a_gpu_without_a_c_compiler_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.shutil, "which", lambda name: None)
    gpu = {"kind": "cuda", "name": "H200", "triton": "3.7.1", "interpreter": False}
    assert [finding.mark for finding in doctor.device(gpu)] == ["ok", "fail"]
    assert [finding.mark for finding in doctor.device({**gpu, "triton": ""})] == ["ok"]


def test_a_database_of_a_newer_aloud_fails(tmp_path: Path) -> None:
    upgrade(tmp_path / "aloud.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "aloud.db")) as conn, conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    found = doctor.database(Settings(data=tmp_path))
    assert (found.mark, "a newer Aloud" in found.what) == ("fail", True)
    assert "Update this Aloud" in found.fix


def test_without_torch_it_names_the_demos_that_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_installed", lambda name: "")
    (found,) = doctor.worker()
    assert found.what == "torch is not installed, so of the demos only kv-cache runs here"
