"""The study that is done soonest comes first, so that its verdicts stand while others run."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from isobath.hooks import order
from isobath.workflow.forecasts import Forecast
from isobath.workflow.plan import Job
from isobath.workflow.ranges import Range

WORKFLOW = """
from isobath.hooks import order
from isobath.workflow.forecasts import Forecast
from isobath.workflow.plan import Job
from isobath.workflow.ranges import Range

SECONDS = {"long": 20.0, "short": 10.0, "middle": 15.0}

def forecast(study, path):
    return Forecast(Job("one", {"study": study}, (), (path,)), Range(0.0, SECONDS[study], 100.0), 0.0, 0.0)

rule all:
    input: expand("gathered/{study}", study=SECONDS)

rule gather:
    input: expand("made/{{study}}/{i}", i=range(3))
    output: "gathered/{study}"
    shell: "echo {output} >> order; touch {output}"

rule one:
    output: "made/{study}/{i}"
    priority: 2
    shell: "echo {output} >> order; touch {output}"

onstart:
    made = [(study, f"made/{study}/{i}") for study in SECONDS for i in range(3)]
    gathered = [(study, f"gathered/{study}") for study in SECONDS]
    order.soonest_first(workflow.dag, [forecast(*job) for job in made + gathered])
"""


def forecast(study, seconds, *outputs):
    names = {"study": study} if study else {}
    return Forecast(Job("networks", names, (), outputs), Range(0.0, seconds, 1000.0), 0.0, 0.0)


def test_the_soonest_study_is_that_whose_jobs_take_the_least_time_together():
    of_b = [forecast("b", 2.0, "b1", "b2"), forecast("b", 2.0, "b3")]
    expected = [forecast("a", 3.0, "a1"), *of_b, forecast("", 1.0, "page")]
    assert order.soonest(expected) == {"a1"}
    assert order.soonest([*expected, forecast("a", 3.0, "a2")]) == {"b1", "b2", "b3"}


def test_a_single_study_comes_before_none():
    assert order.soonest([forecast("a", 3.0, "a1"), forecast("", 1.0, "page")]) == set()
    assert order.soonest([]) == set()


@pytest.mark.parametrize("given", ["priorityfiles", "priorityrules"])
def test_what_the_user_prioritizes_stays(given):
    dag = SimpleNamespace(priorityfiles=set(), priorityrules=set())
    setattr(dag, given, {"b1"})
    order.soonest_first(dag, [forecast("a", 1.0, "a1"), forecast("b", 2.0, "b1")])
    assert getattr(dag, given) == {"b1"}
    assert dag.priorityfiles == ({"b1"} if given == "priorityfiles" else set())


def test_snakemake_ends_the_soonest_study_before_it_begins_another(tmp_path):
    (tmp_path / "Snakefile").write_text(WORKFLOW, encoding="utf-8")
    command = ["snakemake", "--cores", "1", "--quiet", "all"]
    subprocess.run([sys.executable, "-P", "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=True)
    done = (tmp_path / "order").read_text(encoding="utf-8").splitlines()
    assert {path.split("/")[1] for path in done[:4]} == {"short"}
    assert done[3] == "gathered/short"
