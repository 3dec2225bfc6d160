"""The way from a published number to its results: the grids that claims read, and one claim judged by itself."""

import json
from pathlib import Path

import pytest
import xarray as xr
from click.testing import CliRunner
from house import ROOT
from planted_widths import cube, decaying, tree_of

from isobath import claim_files
from isobath.analysis.cells import Cells
from isobath.analysis.claim_grids import grids_read, without_results
from isobath.analysis.judging import judged as judged_of
from isobath.analysis.verdicts import claim as claimed
from isobath.analysis.verdicts import criterion, judge
from isobath.disk import store
from isobath.operations.judge import command, judged, report
from isobath.study import places
from isobath.study.schema import ConfigError
from isobath.syntax import PluginError
from isobath.workflow import plan

STUDIES = places.studies(ROOT)
OURS = ("locality", "width", "fractals", "kernels", "expressivity")


@pytest.mark.parametrize("name", OURS)
def test_every_claim_says_which_grids_it_reads_before_anything_is_run(name):
    study = plan.load_study(STUDIES[name], "laptop", STUDIES)
    nothing = without_results(study.grids)
    for claim in study.claims:
        assert grids_read(claim_files.load_claim(name, claim), nothing), claim


def test_a_claim_reads_the_same_grids_with_results():
    claim, tree = claim_files.load_claim("width", "cusp_at_jamming"), tree_of(cube(fluctuation=decaying))
    assert grids_read(claim, tree) == grids_read(claim, without_results(["widths"])) == ["widths", "data_sets"]


@pytest.fixture
def home(tmp_path):
    """Make the folder of a run that has one cube of two that a claim reads."""
    (tmp_path / "workflow").symlink_to(ROOT / "workflow")
    (tmp_path / "config.yaml").write_text((ROOT / "config.yaml").read_text())
    nodes = tree_of(cube(fluctuation=decaying))["widths"].subtree_with_keys
    made = xr.DataTree.from_dict({"/" if path == "." else path: node.to_dataset() for path, node in nodes})
    made.attrs = {"scale": "demo", "study": "width", "grid": "widths", "seed": 3, "code": "abc"}
    store.write(made, tmp_path / "results/demo/width/cubes/widths.zarr.zip")
    return tmp_path


def test_one_claim_is_judged_by_the_cubes_that_are_there(home):
    told = "\n".join(report(judged(home / "results/demo", "width", "cusp_at_jamming")))
    assert "  results/demo/width/cubes/widths.zarr.zip (seed 3, code abc)\n" in told
    assert "  results/demo/width/cubes/data_sets.zarr.zip (not there)\n" in told
    part = judge(claim_files.load_claim("width", "cusp_at_jamming"), tree_of(cube(fluctuation=decaying)))["parts"][0]
    assert f"N* against the smallest N: {part['estimate']:+.3f} [{part['low']:+.3f}, {part['high']:+.3f}]" in told
    assert "there is no grid data_sets" in told
    assert "By these alone, without results/demo/width/cubes/data_sets.zarr.zip, which may change the verdict:" in told


def test_a_grid_that_no_study_has_is_named(home, monkeypatch):
    """Once the sentence began with an empty name of a file."""

    @claimed("a", source="b", statistic="c", own=True)
    def cusp_at_jamming(tree):
        return [criterion("d", Cells.of(tree, "widts").error, above=0)]

    monkeypatch.setattr(claim_files, "load_claim", lambda *_: cusp_at_jamming)
    monkeypatch.setattr("isobath.operations.judge.load_claim", lambda *_: cusp_at_jamming)
    with pytest.raises(ConfigError, match="reads the grid widts, and width has none; did you mean 'widths'"):
        judged(home / "results/demo", "width", "cusp_at_jamming")


def test_a_grid_that_a_claim_asks_for_only_where_another_has_results_is_read(home, monkeypatch):
    """Once it was not read, and the claim was not run though both cubes were there."""

    @claimed("a", source="b", statistic="c", own=True)
    def cusp_at_jamming(tree):
        lowest = min(Cells.of(tree, "widths").values("width"))
        return [criterion("d", Cells.of(tree, "data_sets").error, above=0, width=lowest)]

    monkeypatch.setattr("isobath.operations.judge.load_claim", lambda *_: cusp_at_jamming)
    read = judged(home / "results/demo", "width", "cusp_at_jamming").cubes
    assert [Path(path).name for path in read] == ["widths.zarr.zip", "data_sets.zarr.zip"]


def test_an_axis_that_no_grid_has_is_named():
    cells = Cells.of(tree_of(cube(fluctuation=decaying)), "widths")
    with pytest.raises(ValueError, match=r"the values of 'dept', which is no axis of .*; is 'depth' meant\?"):
        cells.values("dept")


def test_a_claim_whose_file_cannot_be_imported_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(claim_files.importlib, "import_module", lambda name: exec("from isobath.statuses import FINIT"))
    with pytest.raises(
        PluginError, match=r"claims/width/\w+.py: the claim cusp_at_jamming can't be imported: ImportError"
    ):
        claim_files.load_claim("width", "cusp_at_jamming")


def test_a_claim_that_fails_is_named_in_a_sentence(home, monkeypatch):
    failing = claimed("A statement", statistic="one")(lambda _tree: {}["x"])
    monkeypatch.setattr("isobath.operations.judge.load_claim", lambda *_: failing)
    done = CliRunner().invoke(command, [str(home / "results/demo"), "width", "cusp_at_jamming"])
    assert (done.exit_code, done.output) == (1, "Error: the claim <lambda> fails: KeyError: 'x'\n")


def test_a_verdict_is_printed_to_full_precision(home):
    done = CliRunner().invoke(command, [str(home / "results/demo"), "width", "cusp_at_jamming", "--json"])
    assert json.loads(done.stdout) == judged(home / "results/demo", "width", "cusp_at_jamming").record


def test_a_claim_without_a_cube_is_not_judged(home):
    (home / "results/demo/width/cubes/widths.zarr.zip").unlink()
    with pytest.raises(ConfigError, match=r"widths.zarr.zip, .*: not there, so that cusp_at_jamming can't be judged"):
        judged(home / "results/demo", "width", "cusp_at_jamming")


@pytest.mark.parametrize(
    ("study", "claim", "said"),
    [
        ("widht", "cusp_at_jamming", "there is no study widht; did you mean 'width'"),
        ("width", "cusp_at_jam", "claims of the study width do not list cusp_at_jam; did you mean 'cusp_at_jamming'"),
    ],
)
def test_a_study_or_claim_that_does_not_exist_is_refused(home, study, claim, said):
    with pytest.raises(ConfigError, match=said):
        judged(home / "results/demo", study, claim)


def test_a_claim_that_writes_into_a_cube_fails_and_changes_no_other(home, monkeypatch):
    """Once the verdicts of the claims after it were of what it had written."""

    def overwrites(tree):
        tree["widths/networks"].test_error.values[...] = 0
        return []

    failing = claimed("A statement", statistic="one")(overwrites)
    tree = tree_of(cube(fluctuation=decaying))
    before = tree["widths/networks"].test_error.values.copy()
    with pytest.raises(claim_files.ClaimError, match=r"the claim overwrites fails: ValueError: .* read-only"):
        judged_of(failing, tree)
    assert (tree["widths/networks"].test_error.values == before).all()


def test_a_claim_that_ends_the_process_fails_in_a_sentence():
    """Once `isobath judge` printed nothing, and ended as if all were well."""

    def ends(_tree):
        raise SystemExit(0)

    with pytest.raises(claim_files.ClaimError, match="the claim ends fails: SystemExit: 0"):
        judged_of(claimed("A statement", statistic="one")(ends), xr.DataTree())


@pytest.mark.parametrize("odd", [{"check": "no"}, {"below": True}])
def test_a_criterion_takes_numbers_and_a_bool(odd):
    with pytest.raises(TypeError, match=r"'x' has above .* allowed: numbers, a bool"):
        criterion("x", lambda: None, **odd)
