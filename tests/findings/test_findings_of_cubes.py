"""Numbers of cubes that no claim judges and that findings list: jamming thresholds, origins of a variance."""

import math

import numpy as np
import pytest
import xarray as xr
from findings_runs import claim, made, run, with_searches, with_thresholds

from isobath.analysis.repeated_searches import errors_by_search, require_own_searches, searches_of
from isobath.analysis.variance import ORIGINS, components, shares
from isobath.findings.cube_numbers import variances

DECAY = "ntk_decay_is_depth_free"
SEARCH = {"folds": 2, "partition": 0, "draws": 1}
OWN = {"kind": "sgd", "learning_rate": SEARCH}
AGAIN = {"kind": "sgd", "learning_rate": {**SEARCH, "partition": 1}}


@pytest.fixture
def errors():
    """Return errors of 6 data sets, 2 searches and 3 starts, one of which diverged."""
    rng = np.random.default_rng(0)
    made_of = (rng.normal(0, sd, shape) for sd, shape in ((0.02, (6, 1, 1)), (0.01, (6, 2, 1)), (0.01, (6, 2, 3))))
    errors = 0.3 + sum(made_of)
    errors[4, 1, 2] = math.nan
    return errors


def section(page, title):
    """Return the rows of a section of a page."""
    lines = page.partition(f"## {title}")[2].partition("## ")[0].splitlines()
    return [line for line in lines if line.startswith("| smoke")]


def test_jamming_thresholds_that_have_an_interval_are_listed(tmp_path):
    cube = with_thresholds((113.2, 101.6, 123.5), (688.0, math.nan, 700.0), (205.2, 84.2, math.inf))
    page = made(run(tmp_path, claim(DECAY), cube=cube))["kernels.md"]
    (row,) = section(page, "Jamming thresholds")
    assert row == "| smoke, seed 0 | theory | a | adam | 0 | 100 | 113 | \\[102, 124\\] |"
    assert "## Jamming thresholds" not in made(run(tmp_path / "b", claim(DECAY)))["kernels.md"]


def test_the_parts_of_a_variance_are_listed_by_origin(tmp_path, errors):
    page = made(run(tmp_path, claim(DECAY), cube=with_searches(errors, own=OWN, again=AGAIN)))["kernels.md"]
    rows = [row.strip("| ").split(" | ") for row in section(page, "Origins of the variance of a test error")]
    whole = np.delete(errors, 4, 0)
    assert [row[2:8] for row in rows] == [["a", "7", "100", "50", "5", origin] for origin in ORIGINS]
    assert [row[8] for row in rows] == [f"{sd:.4f}" for sd in components(whole)]
    assert [row[10] for row in rows] == [f"{share:.2f}" for share in shares(whole).value]
    assert "## Origins of" not in made(run(tmp_path / "b", claim(DECAY)))["kernels.md"]


def test_errors_of_a_cell_are_by_data_set_search_and_start(errors):
    ((cell, found),) = errors_by_search(with_searches(errors, own=OWN, again=AGAIN), ("again", "own"))
    assert cell == {"task": "a", "depth": 7, "width": 100, "n_train": 50}
    np.testing.assert_array_equal(found, errors[:, ::-1])


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (AGAIN, [("own", "other")]),
        ({**AGAIN, "kind": "adam"}, []),  # another protocol, by which errors differ as well
        ({**OWN, "learning_rate": 0.1}, []),
        ({**AGAIN, "learning_rate": {**AGAIN["learning_rate"], "draws": 2}}, []),  # data sets share its search
    ],
)
def test_searches_are_of_protocols_that_differ_in_nothing_else(errors, other, found):
    cube = with_searches(errors, own=OWN, other=other)
    assert list(searches_of(cube)) == found
    assert bool(list(variances(cube))) == bool(found)


def test_searches_that_data_sets_share_are_refused_and_those_of_other_protocols_are_not(errors):
    shared = [{**each, "learning_rate": {**each["learning_rate"], "draws": 2}} for each in (OWN, AGAIN)]
    cube = with_searches(errors.repeat(2, axis=1), own=OWN, again=AGAIN, first=shared[0], second=shared[1])
    assert list(searches_of(cube)) == [("own", "again")]
    require_own_searches(cube, ("own", "again"))
    with pytest.raises(ValueError, match="data sets share the searches of second"):
        require_own_searches(cube, ("own", "second"))


def test_errors_are_of_networks_that_did_not_diverge_whether_they_fit_or_not(errors):
    cube = with_searches(errors, own=OWN, again=AGAIN)
    status = cube["networks"].status.copy()
    status.loc[{"draw": 1, "protocol": "own", "seed": 2}] = "unfitted"
    cube["networks"] = xr.DataTree(cube["networks"].to_dataset().assign(status=status))
    ((_, found),) = errors_by_search(cube, ("own", "again"))
    np.testing.assert_array_equal(found, errors)


@pytest.mark.parametrize("kept", [(slice(1), 2, 3), (slice(6), 1, 3), (slice(6), 2, 1)])
def test_a_single_data_set_search_or_start_has_no_variance(errors, kept):
    data, searches, starts = kept
    names = {"own": OWN, "again": AGAIN} if searches == 2 else {"own": OWN}
    assert not list(variances(with_searches(errors[data, :searches, :starts], **names)))
