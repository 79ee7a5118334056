"""Every setting that can be wrong is refused at the start, in one sentence that says what to change."""

from pathlib import Path

import pytest

from app.cli import main
from app.commands import Refused, flags, serve
from app.setting_rules import Endpoint
from app.settings import Settings


def refusal(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What is said of ALOUD_<name>=<value>."""
    monkeypatch.setenv(f"ALOUD_{name}", value)
    with pytest.raises(Refused) as refused:
        flags.settings(flags.parser("serve", serve.FIELDS).parse_args([]))
    said = str(refused.value)
    assert len(said.splitlines()) == 1
    assert f"(ALOUD_{name}) cannot be" in said
    return said


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("ALLOWED_HOSTS", "x.org:8205", "without http:// and port, and 'x.org:8205' is none"),
        ("ALLOWED_HOSTS", "ok.org, http://x:80", "'http://x:80' is none"),
        ("ALLOWED_HOSTS", "*", "'*' is none"),
        ("ALLOWED_HOSTS", ".example.org", "'.example.org' is none"),
        ("ALLOWED_HOSTS", "straße.org", "'straße.org' is none"),
        ("HOST", "", "a host's name or IP address"),
        ("HOST", "http://127.0.0.1", "without http://"),
        ("HOST", "localhost:8000", "and port"),
        ("ROOT_PATH", "//evil", "must begin with / and be a plain path"),
        ("ROOT_PATH", "/a/../b", "plain path"),
        ("ROOT_PATH", "/a?b", "plain path"),
        ("ROOT_PATH", "/a b", "plain path"),
        ("CONTENT", "/nowhere", 'a folder that holds a folder "decks"'),
        ("CONTENT", "/", 'a folder that holds a folder "decks"'),
        ("CONTENT", "", "must name a folder"),
        ("DATA", "", "must name a folder"),
        ("DATA", " ", "must name a folder"),
        ("DATA", "~/aloud", "must be written in full"),
        ("ZONE", "Europe", "write it like Europe/Berlin"),
        ("ZONE", "../../etc/passwd", "write it like Europe/Berlin"),
        ("LEARNING_STEPS", "10,1", "a step that is shorter than the one before"),
        ("RELEARNING_STEPS", "nan", "each step must be more than 0"),
        ("LEARNING_STEPS", "1,x", "should be a valid number"),
        ("RETENTION", "nan", "should be"),
        ("LEASE_S", "inf", "should be"),
        ("TOKEN", "ä", "ASCII letters, digits and signs"),
        ("TOKEN", "a b", "without spaces"),
        ("WORKER_NAME", "x" * 101, "at most 100 characters"),
        ("WORKER_NAME", "two\nlines", "can be printed"),
        ("SPEECH_ENDPOINTS", "http://gpu-box:8000/v1", "name=url|model"),
        ("SPEECH_ENDPOINTS", "Box=http://gpu-box/v1|m", "the name in small letters"),
        ("SPEECH_ENDPOINTS", "box=http://gpu-box/v1|", "name=url|model"),
        ("JUDGES", "box=http://me:secret@gpu-box/v1|m", "no password"),
        ("JUDGES", "a=http://x/v1|m, a=http://y/v1|m", "two endpoints alike"),
        ("SPEECH_MODEL", "/nowhere", "a folder that holds a model, or a model's name"),
        ("SPEECH_MODEL", "~/model", "must be written in full"),
        ("SERVER", "study.example.org", "an address like https://"),
        ("SERVER", "localhost:8000", "an address like https://"),
        ("SERVER", "ftp://x", "an address like https://"),
        ("SERVER", "http://x:99999", "an address like https://"),
        ("SERVER", "http://x/?a=b", "an address like https://"),
        ("SERVER", "https://me:secret@x", "no password"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(
    name: str, value: str, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hint in refusal(name, value, monkeypatch)


@pytest.mark.parametrize(
    ("name", "value", "kept"),
    [
        ("allowed_hosts", "Study.example.org, web,[::1]", ("Study.example.org", "web", "::1")),
        ("allowed_hosts", "0:0:0:0:0:0:0:2", ("::2",)),
        ("host", "::", "::"),
        ("host", "my_box.lan", "my_box.lan"),
        ("root_path", "/", ""),
        ("root_path", "/a/b-c.d/", "/a/b-c.d"),
        ("learning_steps", "", ()),
        ("learning_steps", "1, 10,10", (1, 10, 10)),
        ("zone", "", ""),
        ("data", ".", Path()),
        ("server", "http://[::1]:8000/aloud", "http://[::1]:8000/aloud"),
        ("worker_name", "grün", "grün"),
        ("judges", "", ()),
        (
            "judges",
            "a=http://x/v1/|org/m:1, b=https://y|m",
            (Endpoint("a", "http://x/v1", "org/m:1"), Endpoint("b", "https://y", "m")),
        ),
        ("speech_model", "small.en", "small.en"),
        ("speech_model", "/tmp", "/tmp"),
        ("endpoint_keys", "a=sk-x=,b=2", (("a", "sk-x="), ("b", "2"))),
    ],
)
def test_a_value_that_fits_is_kept(
    name: str, value: str, kept: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ALOUD_{name.upper()}", value)
    assert getattr(Settings(), name) == kept


@pytest.mark.parametrize("name", ["TOKEN", "ENDPOINT_KEYS"])
def test_a_refused_secret_is_not_printed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "gehäim" not in refusal(name, "gehäim", monkeypatch)


def test_endpoints_are_found_by_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALOUD_ENDPOINT_KEYS", "a=1")
    found = Settings(speech_endpoints="a=http://x/v1|m", judges="b=http://y/v1|m")
    assert found.speech_endpoint("a") == Endpoint("a", "http://x/v1", "m")
    assert (found.speech_endpoint("b"), found.judge("b").name) == (None, "b")
    assert (found.endpoint_key("a"), found.endpoint_key("b")) == ("1", "")
    assert "sk-" not in repr(Settings(endpoint_keys="a=sk-1"))


def test_the_worker_refuses_them_as_well(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ALOUD_SERVER", "study.example.org")
    assert main(["worker"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_mistyped_content_folder_retires_no_card_and_an_empty_data_folder_is_not_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "--data", ""]) == 2
    assert main(["serve", "--content", "nowhere"]) == 2
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().err.count("\n") == 2
