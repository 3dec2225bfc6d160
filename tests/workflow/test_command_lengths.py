"""Commands that no shell takes are refused before anything runs for them."""

import subprocess
import sys

import pytest

from isobath.study.schema import ConfigError
from isobath.workflow import command_lengths, plan
from isobath.workflow.command_lengths import MOST, require_short


def jobs(rule, inputs):
    return [plan.Job(rule, {}, tuple(f"results/demo/width/networks/{i:060}.zarr.zip" for i in range(inputs)), ("x",))]


@pytest.mark.parametrize(
    ("rule", "inputs", "spec", "refused"),
    [
        ("ensembles", 2000, 100, True),
        ("ensembles", 1000, 100, False),
        ("cubes", 5000, 100, False),  # it finds them in a folder
        ("cubes", 10, MOST, True),
        ("page", 10, MOST, True),
        ("networks", 3, 100, False),
    ],
)
def test_a_job_whose_command_is_too_long_is_refused(monkeypatch, rule, inputs, spec, refused):
    """Once it failed when all that it reads had been trained: Argument list too long."""
    monkeypatch.setattr(plan.Job, "spec", lambda *_: {"a": "b" * spec})
    if not refused:
        require_short(None, jobs(rule, inputs))
        return
    with pytest.raises(ConfigError, match=r"^x: its command would have \d+ characters, and a shell takes 120000"):
        require_short(None, jobs(rule, inputs))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other limits")
def test_a_shell_takes_as_much_as_is_allowed():
    assert subprocess.run(["bash", "-c", f": {'x' * (MOST + 8000)}"], check=False).returncode == 0
    with pytest.raises(OSError, match="Argument list too long"):
        subprocess.run(["bash", "-c", f": {'x' * (command_lengths.MOST + 12_000)}"], check=False)
