"""The contracts find what fails every job, or trains wrongly, in plug-ins of one's own; jobs refuse other arrays."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from house import ROOT
from own_folders import write

from isobath.jobs.samples import checked
from isobath.randomness import stream
from isobath.tasks import Ends, k_local
from isobath.training.architecture import Architecture

NETWORK = (ROOT / "src/isobath/templates/network.py").read_text(encoding="utf-8")
TASK = (ROOT / "src/isobath/tasks/linear_teacher.py").read_text(encoding="utf-8")
LOSS = '''"""Squares, scaled.

- ``scale``: factor of the loss
"""

from isobath.losses.mean_squared_error import encoded, error
from isobath.settings import Positive

TAKES = ("labels", "targets")


def value(outputs, targets, *, scale: Positive = 1.0):
    """Return half of the square, times the scale."""
    return scale * (outputs - targets).square().sum(-1) / 2


def derivative_(outputs, targets, *, scale=1.0):
    """Write the derivative over the outputs."""
    return outputs.sub_(targets).mul_(scale)


def unsatisfied(outputs, truth, *, scale=1.0):
    """Return which samples are not met."""
    return error(outputs, truth) != 0
'''
RETURN = "return x, (signal + noise * generator.standard_normal(n))[:, None]"
ORDERED = "y = signal + noise * generator.standard_normal(n)\n    return x[y.argsort()], np.sort(y)[:, None]"
ACCEPTS, OF_LOSS, OF_NETWORK = "functions_beside_the_verb", "derivative_is_that", "have_the_type"
FAULTY = {  # a file: its text, what is changed of it, and the test that fails
    "losses/sound.py": (LOSS, "", "", None),
    "losses/deaf.py": (LOSS, ".mul_(scale)", "", f"{OF_LOSS}_of_the_value_and_in_place[doubled-deaf]"),
    "losses/lacking.py": (LOSS, "(outputs, truth, *, scale=1.0)", "(outputs, truth)", "all_settings[loss-lacking]"),
    "networks/lacking.py": (
        NETWORK,
        "x: Tensor, *, scale: float = 1.0)",
        "x: Tensor)",
        "all_settings[network-lacking]",
    ),
    "networks/untyped.py": (NETWORK, ".to(dtype)", "", f"{OF_NETWORK}_that_is_asked_for[dtype0-untyped]"),
    "tasks/ordered.py": (TASK, RETURN, ORDERED, "test_every_sampled_task_keeps_the_contract[ordered]"),
}


def test_the_contracts_fail_what_would_fail_or_spoil_every_job(tmp_path):
    """Once all of these passed."""
    files = {}
    for file, (text, old, new, _) in FAULTY.items():
        assert not old or text.count(old) == 1, file
        files[f"own/{file}"] = text.replace(old, new) if old else text
    write(tmp_path, {"config.yaml": "{scale: smoke, studies: [locality]}", **files})
    chosen = f"{ACCEPTS} or {OF_LOSS} or {OF_NETWORK} or test_every_sampled_task"
    command = [sys.executable, "-P", "-m", "isobath", "test", "-k", chosen]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    for file, (*_, test) in FAULTY.items():
        assert test is None or any(test in line for line in failed), (file, done.stdout)
    assert len(failed) == len(FAULTY) - 1, failed
    assert "ordered by their labels or targets" in done.stdout


class Linear:
    """A network of one layer, whose start and outputs can be of other shapes and types."""

    __name__ = "linear"

    def __init__(self, shape=(2, 3), networks=2, dtype=torch.float32):
        self.shape, self.networks, self.dtype = shape, networks, dtype

    def init(self, generators, *, dtype):
        return [torch.zeros(self.networks, *self.shape, dtype=self.dtype)]

    def apply(self, weights, x):
        return x @ weights[0].transpose(1, 2)


@pytest.mark.parametrize(
    ("network", "said"),
    [
        (Linear(networks=1), r"init returned weights of the shape \(1, 2, 3\); allowed: \(2, 2, 3\)"),
        (Linear(dtype=torch.float64), r"init returned weights of the type torch\.float64; allowed: torch\.float32"),
        (Linear((1, 3)), r"apply returned outputs of one network of the shape \(1, 4, 1\); allowed: \(1, 4, 2\)"),
    ],
)
def test_starts_and_outputs_of_other_shapes_are_refused(network, said):
    """Once outputs of two columns for one real target were trained on, against a target that both had."""
    architecture = Architecture(network)
    weights = architecture.init([stream(0, i) for i in range(2)], dtype=torch.float32)
    with pytest.raises(ValueError, match=said):
        architecture.require_contract(weights, torch.ones(4, 3), networks=2, n_outputs=2)
    sound = Architecture(Linear())
    sound.require_contract(sound.init([], dtype=torch.float32), torch.ones(4, 3), networks=2, n_outputs=2)


def test_targets_without_real_ends_are_told_of_them():
    with pytest.raises(
        ValueError, match=r"labels of the type float64; allowed: int64, and of real targets, where ends "
    ):
        checked(k_local.sample, (np.zeros((6, 3)), np.zeros(6)), 6, Ends(3, 1))
