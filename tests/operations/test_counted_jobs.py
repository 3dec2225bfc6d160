"""Memory, disk, work and time of jobs, counted from their settings; limits; past jobs that refine them."""

import math
from pathlib import Path
from types import SimpleNamespace

import pytest
from study_template import load

from isobath import results, sizes
from isobath.disk.usage import Usage
from isobath.operations import estimate
from isobath.results import ensembles, figures, kernels, learning_rates, networks, tangent_kernels
from isobath.study import network_cells, training_costs
from isobath.study import run as study_run
from isobath.study.run import Run, StudyRun
from isobath.study.schema import Block, Config, ConfigError, Limits
from isobath.workflow import forecasts, job_costs, plan
from isobath.workflow.forecasts import Forecast, Past
from isobath.workflow.job_costs import Cost
from isobath.workflow.plan import Job
from isobath.workflow.ranges import Range

COSTED = """
title: t
source: s
n_test: 10
tasks: {a: {kind: k_local, k: 2, dimension: 4}, b: {kind: k_local, k: 1, dimension: 4, n_test: 5}}
protocols:
  sgd: {kind: sgd, network: mlp, learning_rate: 0.1, store: outputs, record_every: 10, max_epochs: 100}
  free: {kind: sgd, network: mlp, learning_rate: {folds: 5}}
kernels: {ntk: {kind: ntk}}
grids:
  g:
    - {tasks: [a], protocols: [sgd], kernels: [ntk], depth: [1, 3], width: [300], n_train: [200],
       seeds: 4, tangent_kernels: 9}
    - {tasks: [a], protocols: [sgd], depth: [3], width: [300], n_train: [200], seeds: 2, tangent_kernels: 4}
  h: [{tasks: [a], protocols: [free], depth: [3], width: [300], n_train: [200]}]
figures: {f: {kind: bias_dependence, grid: g, caption: c, tasks: [a]}}
claims: []
"""
CELL = {"task": "a", "depth": 3, "width": 300, "n_train": 200, "draw": 0}
SGD, FREE = {**CELL, "protocol": "sgd"}, {**CELL, "protocol": "free"}


@pytest.fixture
def costed(tmp_path):
    return StudyRun(Config(scale="demo", studies=["locality"]), "locality", load(tmp_path, text=COSTED))


def mb(copies, parameters):
    return 4000 + math.ceil(copies * 8 * parameters / 1e6)


def test_a_job_asks_for_the_memory_of_all_networks_that_it_holds(costed):
    spec = networks.spec(costed, {**SGD, "seeds": "0-3"})
    weights = training_costs.network_size(costed.study, spec).parameters
    k = training_costs.output_units(costed.study, spec)
    several = {**SGD, "networks": 4, "points": 300}
    assert networks.memory(costed, {**SGD, "seeds": "0-3"}) == mb(4 * 4, weights)
    assert learning_rates.memory(costed, FREE) == mb(4, weights)
    assert ensembles.memory(costed, several) == mb(5 * 4, weights)
    assert tangent_kernels.memory(costed, several) == mb(5 * 4, weights) + int(4 * 8 * (500 * k) ** 2 / 1e6)
    assert kernels.memory(costed, {"n_train": "20000"}) == 1000 + int(1.05 * sizes.regression_bytes(20_000) / 1e6)


def test_what_networks_store_is_counted_for_each(costed):
    names = {**SGD, "seeds": "0-3"}
    spec, found = networks.spec(costed, names), networks.cost(costed, names)
    size, k = training_costs.network_size(costed.study, spec), training_costs.output_units(costed.study, spec)
    stored = 4 * (8 * 8 * 11 + 4 * (size.parameters + 10 * k))  # recordings at 0, 10, ... 100; weights; outputs
    assert found.disk == sizes.STORE + stored
    assert found.memory == training_costs.training_cost(costed.study, spec, [0.1]).memory + 4 * stored
    outputs, several = 10 * k, {**SGD, "networks": 4}
    assert ensembles.cost(costed, several).memory == 5 * 8 * 4 * (size.parameters + outputs)


def test_a_regression_of_two_depths_has_two_systems(costed):
    entries = 200 * (200 / 2 + 10)
    expected = 2 * (2 * entries * 4 + sizes.regression_operations(200, 2))  # in float64
    assert kernels.cost(costed, {"task": "a", "kernel": "ntk", "n_train": 200, "draw": 0}).work.operations == expected


def test_the_trainings_of_a_search_are_those_of_its_rungs_and_of_all_rounds(costed):
    """Eight rates on two of five folds, four on a third, two on the others; twelve later ones on half of the folds."""
    spec = learning_rates.spec(costed, FREE)
    assert training_costs.trained(spec) == 8 * 2 + 4 + 2 * 2 + 12 * 5 / 2
    tried = training_costs.rates_tried(spec["learning_rate"], searching=True)
    assert len(tried) == 8 + 4 * 3
    assert tried[8:] == pytest.approx([0.1] * 12)


def test_a_cube_has_the_memory_and_the_time_of_what_it_gathers(costed):
    run = Run(costed.config, {"locality": costed.study})
    found = {f.job.outputs[0]: f for f in forecasts.forecasts(run, Past({}, {}))}
    cubes = [f for f in found.values() if f.job.rule == "cubes"]
    for f in cubes:
        assert f.memory == job_costs.PROCESS + 3 * sum(found[path].disk for path in f.job.inputs)
        expected = results.option("cubes", "OVERHEAD") + results.option("cubes", "EACH") * len(f.job.inputs)
        assert job_costs.cost(run, f.job).work == pytest.approx(expected)
    assert len(cubes) == 2


def test_past_jobs_of_the_same_protocol_count_before_those_of_the_rule():
    job = Job("networks", {"study": "s", "protocol": "p"}, (), ("x",))
    past = Past({}, {("networks",): Range(9, 9, 9), ("networks", "s", "p"): Range(2, 2, 2)})
    assert forecasts._work(past, job, Cost(0, 0, 10, math.inf, 0, 0)) == (20, 20, 20)
    other = job._replace(names={"study": "s", "protocol": "q"})
    assert forecasts._work(past, other, Cost(0, 0, 10, math.inf, 0, 0)) == (90, 90, 90)


@pytest.mark.parametrize(("jobs", "clock"), [(2, 1.0), (3, 5.5)])
def test_the_clock_is_that_of_shared_cores_once_three_jobs_say_so(tmp_path, monkeypatch, jobs, clock):
    (tmp_path / "logs/demo").mkdir(parents=True)
    listed = [SimpleNamespace(rule="x", log=f"{i}.log", spec=lambda _: {}, names={}) for i in range(jobs)]
    took = Usage(10.0, 2.0, 1.0, 1e6, forecasts.usage.digest({}))  # eleven seconds for two of a core
    monkeypatch.setattr(plan, "jobs", lambda _: listed)
    monkeypatch.setattr(forecasts.usage, "read", lambda *_: took)
    monkeypatch.setattr(job_costs, "cost", lambda *_: Cost(0, 1, 0, 0, 0, 0))
    run = SimpleNamespace(home=tmp_path, config=SimpleNamespace(scale="demo"))
    assert forecasts.past(run, tmp_path).clock == clock


@pytest.mark.parametrize(
    ("limits", "refused"),
    [
        ({"hours": 1.9}, True),
        ({"hours": 2.1}, False),
        ({"disk_gb": 2.9}, True),
        ({"disk_gb": 3.1}, False),
    ],
)
def test_a_limit_is_compared_in_its_unit(monkeypatch, limits, refused):
    due = Forecast(Job("networks", {}, (), ("x",)), Range(0.0, 7200.0, 9e9), 0.0, 3e9)
    monkeypatch.setattr(forecasts, "past", lambda *_: None)
    monkeypatch.setattr(forecasts, "forecasts", lambda *_: [due])
    run = SimpleNamespace(config=SimpleNamespace(limits=Limits(**limits)))
    if not refused:
        assert forecasts.require_affordable(run, Path(), ["x"]) == [due]
        return
    with pytest.raises(ConfigError, match="the run still needs about"):
        forecasts.require_affordable(run, Path(), ["x"])


def test_a_block_counts_its_kernels_and_constructions_as_jobs():
    block = Block(tasks=["a", "b"], protocols=["p"], kernels=["k", "l"], constructions=["c"], depth=[1], width=[2],
                  n_train=[3], seeds=11, draws=5)  # fmt: skip
    assert forecasts._jobs(block, per_job=10) == 2 * 5 * (2 + 2 + 1)


def test_the_job_with_most_memory_is_named_beside_the_longest():
    def forecast(path, seconds, memory):
        return Forecast(Job("networks", {}, (), (path,)), Range(seconds, seconds, seconds), memory, 0.0)

    said = estimate.largest([forecast("long", 7200.0, 1e9), forecast("large", 36.0, 5e9)], ["long", "large"], "core")
    assert [line.rpartition(" ")[2] for line in said.splitlines()] == ["long", "large"]
    assert "5.00 GB" in said


def test_a_figure_is_drawn_again_when_the_title_of_a_task_changes(costed, monkeypatch):
    monkeypatch.setattr(figures.plugins, "literal", lambda family, kind, name: f"{family} {kind} {name}")
    assert figures.spec(costed, {"figure": "f"})["titles"] == {"k_local": "task k_local TITLE"}


def test_tangent_kernels_at_more_samples_than_one_of_the_tasks_has_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="tangent_kernels is 9; it must not exceed n_test, which is 5"):
        load(tmp_path, "{tasks: [a], protocols: [sgd], kernels", "{tasks: [a, b], protocols: [sgd], kernels", COSTED)


def test_overlapping_blocks_ask_for_the_larger_tangent_kernels_and_a_task_may_have_its_own_test_set(costed):
    found = tangent_kernels.cells(costed.grids["g"])
    assert found[network_cells.cell(SGD)] == (4, 9)
    assert [study_run.n_test(costed.study, task) for task in "ab"] == [10, 5]
