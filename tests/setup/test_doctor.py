"""aloud doctor finds what is in the way, and says what to do."""

import contextlib
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app import doctor, doctor_worker
from app.db.migrate import upgrade
from app.jobs.tokens import Tokens
from app.settings import Settings
from tests.house import house, stranger
from tests.marks import linux

MOUNTS = """\
/dev/vda1 / ext4 rw,relatime 0 0
server:/export /home nfs4 rw 0 0
/dev/sdb1 /home/me/my\\040disk xfs rw 0 0
tmpfs /home2 tmpfs rw 0 0
"""
TRITON = "online-softmax, fusing, flash, split-kv"  # the demos that need it


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
    assert doctor.mount(Path(path), MOUNTS).kind == kind


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
            f"Device M4 (cpu); Triton is not here, so {TRITON} do not run",
        ),
        (
            {"kind": "cuda", "name": "H200", "triton": "", "interpreter": False},
            f"Device H200 (cuda); Triton is not here, so {TRITON} do not run",
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
    monkeypatch.setattr(doctor_worker.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert [finding.what for finding in doctor_worker.device(device)] == [words]


@pytest.mark.parametrize("version", ["3.6.0", "3.6.0+git1", "3.5"])
def test_an_interpreter_that_fails_with_this_numpy_is_told(version: str) -> None:
    cpu = {"kind": "cpu", "name": "Xeon", "triton": version, "interpreter": True}
    _, found = doctor_worker.device(cpu)
    assert (found.mark, f"triton {version} fails with numpy" in found.what) == ("warn", True)
    assert f"until then {TRITON} fail here" in found.fix
    for fine in ({**cpu, "interpreter": False}, {**cpu, "triton": "3.7.0"}, {**cpu, "triton": "3.10.1"}):
        assert [one.mark for one in doctor_worker.device(fine)] == ["ok"]


def test_a_gpu_without_a_c_compiler_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_worker.shutil, "which", lambda name: None)
    gpu = {"kind": "cuda", "name": "H200", "triton": "3.7.1", "interpreter": False}
    assert [finding.mark for finding in doctor_worker.device(gpu)] == ["ok", "fail"]
    assert [finding.mark for finding in doctor_worker.device({**gpu, "triton": ""})] == ["ok"]


def test_a_database_of_a_newer_aloud_fails(tmp_path: Path) -> None:
    upgrade(tmp_path / "aloud.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "aloud.db")) as conn, conn:
        conn.execute("UPDATE alembic_version SET version_num = '9999'")
    found = doctor.database(Settings(data=tmp_path))
    assert (found.mark, "a newer Aloud" in found.what) == ("fail", True)
    assert "Update this Aloud" in found.fix


def test_without_torch_it_names_the_demos_that_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_worker, "_installed", lambda name: "")
    (found,) = doctor_worker.worker(doctor.caches(Path("data")))
    told = found.what.removeprefix("torch is not installed; what runs here without it: ").split(", ")
    assert "kv-cache" in told
    assert "attention" not in told


def test_whether_speech_becomes_text_here_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor_worker.speech(Settings()).what == "Speech to text: tiny.en"
    named = Settings(speech_model="small.en", speech_endpoints="box=http://x/v1|m")
    assert doctor_worker.speech(named).what == (
        "Speech to text: small.en (fetched from its publisher the first time), or by the endpoint box"
    )
    empty = doctor_worker.speech(Settings(speech_model=str(tmp_path)))
    assert (empty.mark, "lacks model.bin" in empty.fix) == ("fail", True)
    monkeypatch.setattr(doctor_worker, "_installed", lambda name: "")
    without = doctor_worker.speech(Settings())
    assert (without.mark, "make run SPEECH=1" in without.what) == ("ok", True)


def test_a_kernel_cache_that_cannot_be_used_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRITON_CACHE_DIR", raising=False)
    assert doctor.caches(tmp_path).mark == "ok"
    assert list(tmp_path.iterdir()) == []  # nothing is made by looking
    monkeypatch.setattr(doctor, "_mounts", lambda: f"tmpfs {tmp_path.anchor} tmpfs rw,noexec 0 0")
    assert "noexec" in doctor.caches(tmp_path).what
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "file" / "cache"))
    (tmp_path / "file").touch()
    found = doctor.caches(tmp_path)
    assert (found.mark, "cannot be written" in found.what) == ("fail", True)


def test_a_missing_cpp_compiler_is_told_with_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_worker.shutil, "which", lambda name: None)
    assert "FlexAttention" in doctor_worker.compilers().fix


def test_tokens_are_named_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    assert doctor.tokens(settings).what == "No tokens for workers elsewhere"
    for name in ("gpu-box", "laptop"):
        Tokens(tmp_path).make(name, datetime.now(UTC))
    assert doctor.tokens(settings).what == "Tokens for workers elsewhere: gpu-box, laptop"
    (tmp_path / "tokens" / "laptop.json").write_text("")
    damaged = doctor.tokens(settings)
    assert (damaged.mark, "aloud token laptop --revoke" in damaged.fix) == ("warn", True)


@linux
def test_keys_that_others_can_read_are_told(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    assert doctor.keys(settings).mark == "ok"
    settings.secret()
    settings.worker_token()
    Tokens(tmp_path).make("gpu-box", datetime.now(UTC))
    assert doctor.keys(settings).mark == "ok"
    for name in ("secret", "worker-token", "tokens", "tokens/gpu-box.json"):
        mode = (tmp_path / name).stat().st_mode
        (tmp_path / name).chmod(mode | 0o044)
        found = doctor.keys(settings)
        assert (found.mark, found.fix) == ("warn", f"chmod go= {tmp_path / name}")
        (tmp_path / name).chmod(mode)
    (tmp_path / "secret").rename(tmp_path / "moved")
    (tmp_path / "secret").symlink_to(tmp_path / "moved")
    assert doctor.keys(settings).what.endswith("secret is a link")


def test_whether_a_worker_would_be_let_in_is_told(tmp_path: Path) -> None:
    with house(tmp_path / "data") as place:
        near = Settings(data=place.data, port=place.port)
        assert doctor.web_side(near).what.endswith("answers, and takes a worker from here with its own token")
        far = {"data": tmp_path, "server": place.url}
        token = Tokens(place.data).make("gpu-box", datetime.now(UTC))
        assert doctor.web_side(Settings(**far, token=token)).what.endswith('with the token "gpu-box"')
        refused = doctor.web_side(Settings(**far, token="wrong"))
        assert (refused.mark, "does not match" in refused.fix) == ("fail", True)
        assert "There is no token for a worker" in doctor.web_side(Settings(**far)).what
    gone = doctor.web_side(near)
    assert (gone.mark, "does not answer" in gone.what) == ("warn", True)


def test_a_token_that_cannot_be_one_is_told_with_what_helps(tmp_path: Path) -> None:
    (tmp_path / "worker-token").write_text("é")
    found = doctor.web_side(Settings(data=tmp_path))
    assert found.what == (
        f"The token in {tmp_path / 'worker-token'} must be of ASCII letters, digits and signs, without spaces"
    )
    assert found.fix == "Remove the file; `aloud serve` makes a new one."


def test_the_web_side_is_found_on_whatever_port_it_serves(tmp_path: Path) -> None:
    with house(tmp_path / "data") as place:
        found = doctor.web_side(Settings(data=place.data))
        assert (found.mark, f"{place.url} answers" in found.what) == ("ok", True)
        assert doctor.web_side(Settings(data=place.data, port=place.port + 1)).mark == "warn"
    assert Settings(data=place.data).web_side == "http://127.0.0.1:8000"


def test_a_data_folder_that_others_may_enter_is_told_and_one_made_here_is_not(tmp_path: Path) -> None:
    upgrade(tmp_path / "new" / "data" / "aloud.db")
    assert [found.mark for found in doctor.data_folder(tmp_path / "new" / "data")] == ["ok"]
    assert (tmp_path / "new").stat().st_mode & 0o077 == 0
    (tmp_path / "old").mkdir(mode=0o755)
    first, _ = doctor.data_folder(tmp_path / "old")
    assert (first.mark, first.fix) == ("warn", f"All that is learned lies in it: chmod o= {tmp_path / 'old'}")


def test_another_programs_server_is_told_as_such(tmp_path: Path) -> None:
    with stranger() as (port, _):
        found = doctor.web_side(Settings(data=tmp_path, port=port, token="any"))
    assert (found.mark, "does not answer as Aloud does" in found.fix) == ("fail", True)
