"""Figures refuse, before a run, grids and settings with which their jobs would fail after all trainings."""

import pytest
from house import ROOT

from isobath import plugins
from isobath.settings import Count, Index, TaskName
from isobath.study import figure_checks, loading, places
from isobath.study.grids import names_in
from isobath.study.schema import ConfigError, Figure, Plugin
from isobath.workflow import plan

SWEPT = ("accuracy_by_rate", "accuracy_by_size", "learning_rate_dependence")
AT_ONE = ("depth_dependence", "gain_by_terms", "learning_curves", "width_dependence")


@pytest.fixture(scope="module")
def studies():
    every = places.studies(ROOT)
    return {
        name: plan.load_study(every[name], "smoke", every)
        for name in ("locality", "kernels", "expressivity", "fractals")
    }


def grid_of(study, *, swept):
    """Return a grid with a protocol of several learning rates, or without one."""
    for grid, blocks in study.grids.items():
        rates = [study.protocols[name].learning_rate for name in names_in(blocks, "protocols")]
        if rates and any(isinstance(rate, list) for rate in rates) == swept:
            return grid
    raise LookupError


def with_widths(study, grid, widths):
    """Return a study in which all networks of a grid have these widths."""
    blocks = [block.model_copy(update={"width": widths}) for block in study.grids[grid]]
    return study.model_copy(update={"grids": {**study.grids, grid: blocks}})


def refusal(study, **figure):
    """Return why a study does not take a figure; None if it does."""
    made = loading.completed("figure", {"caption": "c", **figure}, "study.yaml", "figures.f", model=Figure)
    try:
        figure_checks.check(study.model_copy(update={"figures": {"f": made}}), "study.yaml", "f")
    except ConfigError as error:
        return str(error)
    return None


def filled(study, grid, kind):
    """Return the settings that a kind needs, with the first names that a grid has."""
    name = {table: names_in(study.grids[grid], table)[0] for table in ("tasks", "protocols")}
    need = {"task": name["tasks"], "tasks": [name["tasks"]], "groups": [[name["tasks"]]], "protocol": name["protocols"]}
    return {
        setting: need[setting] for setting, (_, default) in plugins.schema("figure", kind).items() if default is ...
    }


@pytest.mark.parametrize("kind", [*SWEPT, *AT_ONE])
def test_a_figure_asks_for_the_rates_that_it_draws(studies, kind):
    """Once the job of the figure failed, after all trainings."""
    study, along = studies["locality"], kind in SWEPT
    right, wrong = (grid_of(study, swept=swept) for swept in (along, not along))
    depths = {"shallow": 1, "deep": 1} if kind == "gain_by_terms" else {}
    assert refusal(study, kind=kind, grid=right, **filled(study, right, kind), **depths) is None
    other = "and no protocol of grid" if along else "at one learning rate, and protocol"
    said = refusal(study, kind=kind, grid=wrong, **filled(study, wrong, kind), **depths)
    assert said.startswith(f"study.yaml: figures.f.kind is '{kind}', which draws ")
    assert other in said


def test_a_curve_for_networks_of_any_width_asks_for_one(studies):
    study, several = studies["kernels"], with_widths(studies["kernels"], "lazy", [10, 20])
    assert refusal(study, kind="value_of_features", grid="lazy") is None
    assert refusal(several, kind="value_of_features", grid="lazy") == (
        "study.yaml: figures.f.kind is 'value_of_features', which draws networks of one width, and task 2-terms-1 of "
        "grid lazy has 10, 20"
    )


def test_widths_count_at_the_depths_and_by_the_protocol_that_are_drawn(studies):
    study = studies["locality"]
    one = study.grids["terms"][0]
    gain = {"kind": "gain_by_terms", "grid": "terms", "protocol": "sgd_normal"}
    for other, refused in ({"depth": [3]}, False), ({"protocols": ["sgd"]}, False), ({"depth": [7]}, True):
        block = one.model_copy(update={"width": [20], **other})
        beside = study.model_copy(update={"grids": {**study.grids, "terms": [one, block]}})
        assert (refusal(beside, **gain) is not None) == refused


@pytest.mark.parametrize(
    ("study", "figure", "said"),
    [
        (
            "kernels",
            {"kind": "zonal_spectra", "grid": "theory", "calculation": "spectra", "dimension": 7, "families": ["ntk"]},
            "figures.f.dimension has 7; spectra has ",
        ),
        (
            "expressivity",
            {"kind": "network_functions", "grid": "folds", "folds": 9},
            "figures.f.folds has 9; grid folds has 2",
        ),
        ("expressivity", {"kind": "interval_counts", "grid": "folds"}, "figures.f.folds has 4; grid folds has 2"),
        (
            "locality",
            {"kind": "fractal_samples", "grid": "samples", "tasks": ["2-local"]},
            "figures.f.tasks has '2-local', which is of kind k_local; the figure draws fractal alone",
        ),
        (
            "kernels",
            {"kind": "decay_constants", "grid": "theory", "calculation": "spectra", "families": []},
            "figures.f.families is empty",
        ),
        (
            "locality",
            {"kind": "fractal_samples", "grid": "samples", "tasks": []},
            "figures.f.tasks is empty; allowed: ",
        ),
        (
            "locality",
            {"kind": "gain_by_terms", "grid": "terms", "protocol": "sgd_normal", "deep": 3},
            "figures.f.deep has 3; grid terms has 1, 7",
        ),
    ],
    ids=["dimension", "folds", "default of folds", "kind", "empty", "no name", "depth"],
)
def test_what_a_figure_draws_has_to_be_there(studies, study, figure, said):
    assert refusal(studies[study], **figure).startswith(f"study.yaml: {said}")


def test_a_kernel_without_a_depth_is_not_drawn_against_it(studies):
    study = studies["kernels"]
    laplace = loading.completed("kernel", {"kind": "gamma_exponential"}, "study.yaml", "kernels.laplace", model=Plugin)
    block = study.grids["images"][0].model_copy(update={"kernels": ["ntk", "laplace"]})
    grids = {**study.grids, "images": [block]}
    both = study.model_copy(update={"grids": grids, "kernels": {**study.kernels, "laplace": laplace}})
    figure = {"kind": "kernel_accuracy", "grid": "images", "task": "mnist"}
    assert refusal(both, **figure, kernels=["ntk"]) is None
    said = refusal(both, **figure, kernels=["ntk", "laplace"])
    assert said.startswith("study.yaml: figures.f.kernels has 'laplace', which has no depth; ")


def test_a_figure_of_ones_own_may_leave_names_out_and_is_told_what_its_constants_may_say(studies, monkeypatch):
    """Once names that are none by default ended in a traceback."""
    schema = {"tasks": (tuple[TaskName, ...], ()), "depths": (tuple[Index, ...], ...), "folds": (Count | None, None)}
    constants = {"AMONG": {"folds": "tasks.folds"}}
    monkeypatch.setattr(plugins, "schema", lambda *_: schema)
    monkeypatch.setattr(plugins, "literal", lambda _, __, name, default=None: constants.get(name, default))
    monkeypatch.setattr(plugins, "table", lambda _, __, name: constants.get(name, {}))
    study = studies["kernels"]

    def check(**settings):
        figure = Figure.model_validate({"kind": "compute", "grid": "lazy", "caption": "c", "tasks": [], **settings})
        figure_checks.check(study.model_copy(update={"figures": {"f": figure}}), "study.yaml", "f")

    check(depths=[1], folds=None)
    with pytest.raises(ConfigError, match=r"figures\.f\.depths is empty; grid lazy has 1, 7"):
        check(depths=[], folds=None)
    constants["AMONG"] = {"folds": "task.folds"}
    with pytest.raises(plugins.PluginError, match=r"AMONG has 'folds': 'task\.folds'; allowed are"):
        check(depths=[1], folds=None)
    constants.update(AMONG={}, AS_MANY={"folds": "depth"})
    with pytest.raises(plugins.PluginError, match="AS_MANY has 'folds': 'depth'; both must be settings"):
        check(depths=[1], folds=None)


def test_a_figure_has_a_published_number_for_each_of_its_tasks(studies):
    """Once another number of them was found when the figure was drawn, after all trainings."""
    study = studies["fractals"]
    figure = {"kind": "accuracy_by_curve", "grid": "curves", "protocol": "adam"}
    tasks = study.grids["curves"][0].tasks[:2]
    assert refusal(study, **figure, tasks=tasks, published=[0.9, 0.8]) is None
    assert refusal(study, **figure, tasks=tasks) is None
    said = refusal(study, **figure, tasks=tasks, published=[0.9])
    assert said == "study.yaml: figures.f.published has 1 values; it must have one for each of the 2 tasks"
