"""Named tokens: made, shown by workers, revoked; and nothing of them that could be used is kept."""

import json
import os
import stat
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from app.accounts.store import FIRST
from app.cli import main
from app.jobs.port import Order
from app.jobs.service import jobs as jobs_of
from app.jobs.tokens import TokenProblem, Tokens
from tests.marks import linux

BAD_NAMES = ("", "Box", "a.b", "-box", "box-", "a" * 41, "../secret", "a b", "é", "box\n")


@pytest.fixture
def tokens(settings) -> Tokens:
    settings.data.mkdir(parents=True, exist_ok=True)
    return Tokens(settings.data)


@pytest.fixture
def call(client):
    """Calls the worker's API with a token."""

    def send(token, path="announce", **body):
        body = {"worker": "w", "state": "ready"} | body
        return client.post(f"/api/v1/worker/{path}", json=body, headers={"Authorization": f"Bearer {token}"})

    return send


def test_a_token_opens_the_door_until_it_is_revoked_while_the_server_runs(tokens, call, clock):
    box, laptop = tokens.make("gpu-box", clock()), tokens.make("laptop", clock())
    assert call(box).status_code == call(laptop).status_code == 200
    tokens.revoke("gpu-box")
    refused = call(box)
    assert refused.status_code == 401
    assert 'The token "gpu-box" is not valid here: it was revoked' in refused.json()["detail"]
    assert call(laptop).status_code == 200


def test_the_first_refused_word_of_a_revoked_worker_takes_it_off_the_pages(tokens, call, clock, app):
    box, laptop = tokens.make("gpu-box", clock()), tokens.make("laptop", clock())
    call(box, worker="a")
    call(box, worker="b")
    call(laptop)
    workers = lambda: [worker.token for worker in app.state.parts.workers.workers()]  # noqa: E731
    call("gpu-box.wrong", worker="a")  # whoever knows a name alone sends nobody away
    assert workers() == ["gpu-box", "gpu-box", "laptop"]
    tokens.revoke("gpu-box")
    call(box, worker="a")
    assert workers() == ["laptop"]


def test_a_new_token_of_the_same_name_does_not_bring_the_old_one_back(tokens, call, clock):
    old = tokens.make("gpu-box", clock())
    tokens.revoke("gpu-box")
    new = tokens.make("gpu-box", clock())
    assert (call(old).status_code, call(new).status_code) == (401, 200)


@pytest.mark.parametrize(
    "wrong", ["gpu-box", "gpu-box.", "gpu-box.wrong", ".x", "../../worker-token.x", "other.x", "gpu-box.é"]
)
def test_only_the_whole_token_opens_the_door(tokens, call, clock, wrong):
    tokens.make("gpu-box", clock())
    assert call(wrong.encode()).status_code == 401


def test_a_worker_that_waits_for_work_when_its_token_is_revoked_gets_none(tokens, call, clock, app):
    token = tokens.make("gpu-box", clock())
    answers = []
    ask = lambda: answers.append(call(token, "claim", lanes=["demo"], wait_s=20))  # noqa: E731
    asking = threading.Thread(target=ask)
    asking.start()
    its = app.state.parts
    pause = threading.Event()
    listeners = its.hub._listeners
    while not any(change._event._waiters for changes in list(listeners.values()) for change in list(changes)):
        pause.wait(0.01)  # until it has found nothing and waits
    tokens.revoke("gpu-box")
    jobs = jobs_of(its)
    job = jobs.submit(Order("demo", "demo", FIRST, {"demo": "kv-cache", "params": {}}, "p", "c", 2.0))
    asking.join(10)
    assert answers[0].status_code == 401
    assert jobs.claim("another", ["demo"]).id == job


def test_the_holder_of_one_token_cannot_finish_or_leave_for_another(tokens, call, clock, app):
    box, laptop = tokens.make("gpu-box", clock()), tokens.make("laptop", clock())
    its = app.state.parts
    job = jobs_of(its).submit(Order("demo", "demo", FIRST, {}, "p", "c", 2.0))
    assert call(box, "claim", lanes=["demo"]).json()["id"] == job
    end = {"attempt": 1, "outcome": "failed"}
    assert call(laptop, f"jobs/{job}/finish", **end).status_code == 409
    call(box)
    call(laptop, state="absent")
    assert [worker.token for worker in its.workers.workers()] == ["gpu-box"]
    assert call(box, f"jobs/{job}/finish", **end).json() == {"state": "failed"}


@linux
def test_only_the_owner_reads_what_is_kept_and_it_opens_nothing(tokens, call, clock, settings):
    token = tokens.make("gpu-box", clock())
    folder = settings.data / "tokens"
    (kept,) = folder.iterdir()
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, kept)] == [0o700, 0o600]
    text = kept.read_text()
    assert token not in text
    assert token.partition(".")[2] not in text
    for value in json.loads(text).values():
        assert call(f"gpu-box.{value}").status_code == 401


@linux
def test_a_folder_that_was_open_to_others_is_closed(tokens, clock, settings):
    folder = settings.data / "tokens"
    folder.mkdir()
    folder.chmod(0o777)
    tokens.make("gpu-box", clock())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("what", ["a link", "a link to nothing", "no folder"])
def test_what_is_no_folder_is_not_taken_for_that_of_the_tokens(what, tokens, clock, settings, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    if what == "no folder":
        (settings.data / "tokens").touch()
    else:
        (settings.data / "tokens").symlink_to(elsewhere)
    if what == "a link":
        elsewhere.mkdir(mode=0o755)
        (elsewhere / "gpu-box.json").touch()
    for act in (lambda: tokens.make("new", clock()), lambda: tokens.revoke("gpu-box")):
        with pytest.raises(
            TokenProblem, match=rf"tokens is {what.removesuffix(' to nothing')}; move it away"
        ):
            act()
    if what == "a link":
        assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o755
        assert [path.name for path in elsewhere.iterdir()] == ["gpu-box.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="Only root can act as another user.")
class TestRoot:
    """Whoever types the command as root does it in a folder that another user can change meanwhile."""

    @pytest.fixture
    def data(self):
        """A data folder of another user, in one where that user can go, as pytest's own are not."""
        with TemporaryDirectory() as made:
            Path(made).chmod(0o755)
            data = Path(made) / "data"
            data.mkdir()
            os.chown(data, 10001, 10001)
            yield data

    def test_what_it_makes_belongs_to_whom_the_server_runs_as(self, data, clock):
        Tokens(data).make("gpu-box", clock())
        folder = data / "tokens"
        assert {path.stat().st_uid for path in (folder, *folder.iterdir())} == {10001}
        assert (os.geteuid(), os.getegid()) == (0, 0)

    def test_a_link_hands_nothing_over(self, data, clock, monkeypatch):
        """Laid between the look and the making, it leads to what its layer cannot write, and so nowhere."""
        roots = data.parent / "roots"
        roots.mkdir(mode=0o755)
        (roots / "gpu-box.json").touch()
        (data / "tokens").symlink_to(roots)
        monkeypatch.setattr(Tokens, "_is_there", lambda self: True)
        tokens = Tokens(data)
        for act in (lambda: tokens.make("new", clock()), lambda: tokens.revoke("gpu-box")):
            with pytest.raises(PermissionError):
                act()
        assert [path.name for path in roots.iterdir()] == ["gpu-box.json"]
        assert {path.stat().st_uid for path in (roots, *roots.iterdir())} == {0}


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_gets_a_sentence_and_makes_nothing(tokens, clock, name, settings):
    for act in (lambda: tokens.make(name, clock()), lambda: tokens.revoke(name)):
        with pytest.raises(TokenProblem, match="1 to 40 small letters, digits and hyphens"):
            act()
    assert not (settings.data / "tokens").exists()


def test_a_name_is_given_once(tokens, clock):
    tokens.make("gpu-box", clock())
    with pytest.raises(TokenProblem, match="aloud token gpu-box --revoke, then aloud token gpu-box"):
        tokens.make("gpu-box", clock())


def test_a_damaged_file_opens_nothing_and_is_listed_as_such(tokens, call, clock, settings):
    token = tokens.make("gpu-box", clock())
    (settings.data / "tokens" / "gpu-box.json").write_text("{")
    assert call(token).status_code == 401
    assert [(named.name, named.made_at) for named in tokens.named()] == [("gpu-box", None)]


def aloud(capsys: pytest.CaptureFixture[str], data: Path, *arguments: str) -> tuple[int, str, str]:
    status = main(["token", *arguments, "--data", str(data)])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_the_command_prints_the_token_once_and_alone_on_its_output(tmp_path, capsys):
    status, token, how = aloud(capsys, tmp_path, "gpu-box")
    assert (status, Tokens(tmp_path).holder(token.strip())) == (0, "gpu-box")
    assert f"ALOUD_TOKEN={token.strip()} .venv/bin/aloud worker --server" in how
    assert token.strip() not in aloud(capsys, tmp_path)[1]


def test_the_command_lists_and_revokes(tmp_path, capsys):
    assert "There are no named tokens" in aloud(capsys, tmp_path)[1]
    aloud(capsys, tmp_path, "gpu-box")
    assert "gpu-box" in aloud(capsys, tmp_path)[1]
    assert aloud(capsys, tmp_path, "gpu-box", "--revoke")[:2] == (
        0,
        'Revoked. A worker that shows the token "gpu-box" is refused from its next request on.\n',
    )
    assert "There are no named tokens" in aloud(capsys, tmp_path)[1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("Bad.Name",), "'Bad.Name' is not"),
        (("gpu-box", "--revoke"), 'There is no token "gpu-box"; there are none.'),
        (("--revoke",), "Say which token to revoke"),
    ],
)
def test_the_command_refuses_in_a_sentence(tmp_path, capsys, arguments, sentence):
    status, out, err = aloud(capsys, tmp_path, *arguments)
    assert (status, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_a_folder_that_is_not_there_is_not_made(tmp_path, capsys):
    status, _, err = aloud(capsys, tmp_path / "dta", "gpu-box")
    assert (status, (tmp_path / "dta").exists()) == (2, False)
    assert "There is no data folder" in err
