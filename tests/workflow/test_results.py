"""The contract of kinds of result: each declares what plan, verify, estimate, cubes, page and archive read."""

import ast
import json
import math
import subprocess
import sys

import numpy as np
import pytest
import xarray as xr
from house import ROOT

from isobath import fingerprints, paths, results
from isobath.disk import store
from isobath.jobs.seed_blocks import converged
from isobath.results import Member, Variable, kernels, networks, training_sets
from isobath.study import grids
from isobath.study.run import canonical
from isobath.workflow import job_costs, plan

KINDS = sorted(results.kinds())
STUDIES = ["expressivity", "fractals", "kernels", "locality", "width"]


@pytest.fixture(scope="module")
def run():
    return plan.load(ROOT, {"scale": "smoke", "studies": STUDIES})


@pytest.fixture(scope="module")
def jobs(run):
    return list(plan.jobs(run))


def of(jobs, kind):
    return [job for job in jobs if job.rule == kind]


def test_every_kind_has_a_rule_and_a_stage():
    rules = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "workflow/rules").glob("*.smk"))
    for kind in KINDS:
        assert f"rule {kind}:" in rules
        assert (ROOT / f"src/isobath/stages/{results.stage(kind)}.py").is_file()


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_says_what_it_is(kind):
    module = results.kinds()[kind]
    subject, colon, _ = (module.__doc__ or "").partition(":")
    assert subject
    assert colon, "a docstring names the result and says, after a colon, what there is one of"
    for verb in ("spec", "inputs"):
        assert callable(getattr(module, verb))
    assert sum(hasattr(module, verb) for verb in ("names", "needed", "members")) == 1, "its jobs are named once"
    for name, variable in results.option(kind, "VARIABLES", {}).items():
        assert name.isidentifier()
        assert isinstance(variable, Variable)
        assert variable.long_name
        assert set(variable.dims) <= {*results.dimensions(), "sample", "feature"}


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_the_wildcards_of_the_path(kind, run):
    of_run = results.option(kind, "SCOPE") == "run"
    for part in [run] if of_run else run.parts.values():
        for names in results.names(kind, part):
            assert {*names} | ({"scale"} if of_run else set()) == {*results.wildcards(kind)}


def test_every_job_reads_what_another_makes_and_after_it(jobs):
    made: set[str] = set()
    for job in jobs:
        assert {path for path in job.inputs if not path.startswith("resources/")} <= made, job.outputs
        assert made.isdisjoint(job.outputs)
        made.update(job.outputs)


@pytest.mark.parametrize("kind", KINDS)
def test_specs_are_plain_data_and_name_the_code_that_runs(kind, run, jobs):
    for job in of(jobs, kind)[:5]:
        spec = job.spec(run)
        assert json.loads(canonical(spec)) == json.loads(json.dumps(spec))
        assert len(plan.code(kind, spec)) == 16
        assert job == plan.job(run, kind, job.names)  # a job is known by its wildcards
        assert paths.log(job.outputs[0]) == job.log


@pytest.mark.parametrize("kind", KINDS)
def test_costs_are_counted(kind, run, jobs):
    for job in of(jobs, kind)[:5]:
        cost = job_costs.cost(run, job)
        assert 0 < cost.start < math.inf
        assert 0 <= cost.work <= cost.longest
        assert 0 < cost.memory < math.inf
        assert 0 < cost.disk < math.inf
        assert job_costs.DELAY <= job_costs.minutes(run, job.rule, job.names) <= job_costs.LONGEST


def test_a_cube_holds_all_results_of_kinds_that_have_a_group(run, jobs):
    """The content of a cube is declared once: the plan's inputs of a cube are its members."""
    gathered = {path for job in of(jobs, "cubes") for path in job.inputs}
    with_a_group = {path for kind in results.having("GROUPS") for job in of(jobs, kind) for path in job.outputs}
    assert gathered == with_a_group


@pytest.mark.parametrize("kind", sorted(results.having("members")))
def test_members_are_cells_along_the_axes_of_their_kind(kind, run):
    groups = results.option(kind, "GROUPS")
    for part in run.parts.values():
        for member in results.members(kind, part):
            assert isinstance(member, Member)
            axes = groups[member.group.split("/")[0]]
            assert not axes or {*member.cell} == {*axes}


@pytest.mark.parametrize("kind", sorted(results.having("members")))
def test_a_cube_knows_from_its_spec_which_results_it_holds(kind, run):
    """The job of a cube has no study: its spec says all of which members are a function."""
    members = results.option(kind, "members")
    for part in run.parts.values():
        for grid, planned in part.grids.items():
            spec = json.loads(json.dumps(results.kinds()["cubes"].spec(part, {"grid": grid})))
            found = members(grids.of_spec(spec), results.every_seed)
            assert [*found] == [*members(planned, results.every_seed)]


def test_no_kind_imports_torch_or_xarray():
    code = "import sys; from isobath import results; results.kinds(); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "xarray", "zarr", "matplotlib"} & set(loaded)


def test_no_shared_module_has_a_table_of_kinds():
    """Outside of results, a dictionary or set whose keys are names of kinds would be a registry."""
    shared = [path for path in (ROOT / "src/isobath").rglob("*.py") if path.parent.name not in ("results", "claims")]
    for path in shared:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            keys = node.keys if isinstance(node, ast.Dict) else node.elts if isinstance(node, ast.Set) else []
            named = [key.value for key in keys if isinstance(key, ast.Constant) and key.value in KINDS]
            assert len(named) < 3, f"{path}:{node.lineno} is keyed by {named}"


def test_the_code_of_a_job_does_not_hang_on_declarations(monkeypatch):
    """Costs, lengths and long names are declared beside the specs: an edit of them runs nothing again."""

    def code():
        fingerprints._of_modules.cache_clear()
        return fingerprints.fingerprint("kernels", {"kernel": {"kind": "ntk"}})

    before = code()
    monkeypatch.setattr(
        fingerprints, "_meaning", lambda module: "edited" if module.startswith("isobath.results") else ""
    )
    edited = code()
    monkeypatch.setattr(fingerprints, "_meaning", lambda _: "")
    assert code() == edited != before
    fingerprints._of_modules.cache_clear()


def test_the_first_networks_of_a_cell_are_taken_before_those_that_diverged_are_left_out(tmp_path):
    """Network 4 overflows on the test set alone, and has no test error."""
    blocks = {(2, 3, 4): ["fitted", "fitted", "fitted"], (0, 1): ["unfitted", "diverged"]}
    for seeds, words in blocks.items():
        columns = {
            "status": ("seed", np.array(words, dtype=object)),
            "test_error": ("seed", np.array([math.nan if seed in (1, 4) else 0.1 for seed in seeds])),
            "outputs": ("seed", np.array(seeds, dtype=float)),
        }
        store.write(xr.Dataset(columns, {"seed": [*seeds]}), tmp_path / f"{seeds[0]}.zarr.zip")
    paths = [tmp_path / "2.zarr.zip", tmp_path / "0.zarr.zip"]
    for first, members in ((3, [0, 2]), (5, [0, 2, 3])):
        found = converged(paths, first=first)
        assert found.seed.values.tolist() == found.outputs.values.tolist() == members
    assert converged(paths, first=5, variables=("outputs",)).seed.values.tolist() == [0, 2, 3]


def test_lengths_are_those_of_the_spec():
    assert kernels.lengths({"depth": [1, 3], "ridges": [0.1, 1.0, 10.0]}) == {"depth": 2, "ridge": 3}
    assert networks.lengths({"seeds": [4, 9]}) == {"seed": 6}
    assert training_sets.lengths({"n": 7}) == {"sample": 7}
    assert [*training_sets.oddities({}, {"inputs": {}})] == ["it has neither labels nor targets"]
    assert [*training_sets.oddities({}, {"inputs": {}, "targets": {}})] == []
