"""The contract of claims, over all claims of every study: words, labels, a verdict where nothing was run."""

from pathlib import Path

import pytest
import xarray as xr

from isobath import claims as family
from isobath import plugins
from isobath.analysis.verdicts import Claim, judge

STUDIES = sorted(folder.name for folder in Path(family.__file__).parent.iterdir() if (folder / "__init__.py").is_file())
CLAIMS = [(study, name) for study in STUDIES for name in plugins.claims(study)]


@pytest.mark.parametrize(("study", "name"), CLAIMS)
def test_a_claim_keeps_the_contract(study, name):
    claim = plugins.load_claim(study, name)
    assert isinstance(claim, Claim)
    assert claim.name == name
    for words in (claim.statement, claim.source, claim.statistic):
        assert words.strip() == words
        assert words
        assert not words.endswith(".")
    verdict = judge(claim, xr.DataTree())
    assert verdict["verdict"] == "not run"
    labels = [part["label"] for part in verdict["parts"]]
    assert labels
    assert len({*labels}) == len(labels)


@pytest.mark.parametrize("study", STUDIES)
def test_every_threshold_of_a_study_has_its_reason(study):
    lines = (Path(family.__file__).parent / study / "thresholds.py").read_text(encoding="utf-8").splitlines()
    named = [i for i, line in enumerate(lines) if " = " in line and not line.startswith("#")]
    assert named
    assert all(lines[i - 1].startswith("# ") for i in named)
