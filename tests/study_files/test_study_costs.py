"""Demands of studies at the settings of their papers: hours, the longest chain, jobs beyond a time limit."""

import pytest
from house import ROOT, write_study
from study_template import STUDY, load

from isobath.results import ensembles
from isobath.study.run import StudyRun
from isobath.study.schema import Config
from isobath.workflow import forecasts, plan, study_costs
from isobath.workflow.forecasts import Past
from isobath.workflow.ranges import Range

NOTHING = Past({}, {})


def test_a_study_demands_no_less_than_its_longest_chain_and_names_what_a_limit_is_too_short_for():
    run = plan.load(ROOT, {"scale": "paper", "studies": ["width"]})
    (demand,) = study_costs.demands(run, NOTHING)
    found = list(forecasts.forecasts(run, NOTHING))
    of_study = [f for f in found if f.job.names.get("study") == "width"]
    assert demand.jobs == len(of_study)
    assert demand.hours == forecasts.total(of_study).hours
    slowest = max(f.seconds.middle for f in of_study)
    assert demand.cluster >= max(demand.hours.middle / study_costs.CORES, slowest / 3600)
    assert demand.gpu < demand.hours.middle
    assert {f.job.rule for f in demand.pausing} == {"networks"}
    assert all(f.seconds.middle > 24 * 3600 for f in (*demand.pausing, *demand.stuck))
    first, second, *_ = study_costs.lines([demand])
    assert first.startswith("width: ")
    assert f"{study_costs.short(slowest / 3600)} h), and are submitted again" in second


def test_a_chain_is_as_long_as_its_jobs_one_after_the_other():
    def forecast(seconds, inputs, *outputs):
        job = plan.Job("kernels", {}, tuple(inputs), outputs)
        return forecasts.Forecast(job, Range(seconds, seconds, seconds), 0.0, 0.0)

    jobs = [forecast(1, [], "a"), forecast(5, [], "b"), forecast(2, ["a", "b"], "c", "d"), forecast(4, ["d"], "e")]
    assert study_costs.longest_chain(jobs) == 11
    stuck = forecast(30 * 3600, [], "x")
    demand = study_costs.Demand("s", 1, Range(30, 30, 30), 30.0, 1.0, [], [stuck])
    assert (
        list(study_costs.lines([demand]))[1].strip()
        == "x takes 30.00 h, and cannot end within the 24 h of a time limit"
    )


def test_a_cost_is_never_printed_as_none_at_all():
    numbers = (0.0, 1e-4, 0.00499, 0.005, 99.996, 1234.5)
    assert [*map(study_costs.short, numbers)] == ["0.00", "<0.01", "<0.01", "0.01", "100.00", "1,234"]


def test_a_study_with_a_fault_at_the_scale_of_its_paper_says_so(tmp_path):
    """Once its line was missing, as that of a study without such a scale is."""
    folder = write_study(tmp_path / "workflow/studies/s", STUDY, demo="")
    assert study_costs.of_papers(tmp_path, ["s"]) == []
    (folder / "paper.yaml").write_text("n_tests: 5\n", encoding="utf-8")
    (said,) = study_costs.of_papers(tmp_path, ["s"])
    assert said.startswith("s: not known; ")
    assert "unknown key 'n_tests'" in said


@pytest.mark.slow
def test_the_demands_of_the_papers_are_in_words_for_the_studies_that_have_them():
    said = study_costs.of_papers(ROOT, ["kernels", "a study of mine"])
    assert [line.partition(":")[0] for line in said if not line.startswith(" ")] == ["kernels", "GPU"]
    assert "measured on an H100" in said[-1]
    assert said == study_costs.of_papers(ROOT, ["kernels"])
    assert study_costs.of_papers(ROOT, ["a study of mine"]) == []


@pytest.mark.parametrize(("kind", "loss", "has_boundaries"), [
    ("k_local, k: 2", "squared_hinge", True),
    ("k_local, k: 2", "cross_entropy", False),  # two outputs
    ("linear_teacher", "mean_squared_error", False),  # one output, and no class whose boundary could be looked for
])  # fmt: skip
def test_boundaries_are_counted_for_two_classes_in_one_output_alone(tmp_path, kind, loss, has_boundaries):
    """Once real targets of one output counted as two classes, whose boundaries take five passes of the test set."""
    text = STUDY.replace("k_local, k: 2", kind).replace("n_test: 10", "n_test: 5000")
    kept = f"learning_rate: 0.1, loss: {loss}, store: outputs"
    text = text.replace("learning_rate: {folds: 5}", kept).replace("width: [3]", "width: [3], seeds: 4")
    run = StudyRun(Config(scale="demo", studies=["locality"]), "locality", load(tmp_path, text=text))
    place = {"task": "a", "protocol": "sgd", "depth": 1, "width": 3, "n_train": 20, "draw": 0, "networks": 4}
    assert (ensembles.cost(run, place).disk > ensembles.BOUNDARIES) == has_boundaries
