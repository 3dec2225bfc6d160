"""The command line: commands are found by file name, listed without being imported, and refuse in a sentence."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from isobath import __main__ as commands
from isobath.disk.usage import Usage
from isobath.operations import arguments, status, timings

NAMES = [
    "archive",
    "compare",
    "estimate",
    "findings",
    "judge",
    "kinds",
    "new",
    "pilot",
    "run",
    "status",
    "summary",
    "test",
    "timings",
    "verify",
]


def isobath(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isobath", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_commands_are_listed_with_their_first_line():
    lines = isobath("--help").stdout.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in lines] == NAMES
    assert all(len(line.split()) > 3 for line in lines)
    assert set(commands.commands()) == {*NAMES}


def test_to_list_commands_imports_none_of_them():
    code = "import sys, isobath.__main__ as i; i.main(['--help'], standalone_mode=False); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = run.stdout.splitlines()[-1].split()
    assert not [name for name in loaded if name.startswith("isobath.operations")]
    assert not {"torch", "xarray", "zarr", "matplotlib", "snakemake"} & set(loaded)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_that_begins_with_the_line_that_is_listed(name):
    help_of = CliRunner().invoke(commands.main, [name, "--help"], prog_name="isobath")
    assert help_of.exit_code == 0
    assert help_of.stdout.startswith(f"Usage: isobath {name} ")
    assert commands.first_line(commands.commands()[name]) in " ".join(help_of.stdout.split())


@pytest.mark.parametrize(
    "words", [["statu"], ["status"], ["status", "results/smoke", "--config", "scale"], ["kinds", "x"]]
)
def test_a_wrong_command_line_ends_with_status_2(words):
    run = isobath(*words)
    assert (run.returncode, run.stdout) == (2, "")
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    "words", [["archive"], ["findings"], ["judge", "width", "cusp_at_jamming"], ["status"], ["summary"], ["verify"]]
)
@pytest.mark.parametrize(
    ("folder", "said"),
    [("nope", "Directory 'nope' does not exist."), ("docs", "there is no docs/config.yaml; it must")],
)
def test_a_workflow_without_a_config_is_refused_by_every_command(words, folder, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    run = CliRunner().invoke(commands.main, [words[0], "results/smoke", *words[1:], "--workflow", folder])
    assert (run.exit_code, run.stdout) == (2, "")
    assert f"Invalid value for '--workflow': {said}" in run.stderr


@pytest.mark.parametrize("name", ["archive", "findings", "status", "summary", "timings", "verify"])
def test_a_folder_without_results_ends_with_status_1_and_a_sentence(name, tmp_path):
    run = CliRunner().invoke(commands.main, [name, str(tmp_path / "results/smoke")])
    assert (run.exit_code, run.stdout) == (1, "")
    assert run.stderr.startswith("Error: ")
    assert run.stderr.count("\n") == 1


def test_a_reader_who_verifies_a_zip_is_told_how_it_is_checked(tmp_path):
    (tmp_path / "isobath-smoke.zip").touch()
    run = CliRunner().invoke(commands.main, ["verify", str(tmp_path / "isobath-smoke.zip")])
    assert "isobath-smoke.zip is a file; unpack it, and check it there: python -m isobath.archive.check" in run.stderr


@pytest.mark.parametrize(
    ("words", "config", "watch"),
    [
        (["results/x"], {}, None),
        (["results/x", "--config", "a=1", "b=[u]", "--watch", "3"], {"a": 1, "b": ["u"]}, 3.0),
        (["--config", "a=1", "results/x", "--watch"], {"a": 1}, status.INTERVAL),
        (
            ["--config", "a={h: 5}", "b=x=y", "--config", "c=null", "results/x"],
            {"a": {"h": 5}, "b": "x=y", "c": None},
            None,
        ),
    ],
)
def test_settings_are_taken_as_snakemake_takes_them(words, config, watch):
    context = status.command.make_context("status", list(words))
    assert context.params["config"] == config
    assert context.params["watch"] == watch
    assert str(context.params["folder"]) == "results/x"


def test_a_folder_with_an_equals_sign_is_no_setting():
    context = status.command.make_context("status", ["--config", "a=1", "results/x=y"])
    assert (context.params["config"], str(context.params["folder"])) == ({"a": 1}, "results/x=y")


@pytest.mark.parametrize(("text", "value"), [("10", 10), ("1e3", 1000.0), ("0x10", "0x10"), ("1:30", "1:30")])
def test_a_setting_is_read_as_config_yaml_and_snakemake_read_it(text, value):
    context = status.command.make_context("status", ["results/x", "--config", f"seed={text}"])
    assert repr(context.params["config"]["seed"]) == repr(value)


def test_a_setting_that_could_be_octal_is_refused():
    run = CliRunner().invoke(commands.main, ["verify", "results/x", "--config", "seed=010"])
    assert (run.exit_code, run.stdout) == (2, "")
    assert "'seed=010', line 1: 010 could be octal; write it without the leading zero" in run.stderr


@pytest.mark.parametrize("words", [["status", "results/x", "--watch"], ["pilot", "--seconds"]])
@pytest.mark.parametrize("seconds", ["nan", "inf", "1e12", "0"])
def test_seconds_are_more_than_0_and_at_most_a_day(words, seconds):
    run = CliRunner().invoke(commands.main, [*words[:-1], f"{words[-1]}={seconds}"])
    assert (run.exit_code, run.stdout) == (2, "")
    assert f"Invalid value for '{words[-1]}'" in run.stderr


@pytest.mark.parametrize("words", [["--directory", "x"], ["--directory=x"], ["--dir", "x"], ["-d", "x"], ["-dx"]])
def test_a_run_elsewhere_is_refused(tmp_path, monkeypatch, words):
    """Once the config of this folder was passed over, and that of isobath was run."""
    (tmp_path / "config.yaml").write_text("scale: smoke\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.execv", lambda *_: pytest.fail("Snakemake was started"))
    run = CliRunner().invoke(commands.main, ["run", "--cores", "1", *words])
    assert run.exit_code == 1
    assert "isobath run has its results beside config.yaml; write one in that folder" in run.stderr


@pytest.mark.parametrize("command", ["archive", "status", "verify"])
def test_a_scale_that_is_not_that_of_the_folder_is_refused(command, tmp_path):
    (tmp_path / "config.yaml").write_text("scale: smoke\nstudies: [locality]\n", encoding="utf-8")
    (tmp_path / "results/smoke/locality").mkdir(parents=True)
    folder = str(tmp_path / "results/smoke")
    run = CliRunner().invoke(commands.main, [command, folder, "--config", "scale=demo"])
    assert (run.exit_code, run.stdout) == (1, "")
    assert run.stderr == f"Error: --config scale is 'demo' and {folder} has the scale smoke; they must agree\n"
    assert arguments.load_run(tmp_path / "results/smoke", {"scale": "smoke"}).config.scale == "smoke"


def test_a_run_knows_its_folder(small_house):
    run = arguments.load_run(small_house / "results/smoke", {"studies": ["small"]})
    assert run.home == small_house
    assert (run.config.scale, list(run.studies)) == ("smoke", ["small"])


def test_shares_and_rates_of_a_table_of_timings_are_of_their_row():
    jobs = [timings.Timing("a", Usage(10.0, 4.0, 1.0, 5e6), 8), timings.Timing("b", Usage(10.0, 12.0, 6.0, 7e6), 0)]
    _, a, b, everything = (line.split() for line in timings.table(jobs).splitlines())
    assert a == ["a", "1", "4", "25%", "25%", "10", "5", "8", "2.00"]
    assert b == ["b", "1", "12", "75%", "50%", "10", "7"]
    assert everything == ["all", "2", "16", "100%", "44%", "20", "7", "8", "0.50"]
