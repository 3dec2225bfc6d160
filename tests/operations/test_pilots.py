"""Pilots: which networks are trained before a run, what they say of its cost, and files that are none of theirs."""

import json
import math
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from house import ROOT

from isobath.operations import pilot
from isobath.sizes import Work
from isobath.study.schema import ConfigError
from isobath.workflow import forecasts, job_costs, pilots, plan, study_costs
from isobath.workflow.forecasts import Past
from isobath.workflow.job_costs import CORE
from isobath.workflow.pilots import SPREAD, Correction, Pilot
from isobath.workflow.ranges import Range


def trained(operations, *, speed=1.0, epochs=10, expected=10.0, ended=True, protocol="sgd"):
    """Make a pilot of some operations in an epoch that took ``speed`` times what is counted."""
    work = Work(launches=7.0, operations=operations * epochs, activations=9.0)
    took = speed * job_costs.seconds(work)
    return Pilot("locality", protocol, "a result", work, took, epochs, expected, ended)


def test_the_largest_network_says_how_fast_and_the_largest_that_ended_how_long():
    listed = [
        trained(1e9, speed=3.0, epochs=50, ended=True),
        trained(5e9, speed=2.0, epochs=5, ended=True),
        trained(9e9, speed=1.5, epochs=2, ended=False),
        trained(1e9, speed=4.0, ended=False, protocol="adam"),
    ]
    found = pilots.corrections(listed, CORE)
    assert found["locality", "sgd"] == pytest.approx(Correction(1.5, 0.5))
    assert found["locality", "adam"] == Correction(pytest.approx(4.0), None)


def test_the_seconds_of_a_job_are_corrected_and_end_with_its_last_epoch():
    known, unknown = Correction(2.0, 0.5), Correction(2.0)
    assert known.seconds(100.0, 1000.0) == pytest.approx((100 / SPREAD, 100, 100 * SPREAD))
    assert known.seconds(100.0, 60.0) == pytest.approx((200 / 3, 120, 120))  # counted to the last epoch
    assert unknown.seconds(100.0, 250.0) == pytest.approx((200 / 3, 200, 500))


def test_a_forecast_takes_the_pilots_of_its_protocol_before_past_jobs(tmp_path):
    run = plan.load(ROOT, {"scale": "demo", "studies": ["locality"]})
    past = Past({}, {("networks", "locality", "sgd"): Range(9, 9, 9)}, pilots={("locality", "sgd"): Correction(2.0)})
    found = [(f, job_costs.cost(run, f.job)) for f in forecasts.forecasts(run, past)]
    trainings = [(f, cost) for f, cost in found if f.job.names.get("protocol") == "sgd" and math.isfinite(cost.longest)]
    assert len(trainings) > 100
    for forecast, cost in trainings:
        assert forecast.seconds.middle == pytest.approx(cost.start + cost.overhead + 2 * cost.work)


def test_a_gpu_has_the_epochs_of_pilots_and_a_speed_of_its_own():
    run = plan.load(ROOT, {"scale": "demo", "studies": ["width"]})
    slow = {("width", "full_batch_adam"): Correction(100.0, 1.0)}
    (counted,), (corrected,) = (study_costs.demands(run, Past({}, {}, pilots=p)) for p in ({}, slow))
    assert corrected.hours.middle > 10 * counted.hours.middle
    assert corrected.gpu == pytest.approx(counted.gpu, rel=0.1)


def test_what_was_measured_is_read_back_and_used_by_the_estimate(tmp_path):
    listed = [trained(1e9), trained(2e9, ended=False)]
    file = pilots.write(tmp_path, "demo", listed)
    assert pilots.read(tmp_path, "demo") == listed
    assert file == tmp_path / "logs/demo/pilots.json"
    assert pilots.read(tmp_path, "paper") == []
    of_another = trained(3e9, protocol="adam")
    pilots.write(tmp_path, "demo", [of_another])
    anew = trained(4e9)
    pilots.write(tmp_path, "demo", [anew])
    assert pilots.read(tmp_path, "demo") == [of_another, anew]


@pytest.mark.parametrize("edit", ["", "[1]", "{}]", '[{"study": "locality"}]', "zero"])
def test_a_file_that_holds_no_pilots_is_refused_by_name(tmp_path, edit):
    file = pilots.write(tmp_path, "demo", [trained(1e9)])
    text = file.read_text().replace('"epochs": 10', '"epochs": 0') if edit == "zero" else edit
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"logs/demo/pilots\.json is no list of pilots .*; remove it"):
        pilots.read(tmp_path, "demo")


def network(epoch, epochs):
    return pilot.Candidate(None, None, {}, None, epoch, epochs)


def test_the_largest_network_is_chosen_and_the_slowest_that_may_fit():
    small, middle, large = network(0.1, 1000), network(1.0, 170), network(10.0, 900)
    assert pilot.chosen([small, middle, large], 60) == [large, middle]
    assert pilot.chosen([large], 60) == [large]
    assert pilot.chosen([middle, large], 1) == [large, middle]  # none may fit
    assert pilot.chosen([small, middle], 60) == [middle]


def test_a_network_of_each_costly_protocol_is_trained(tmp_path, monkeypatch):
    """A run of one protocol: the largest networks are trained to their last epoch, and the estimate reads them."""
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    (tmp_path / "config.yaml").write_text((ROOT / "config.yaml").read_text())
    monkeypatch.chdir(tmp_path)
    arguments = ["--config", "scale=smoke", "studies=[fractals]", "--seconds", "20"]
    told = CliRunner().invoke(pilot.command, arguments, catch_exceptions=False)
    assert told.exit_code == 0, told.output
    records = json.loads((tmp_path / "logs/smoke/pilots.json").read_text())
    assert {record["study"] for record in records} == {"fractals"}
    assert all(record["ended"] for record in records)
    run = plan.load(tmp_path, {"scale": "smoke", "studies": ["fractals"]})
    known = forecasts.past(run, tmp_path).pilots
    assert {("fractals", record["protocol"]) for record in records} == set(known)
    assert "core-hours by these networks" in told.output
    protocols = run.studies["fractals"].protocols
    assert all(record["epochs"] <= protocols[record["protocol"]].max_epochs for record in records)


def test_a_network_whose_time_is_up_has_not_ended():
    run = plan.load(ROOT, {"scale": "demo", "studies": ["fractals"]})
    job = next(job for job in plan.jobs(run) if job.rule == "networks" and job.names["protocol"] == "adam_long")
    found = pilot.trained(pilot.Candidate.of(run.parts["fractals"], job), 0.2)
    assert not found.ended
    assert 0 < found.epochs < 240
    assert found.seconds >= 0.2
    counted = job_costs.counted(run, job.rule, job.names).longest
    share = found.epochs / 240 / len(run.studies["fractals"].protocols["adam_long"].learning_rate)
    assert found.work.operations == pytest.approx(share * counted.operations)


@pytest.mark.parametrize("seconds", ["0", "-1", "soon"])
def test_seconds_that_are_no_time_are_refused(seconds):
    told = CliRunner().invoke(pilot.command, ["--seconds", seconds])
    assert told.exit_code == 2
    assert "Invalid value for '--seconds'" in told.output


@pytest.mark.parametrize(("epoch", "ended"), [(0.001, True), (10.0, False)])
def test_a_network_that_fits_fewer_samples_does_not_say_how_long_all_take(monkeypatch, epoch, ended):
    outcome = SimpleNamespace(status=["fitted"])
    monkeypatch.setattr(pilot, "recipe", lambda _: SimpleNamespace(train=lambda *_, **__: [outcome]))
    monkeypatch.setattr(pilot, "_training_set", lambda *_: (None, None))
    monkeypatch.setattr(pilot, "work_of", lambda *_, **__: Work())
    cell = {"task": "a", "protocol": "p", "depth": 3, "width": 300, "n_train": 100, "draw": 0}
    spec = {"cell": cell, "protocol": {}, "learning_rate": 0.1}
    network = pilot.Candidate(
        SimpleNamespace(study=None, name="s"), SimpleNamespace(outputs=["r"]), spec, None, epoch, 9
    )
    assert pilot.trained(network, 1.0).ended is ended
