"""The command line: quick, without torch, and every refusal one sentence that says what to change."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from app.commands import COMMANDS, Refused, flags, serve
from app.commands.text import lines, number, table
from app.settings import Settings
from kernels.result import Block, Check, Device, Note, Result
from tests.marks import linux


def result(*blocks: Block) -> Result:
    device = Device("cpu", "A CPU", "", "2.13.0", "")
    return Result("attention", {}, 0, "live", "eager", device, "", "2026-11-29T18:00:00Z", 1200, blocks)


def test_help_names_every_command_and_imports_none(capsys: pytest.CaptureFixture[str]) -> None:
    script = (
        "import sys; from app.cli import main; main(['--help']); "
        "sys.exit(any(name.startswith(('fastapi', 'torch', 'pydantic')) for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert all(f"aloud {name}" in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("command", ["serve", "worker", "check", "doctor", "demo list"])
def test_no_command_imports_torch(command: str) -> None:
    script = (
        "import contextlib, sys; from app.cli import main\n"
        f"with contextlib.suppress(SystemExit): main({[*command.split(), '--help']})\n"
        "sys.exit('torch' in sys.modules or 'triton' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)


def test_every_setting_of_the_web_is_a_flag_and_the_flag_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALOUD_PORT", "8001")
    monkeypatch.setenv("ALOUD_ROLLOVER", "5")
    parser = flags.parser("serve", serve.FIELDS)
    given = flags.settings(parser.parse_args(["--port", "8002", "--learning-steps", "2, 20"]))
    assert (given.port, given.rollover, given.learning_steps) == (8002, 5, (2.0, 20.0))
    assert set(serve.FIELDS) | set(serve.OF_THE_WORKER) == set(Settings.model_fields)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--port", "99999"],
            "--port (ALOUD_PORT) cannot be '99999': it should be less than or equal to 65535.",
        ),
        (["--port", "http"], "--port (ALOUD_PORT) cannot be 'http': it should be a valid integer."),
        (["--root-path", "aloud"], "--root-path (ALOUD_ROOT_PATH) cannot be 'aloud': it must begin with /"),
        (["--zone", "Mars"], "write it like Europe/Berlin"),
        (["--learning-steps", "0"], "each step must be more than 0"),
    ],
)
def test_a_setting_that_does_not_fit_is_one_sentence(arguments: list[str], sentence: str) -> None:
    given = flags.parser("serve", serve.FIELDS).parse_args(arguments)
    with pytest.raises(Refused) as refused:
        flags.settings(given)
    assert sentence in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_a_misspelt_variable_is_told() -> None:
    environment = {"ALOUD_PROT": "8001", "ALOUD_PORT": "8001", "HOME": "/"}
    assert flags.unknown(environment) == ["ALOUD_PROT is no setting of Aloud; ALOUD_PORT is one."]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["sevre"], 'There is no command "sevre"; try `aloud serve`.'),
        (["demo", "run", "flahs"], "did you mean flash?"),
        (["demo", "run", "flash", "d=0"], "d must be a whole number from 16 to 256"),
        (["demo", "run", "flash", "d"], 'parameter as name=value, with no spaces; "d" is not one'),
    ],
)
def test_a_refusal_goes_to_standard_error_with_status_2(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.out == ""
    assert "Traceback" not in said.err


def test_demo_list_names_every_parameter_with_its_limits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "list"]) == 0
    said = capsys.readouterr().out
    assert "kv-cache" in said
    assert "a whole number from 16 to 256; default 64" in said


def test_a_result_as_text_says_what_was_got_and_where() -> None:
    check = Check("The rows sum to 1.", "=", 1.0, 0.5, 1e-6, holds=False)
    said = list(lines(result(Block("sums", check, "Sums"), Block("note", Note("Two\nlines"), alt="hidden"))))
    assert said[:2] == ["Sums  [sums]", "  The rows sum to 1: 0.5 = 1 ± 1e-06: DOES NOT HOLD"]
    assert "  hidden" not in said
    assert said[-1] == "live, eager, on A CPU (cpu), torch 2.13.0; 1,200 ms in all"


def test_a_table_is_aligned() -> None:
    assert list(table(("a", "bytes"), [("cache", "1,024"), ("x", "8")])) == [
        "a      bytes",
        "cache  1,024",
        "x          8",
    ]
    assert [number(v) for v in (327680, True, None, 0.1234567, "-inf")] == [
        "327,680",
        "yes",
        "",
        "0.123457",
        "-inf",
    ]


def test_a_demo_runs_without_the_web(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "run", "kv-cache", "model=llama-3-70b", "tokens=131072", "--json"]) == 0
    made = Result.from_json(json.loads(capsys.readouterr().out))
    assert (made.demo, made.mode) == ("kv-cache", "calculated")


@linux
@pytest.mark.parametrize("arguments", [["--help"], ["demo", "list"]])
def test_a_full_disk_is_told_in_a_sentence(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "app.cli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr.splitlines()) == (
        1,
        ["Writing failed: No space left on device. Make room, and try again."],
    )


@linux
def test_a_worker_without_a_token_is_told_where_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Not even root writes in /proc."""
    assert main(["worker", "--server", "http://localhost:8280", "--data", "/proc/aloud"]) == 2
    assert "ALOUD_TOKEN" in capsys.readouterr().err
