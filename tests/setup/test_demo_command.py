"""aloud demo run: what cannot be a deadline is refused before anything runs."""

import pytest

from app.cli import main
from app.worker import oneshot


@pytest.mark.parametrize("given", ["0", "-1", "nan", "inf", "soon", "", "1e999", "-0.0"])
def test_a_deadline_that_no_run_can_have_is_refused_in_a_sentence(
    given: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "run", "kv-cache", f"--deadline={given}"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"--deadline must be a number of seconds above 0, e.g. 30; you gave {given!r}.\n"


def test_a_deadline_is_kept_to(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "run", "kv-cache", "--deadline", "1e-9"]) == 2
    assert capsys.readouterr().err == "The run was stopped after 1e-09 s, its limit.\n"


def test_no_deadline_is_told_from_a_deadline_of_nothing() -> None:
    with pytest.raises(oneshot.RunFailed, match="stopped after 0 s"):
        oneshot.run_once("kv-cache", 0)
