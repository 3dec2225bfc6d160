"""Settings that mislead are allowed, and a run warns of them."""

from pathlib import Path

import pytest
from house import ROOT, edit, snakemake
from study_template import STUDY, load

from isobath import plugins
from isobath.study import cautions
from isobath.study.run import Run
from isobath.study.schema import Config
from isobath.workflow import plan

ONE_INPUT = STUDY.replace("{kind: k_local, k: 2, dimension: 4}", "{kind: sawtooth, folds: 2}")


def said(tmp_path: Path, network: str, text: str = ONE_INPUT) -> list[str]:
    study = load(tmp_path, "network: {kind: mlp}", f"network: {network}", text)
    return cautions.of(Run(Config(scale="demo", studies=["s"], seed=0), {"s": study}))


@pytest.mark.parametrize("network", ["{kind: mlp}", "{kind: mlp, initialisation: {kind: he_normal, bias: 0}}"])
def test_biases_of_zero_on_one_input_are_said(tmp_path, network):
    (caution,) = said(tmp_path, network)
    assert caution.startswith("study s: protocols.sgd.network.initialisation.bias is 0")
    assert "one input: a;" in caution


@pytest.mark.parametrize(
    "network",
    [
        "{kind: mlp, initialisation: {kind: he_normal, bias: 0.1}}",
        "{kind: mlp, initialisation: torch_uniform}",
        "{kind: mlp, activation: identity}",
    ],
)
def test_other_starts_and_networks_without_kinks_are_not(tmp_path, network):
    assert said(tmp_path, network) == []


def test_biases_of_zero_on_more_inputs_are_not(tmp_path):
    assert said(tmp_path, "{kind: mlp}", STUDY) == []


@pytest.mark.parametrize("scale", ["smoke", "demo", "laptop", "paper"])
def test_studies_of_the_project_have_none(scale):
    assert cautions.of(plan.load(ROOT, {"scale": scale, "data": str(ROOT)})) == []


def test_a_dry_run_warns(small_house):
    study = "workflow/studies/small/study.yaml"
    edit(small_house, study, "{kind: k_local, k: 2, dimension: 4}", "{kind: sawtooth, folds: 2}")
    edit(small_house, study, "{kind: brittle}", "{kind: mlp}")
    run = snakemake(small_house, "-n", study="small")
    assert run.returncode == 0, run.stderr
    assert (run.stdout + run.stderr).count("bend at 0") == 1


@pytest.mark.parametrize("network", ["{kind: residual}", "{kind: lazy, alpha: 10, network: {kind: residual}}"])
def test_networks_whose_size_is_not_known_are_said(tmp_path, network, monkeypatch):
    """Once estimates and limits took them for free, without a word."""
    assert said(tmp_path, network, STUDY) == []
    known = plugins.literal
    monkeypatch.setattr(
        plugins, "literal", lambda f, k, n, *d: None if (k, n) == ("residual", "SIZE") else known(f, k, n, *d)
    )
    (caution,) = said(tmp_path, network, STUDY)
    assert caution.startswith("study s: protocols.sgd trains networks of the kind residual, whose size")


def test_each_network_says_itself_which_of_its_starts_bend_together(tmp_path):
    (caution,) = said(tmp_path, "{kind: residual, normalisation: layer}")
    assert "network.initialisation.bias is 0" in caution
    assert said(tmp_path, "{kind: deep_linear}") == []
