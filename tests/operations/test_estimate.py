"""The estimated cost of a run, against the cost that it had; and runs that are refused."""

import dataclasses
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from house import ROOT, edit, fresh, snakemake

from isobath.disk import usage
from isobath.disk.usage import Usage
from isobath.operations import calibration, estimate
from isobath.operations.status import Condition
from isobath.study import loading
from isobath.study.run import Run
from isobath.study.schema import Limits
from isobath.workflow import forecasts, job_costs, plan
from isobath.workflow.forecasts import Past
from isobath.workflow.ranges import PRIOR, Range

NOTHING = Past({}, {})


def run_of(scale: str, home: Path = ROOT, *studies: str) -> Run:
    run = plan.load(ROOT, {"scale": scale, "studies": list(studies) or ["locality"]})
    return dataclasses.replace(run, home=home)


def ran(home: Path, run: Run, seconds: Callable[[job_costs.Cost], float]) -> list[plan.Job]:
    """Write the logs that the searches and trainings of a run would have left: their CPU seconds, with their starts."""
    jobs = [job for job in plan.jobs(run) if job.rule in ("learning_rates", "networks")]
    for job in jobs:
        file, cost = home / job.log, job_costs.cost(run, job)
        file.parent.mkdir(parents=True, exist_ok=True)
        took = Usage(9e9, seconds(cost), cost.start, 1e6, usage.digest(job.spec(run)))
        file.write_text(f"epoch 5\n{took}isobath: finished\n", encoding="utf-8")
    return jobs


def by_rule(found: list[forecasts.Forecast], rule: str) -> forecasts.Total:
    return forecasts.total([f for f in found if f.job.rule == rule])


def test_every_job_of_the_plan_is_foretold():
    run = run_of("demo", ROOT, "locality", "width")
    found = list(forecasts.forecasts(run, NOTHING))
    assert [f.job for f in found] == list(plan.jobs(run))
    assert all(0 < f.seconds.low <= f.seconds.middle <= f.seconds.high for f in found)
    assert all(f.memory > 0 and f.disk > 0 for f in found)


def test_past_jobs_refine_others_and_other_scales(tmp_path):
    demo, laptop = run_of("demo", tmp_path), run_of("laptop", tmp_path)
    ran(tmp_path, demo, lambda cost: cost.start + cost.overhead + 0.25 * cost.work)
    known = forecasts.past(laptop, ROOT)
    assert known.ratios["networks", "locality", "sgd"] == pytest.approx(
        (0.25, 0.25, 0.25), abs=1e-3
    )  # a log has milliseconds
    before, after = (list(forecasts.forecasts(laptop, past)) for past in (NOTHING, known))
    for rule in ("networks", "learning_rates"):
        counted = [job_costs.cost(laptop, f.job) for f in after if f.job.rule == rule]
        expected = sum(cost.start + cost.overhead + 0.25 * cost.work for cost in counted) / 3600
        assert by_rule(after, rule).hours == pytest.approx((expected, expected, expected), rel=1e-3)
    assert by_rule(after, "kernels") == by_rule(before, "kernels")


def test_a_job_whose_settings_have_changed_since_is_no_past_job(tmp_path):
    run = run_of("demo", tmp_path)
    ran(tmp_path, run, lambda cost: 1.0)
    study = run.studies["locality"]
    longer = {name: p.model_copy(update={"max_epochs": 10 * p.max_epochs}) for name, p in study.protocols.items()}
    edited = study.model_copy(update={"protocols": longer})
    assert forecasts.past(dataclasses.replace(run, studies={"locality": edited}), ROOT) == NOTHING


def test_a_job_that_was_run_counts_with_what_it_took(tmp_path):
    run = run_of("demo", tmp_path)
    jobs = ran(tmp_path, run, lambda cost: 1234.5)
    found = {f.job.outputs: f.seconds for f in forecasts.forecasts(run, forecasts.past(run, ROOT))}
    assert {found[job.outputs] for job in jobs} == {Range(1234.5, 1234.5, 1234.5)}


def test_jobs_that_do_little_but_start_say_nothing_of_work(tmp_path):
    ran(tmp_path, run_of("smoke", tmp_path), lambda cost: 5 * cost.start + cost.overhead)
    known = forecasts.past(run_of("demo", tmp_path), ROOT)
    assert known.seconds
    assert not known.ratios


def test_no_training_is_foretold_beyond_twice_its_last_epoch(tmp_path):
    demo, laptop = run_of("demo", tmp_path), run_of("laptop", tmp_path)
    ran(tmp_path, demo, lambda cost: cost.start + cost.overhead + 1e6 * cost.work)
    for f in forecasts.forecasts(laptop, forecasts.past(laptop, ROOT)):
        cost = job_costs.cost(laptop, f.job)
        assert f.seconds.high <= cost.start + cost.overhead + 2 * cost.longest


def test_a_machine_slower_than_counted_is_believed_where_epochs_are_fixed(tmp_path):
    """At small rates Adam trains to its last epoch: what is counted and what is counted at most are one."""
    demo, laptop = run_of("demo", tmp_path, "fractals"), run_of("laptop", tmp_path, "fractals")
    ran(tmp_path, demo, lambda cost: cost.start + cost.overhead + 1.5 * cost.work)
    found = forecasts.forecasts(laptop, forecasts.past(laptop, ROOT))
    costs = [(f.seconds, job_costs.cost(laptop, f.job)) for f in found if f.job.rule == "networks"]
    fixed = [(seconds, cost) for seconds, cost in costs if cost.work == pytest.approx(cost.longest)]
    assert fixed
    for seconds, cost in fixed:
        expected = cost.start + cost.overhead + 1.5 * cost.work
        assert seconds == pytest.approx((expected,) * 3, rel=1e-3)  # a log has milliseconds


TOOK = "isobath: took 2.0 s, 1.0 CPU s of which 0.1 to start, 9.0 MB\n"


@pytest.mark.parametrize(
    "text", ["", "\n", "isobath: finished\n", TOOK, f"{TOOK}isobath: failed: no\n", f"{TOOK}\nisobath: finished\n"]
)
def test_a_log_that_does_not_say_what_a_finished_job_took_is_none(tmp_path, text):
    run = run_of("demo", tmp_path)
    file = tmp_path / next(job.log for job in plan.jobs(run) if job.rule == "networks")
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    (tmp_path / "logs/a scale that is gone").mkdir()
    assert forecasts.past(run, ROOT) == NOTHING


def test_the_interval_holds_four_fifths_of_the_work():
    spread = forecasts._ratio([(2.0, 2 * ratio) for ratio in (*[0.1] * 3, *[0.8] * 34, *[1.0] * 34, *[5.0] * 3)])
    assert spread == pytest.approx((0.8, 76.5 / 74, 76.5 / 74))
    assert forecasts._ratio([(8.0, 8.0), (1.0, 9.0), (1.0, 0.0)]) == pytest.approx((0.0, 1.7, 1.7))


def test_a_cube_takes_what_its_cells_take():
    run = run_of("demo", ROOT, "width")
    found = {f.job.outputs[0]: f for f in forecasts.forecasts(run, NOTHING)}
    cube = next(f for f in found.values() if f.job.rule == "cubes")
    assert cube.disk > sum(found[path].disk for path in cube.job.inputs)


def test_the_paper_s_scale_has_few_files():
    run = run_of("paper", ROOT, "locality", "width")
    found = list(forecasts.forecasts(run, NOTHING))
    assert all(f.files <= 4 for f in found if len(f.job.outputs) == 1)
    assert forecasts.total(found).files < 50_000


def test_a_run_above_the_limits_is_refused_in_one_sentence(tmp_path):
    paper = run_of("paper", tmp_path)
    everything = [path for job in plan.jobs(paper) for path in job.outputs]
    with pytest.raises(
        loading.ConfigError, match=r"about \S+ core-hours, and limits.hours .* 100; .*limits=null$"
    ) as info:
        forecasts.require_affordable(paper, ROOT, everything)
    assert "\n" not in str(info.value)
    forecasts.require_affordable(paper, ROOT, everything[:1])  # what is not due costs nothing
    boundless = dataclasses.replace(paper, config=paper.config.model_copy(update={"limits": None}))
    forecasts.require_affordable(boundless, ROOT, everything)


@pytest.mark.parametrize(("key", "words"), [("disk_gb", "GB"), ("jobs", "jobs"), ("hours", "core-hours")])
def test_every_limit_holds(tmp_path, key, words):
    content = {"scale": "demo", "studies": ["locality"], "limits": {key: 1 if key == "jobs" else 1e-6}}
    run = dataclasses.replace(plan.load(ROOT, content), home=tmp_path)
    with pytest.raises(loading.ConfigError, match=rf"{words}, and limits.{key} "):
        forecasts.require_affordable(run, ROOT, [path for job in plan.jobs(run) for path in job.outputs])


def test_a_grid_of_a_million_jobs_is_refused_before_it_is_listed(monkeypatch):
    run = run_of("demo")
    block = run.studies["locality"].grids["samples"][0]
    huge = block.model_copy(update={"n_train": list(range(1, 251)), "draws": 1000})
    study = run.studies["locality"].model_copy(update={"grids": {"samples": [huge]}})
    monkeypatch.setattr(plan, "jobs", None)  # not even asked
    large = dataclasses.replace(run, studies={"locality": study})
    with pytest.raises(loading.ConfigError, match=r"a grid is \d{7} jobs, and limits.jobs of config.yaml is 20000"):
        forecasts.require_countable(large)
    forecasts.require_countable(run)


def done(run: Run, job: plan.Job) -> bool:
    return all((run.home / path).exists() for path in job.outputs)


def by_presence(run):
    """Return conditions of jobs by their files alone: files of this test say nothing of what they are made from."""
    return [Condition(job, "done" if done(run, job) else "missing") for job in plan.jobs(run)]


def test_what_an_edit_makes_stale_is_left_to_run(small_house, monkeypatch):
    monkeypatch.setattr(calibration, "measure", lambda device: calibration.Calibration(job_costs.CORE, 4.0, "core"))
    small = {"scale": "smoke", "studies": ["small"]}
    assert "Nothing is left to run." in estimate.report(small_house, small_house, small)
    edit(small_house, "workflow/studies/small/study.yaml", "max_epochs: 400", "max_epochs: 401")
    said = estimate.report(small_house, small_house, small)
    assert re.search(r"^small +networks +3 +3 ", said, flags=re.MULTILINE)
    assert re.search(r"^small +kernels +1 +0 ", said, flags=re.MULTILINE)


def test_the_table_says_what_is_left_and_what_it_rests_on(tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "measure", lambda device: calibration.Calibration(job_costs.CORE, 4.0, "core"))
    monkeypatch.setattr(estimate, "conditions", by_presence)
    run = run_of("smoke", tmp_path)
    done = [job for job in plan.jobs(run) if job.rule == "kernels"]
    for job in done[1:]:
        (tmp_path / job.outputs[0]).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / job.outputs[0]).touch()
    said = estimate.report(ROOT, tmp_path, {"scale": "smoke", "studies": ["locality"]})
    assert re.search(rf"^locality +kernels +{len(done)} +1 ", said, flags=re.MULTILINE)
    assert "measured here in 4 s. There are no past jobs" in said
    ran(tmp_path, run_of("demo", tmp_path), lambda cost: 2 * cost.start + cost.work)
    said = estimate.report(ROOT, tmp_path, {"scale": "smoke", "studies": ["locality"]})
    assert re.search(r"corrected by \d+ past jobs", said)


def test_nothing_left_is_said(tmp_path):
    run = run_of("smoke", tmp_path)
    found = list(forecasts.forecasts(run, NOTHING))
    for path in (tmp_path / path for f in found for path in f.job.outputs):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    due = {c.job.outputs[0] for c in by_presence(run) if c.state != "done"}
    assert estimate.largest(found, due, "core") == "Nothing is left to run."
    assert forecasts.total([f for f in found if f.job.outputs[0] in due]).hours == (0, 0, 0)
    assert PRIOR.low < 1 < PRIOR.high


def test_limits_null_is_none_however_it_is_written():
    for null in (None, "null"):
        assert plan.load(ROOT, {"scale": "smoke", "limits": null}).config.limits is None
    words = {"hours": "500", "disk_gb": "1.5e2", "jobs": "null"}  # --config limits={...}, as Snakemake hands it on
    limits = plan.load(ROOT, {"scale": "smoke", "limits": words}).config.limits
    assert limits == Limits(hours=500, disk_gb=150, jobs=None)
    for wrong in ("many", "{", "true", "NaN"):
        with pytest.raises(loading.ConfigError, match=f"limits.hours.*{wrong}"):
            plan.load(ROOT, {"scale": "smoke", "limits": {"hours": wrong}})
    with pytest.raises(loading.ConfigError, match="hours"):
        plan.load(ROOT, {"scale": "smoke", "limits": {"hour": 3}})


@pytest.mark.slow
def test_disk_and_files_are_those_of_a_run(tmp_path):
    """The run of the smallest scale has the forecast files of results, logs and Snakemake's metadata, and bytes."""
    house = fresh(tmp_path)
    assert snakemake(house).returncode == 0
    run = run_of("smoke", house)
    found = list(forecasts.forecasts(run, forecasts.past(run, ROOT)))
    assert all(done(run, f.job) for f in found)
    folders = [house / name for name in ("results", "logs", ".snakemake/metadata")]
    files = sum(path.is_file() for folder in folders for path in folder.rglob("*"))
    assert 0.8 * forecasts.total(found).files < files <= forecasts.total(found).files
    size = sum((house / path).stat().st_size for f in found for path in f.job.outputs)
    assert 0.5 < size / sum(f.disk - job_costs.NOTES for f in found) < 2


@pytest.mark.slow
def test_snakemake_refuses_before_the_first_job_and_goes_on_without_limits(tmp_path):
    house = fresh(tmp_path)
    file = house / "config.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("hours: 100", "hours: 0.000001"), encoding="utf-8")
    target = "results/smoke/locality/data/2-local/test.zarr.zip"
    assert snakemake(house, "-n", target).returncode == 0
    refused = snakemake(house, target)
    assert refused.returncode != 0
    assert "limits.hours of config.yaml is 1e-06" in refused.stdout + refused.stderr
    assert not (house / "results").exists()
    assert snakemake(house, target, config=("limits={hours: 1}",)).returncode == 0
    assert (house / target).exists()


@pytest.mark.slow
def test_the_command_calibrates_and_prints():
    command = [sys.executable, "-m", "isobath", "estimate", "--config", "scale=paper", "studies=[width]"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("scale paper\n")
    assert "width" in run.stdout
    assert "locality" not in run.stdout
    wrong = subprocess.run([*command[:5], "scale=papr"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert wrong.returncode == 1
    assert wrong.stderr.count("\n") == 1


def test_a_time_limit_holds_what_is_foretold_with_a_margin():
    """Kernels and ensembles at paper scale have at least twice the seconds on one core, and at most a day."""
    run = run_of("paper")
    for job in plan.jobs(run):
        if job.rule in ("kernels", "ensembles"):
            minutes = job_costs.minutes(run, job.rule, job.names)
            assert minutes == job_costs.LONGEST or 60 * minutes >= 2 * job_costs.cost(run, job).work
            assert job_costs.DELAY <= minutes <= job_costs.LONGEST
