"""The contract of steps finds differences between compiled code and torch, and code that leaves its arrays."""

import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from house import ROOT
from own_folders import write

from isobath import roots
from isobath.contracts import compiled_steps
from isobath.contracts.tiny_stacks import stack
from isobath.training.compiled import epochs

PROTOCOL = (ROOT / "src/isobath/templates/protocol.py").read_text(encoding="utf-8")
LOSS = (ROOT / "src/isobath/losses/power.py").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
OF_PROTOCOLS, OF_LOSSES = "test_the_step_in_compiled", "test_the_derivative_in_compiled"


def contract(place, file, text, tests):
    """Return the outcome of some contract tests of a file of one's own."""
    write(place, {"config.yaml": "{scale: smoke, studies: [locality]}", f"own/{file}": text})
    command = [sys.executable, "-m", "isobath", "test", "-k", tests]
    return subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "tests", "count"),
    [("protocols/mine.py", PROTOCOL, OF_PROTOCOLS, 1), ("losses/mine.py", LOSS, OF_LOSSES, 2)],
)
def test_a_sound_step_passes(tmp_path, file, text, tests, count):
    done = contract(tmp_path, file, text, tests)
    assert done.returncode == 0, done.stdout
    assert f"{count} passed" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "text", "old", "new", "tests"),
    [
        ("protocols/mine.py", PROTOCOL, "rate * np.sign", "0.9 * rate * np.sign", OF_PROTOCOLS),
        ("protocols/mine.py", PROTOCOL, "with updates.of_step(k):", "if True:", OF_PROTOCOLS),
        ("losses/mine.py", LOSS, " / outputs.shape[1]", "", OF_LOSSES),
    ],
)
def test_steps_that_differ_fail(tmp_path, file, text, old, new, tests):
    assert text.count(old) == 1
    done = contract(tmp_path, file, text.replace(old, new), tests)
    assert done.returncode == 1, done.stdout
    assert "the step in compiled code is not that in torch" in done.stdout


@pytest.mark.parametrize("tests", ["test_every_protocol", pytest.param(OF_PROTOCOLS, marks=pytest.mark.slow)])
def test_a_moment_without_a_name_fails_before_it_ends_python(tmp_path, tests):
    assert PROTOCOL.count("moments=MOMENTS):") == 1
    done = contract(tmp_path, "protocols/mine.py", PROTOCOL.replace("moments=MOMENTS):", "moments=()):"), tests)
    assert done.returncode == 1, done.stdout
    assert "isobath.protocols.mine.update leaves its arrays: index 0 is out of bounds" in done.stdout
    assert "is every moment named in moments=?" in done.stdout


def test_what_lies_between_the_weights_is_not_compared():
    made = stack([0.1], np.arange(7)[None])
    made.moments["mean"] = torch.zeros_like(made.parameters)
    compared = sum(part.numel() for part in compiled_steps._remembered(made))
    assert compared == 2 * sum(weights.numel() for weights in made.weights) < 2 * made.parameters.numel()


@pytest.mark.slow
def test_the_guide_compares_the_steps_at_other_settings_and_leaves_compiled_code_that_can_be_read(tmp_path):
    (text,) = re.findall(r"```python\n(\"\"\"Tests of signum at.*?)```", GUIDE, flags=re.DOTALL)
    names: dict[str, object] = {}
    try:
        roots.use([write(tmp_path / "own", {"protocols/signum.py": PROTOCOL})])
        exec(text, names)
        names["test_the_steps_agree"](0.5)
    finally:
        roots.use([])
    for function in (epochs.one_epoch, epochs.outputs_at_start):
        function._cache._cache_file._load_index()  # raises where a type in it is gone
