"""Searches for a learning rate that several data sets share: one is made for each ``draws`` of them."""

import json

import pytest
import xarray as xr
from house import write_study
from locality_cubes import block
from test_verdicts import AT, cells_of, search_of

from isobath import results
from isobath.analysis.estimates import RATE, Undetermined
from isobath.figures import variance_components
from isobath.results import cubes, learning_rates
from isobath.study import grids
from isobath.study.run import Run
from isobath.study.schema import Config
from isobath.workflow import plan

STUDY = """
title: t
source: s
n_test: 80
tasks:
  a: {kind: k_local, k: 2, dimension: 4}
protocols:
  own: {kind: sgd, network: mlp, max_epochs: 60, check_every: 20, learning_rate: {folds: 2}}
  shared: {like: own, learning_rate: {draws: 2}}
grids:
  g: [{tasks: [a], protocols: [own, shared], depth: [1], width: [3], n_train: [40], draws: 5}]
"""


@pytest.fixture
def run(tmp_path):
    return Run(
        Config(scale="demo", studies=["s"]), {"s": plan.load_study(write_study(tmp_path / "s", STUDY, demo=""), "demo")}
    )


def test_networks_take_the_rate_of_the_search_that_their_data_set_shares(run):
    jobs = plan.jobs(run)
    searched = {
        name: [j.names["draw"] for j in jobs if j.rule == "learning_rates" and j.names["protocol"] == name]
        for name in ("own", "shared")
    }
    assert searched == {"own": ["0", "1", "2", "3", "4"], "shared": ["0", "2", "4"]}
    rates = {}
    for job in jobs:
        if job.rule == "networks" and job.names["protocol"] == "shared":
            rates[job.names["draw"]] = plan.inputs(run, "networks", job.names)["learning_rate"]
    assert {draw: path[-len("draw0.zarr.zip") :] for draw, path in rates.items()} == {
        str(draw): f"draw{search}.zarr.zip" for draw, search in enumerate([0, 0, 2, 2, 4])
    }
    made = {output for job in jobs for output in job.outputs}
    assert {*rates.values()} <= made


def test_a_cube_holds_the_searches_that_are_made_and_a_search_does_not_know_who_shares_it(run):
    part = run.parts["s"]
    (names,) = cubes.names(part)
    grid = grids.of_spec(json.loads(json.dumps(cubes.spec(part, names))))
    held = learning_rates.members(grid, results.every_seed)
    assert [(m.cell["protocol"], m.cell["draw"]) for m in held] == [
        *(("own", draw) for draw in range(5)),
        *(("shared", draw) for draw in (0, 2, 4)),
    ]
    specs = [learning_rates.spec(part, names)["learning_rate"] for names in results.names("learning_rates", part)]
    assert all(spec == specs[0] for spec in specs)


def test_an_error_over_data_sets_and_on_one_of_them_needs_the_search_that_is_shared():
    networks = [block(range(3), [0.1, 0.2, 0.3], draw=draw) for draw in range(4)]
    middle = [search_of([0.1, 1.0, 9.5], [0.4, 0.1, 0.2], chosen=1.0, draw=draw) for draw in (0, 2)]
    edge = search_of([0.1, 1.0, 9.5], [0.5, 0.4, 0.2], chosen=9.5, draw=2)
    error = cells_of(networks, middle).error(depth=1, **AT)
    assert (len(error.draws), error.together, error.count) == (4, 2, 2)
    one = cells_of(networks, middle[:1]).error(depth=1, **AT)
    assert (one.count, RATE in one.fixed) == (4, True)  # for this rate
    cells = cells_of(networks, [middle[0], edge])
    assert cells.error(depth=1, draw=1, **AT).value == pytest.approx(0.2)
    for draw in (2, 3):
        with pytest.raises(Undetermined, match=r"rate not found: the rate 9.5"):
            cells.error(depth=1, draw=draw, **AT)
    with pytest.raises(Undetermined, match="rate not found: 1 of 2 searches"):
        cells.error(depth=1, **AT)


def test_a_figure_of_the_variance_refuses_searches_that_data_sets_share():
    cube = xr.DataTree()
    cube.attrs["spec"] = json.dumps({"protocols": {"sgd": {"learning_rate": {"draws": 2}}}})
    with pytest.raises(ValueError, match=r"protocols.sgd.learning_rate.draws must be 1"):
        variance_components.draw(cube, searches=("sgd",))
