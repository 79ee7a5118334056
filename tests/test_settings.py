"""What the data folder keeps for the server: whole, made once, readable by its owner only."""

from pathlib import Path

import pytest

from app.settings import Settings


def test_a_secret_is_made_once_and_kept(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path)
    first = settings.secret()
    assert len(first) > 30
    assert Settings(data=tmp_path).secret() == first
    assert (tmp_path / "secret").stat().st_mode & 0o077 == 0
    assert settings.worker_token() != first


def test_an_empty_secret_left_by_a_full_disk_is_made_anew(tmp_path: Path) -> None:
    """Signed with an empty key, a ticket could be forged by anybody."""
    (tmp_path / "secret").write_text("")
    assert len(Settings(data=tmp_path).secret()) > 30


@pytest.mark.parametrize("damaged", [b"gar\xffbage", "tok\u00e9n".encode(), b"two words\nline2"])
def test_a_damaged_key_is_told_with_its_file_and_not_its_text(tmp_path: Path, damaged: bytes) -> None:
    (tmp_path / "worker-token").write_bytes(damaged)
    with pytest.raises(ValueError, match="worker-token must be of ASCII") as told:
        Settings(data=tmp_path).worker_token()
    assert "Remove the file" in str(told.value)
    assert "words" not in str(told.value)
