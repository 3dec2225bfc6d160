"""The contract of claims, over all claims of every study: words, labels, a verdict where nothing was run."""

from importlib.util import find_spec

import pytest
import xarray as xr

from isobath import plugins, roots
from isobath.analysis.verdicts import Claim, judge

FOUND = [
    (path.name, name, module)
    for path in plugins.studies_with_claims()
    for name, module in plugins.claims(path.name).items()
]
CLAIMS = [
    (study, name) for study, name, module in FOUND if not roots.own() or roots.is_own(str(find_spec(module).origin))
]


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
