"""The summary names verdicts and pages that were made before their results changed; by digests, without cubes."""

import json

import pytest
import xarray as xr
from click.testing import CliRunner
from findings_runs import claim, run
from house import write_study
from made_up_pages import page, study
from study_template import STUDY

from isobath import __main__ as commands
from isobath.disk import sealed_documents, store, whole_files
from isobath.disk.verdict_files import stale
from isobath.operations import findings, staleness
from isobath.results import page as page_kind
from isobath.workflow import plan

CLAIM = "ntk_decay_is_depth_free"
ABOUT = {"grids": ["theory"], "figures": []}


@pytest.fixture
def results(tmp_path):
    return run(tmp_path, claim(CLAIM))


def record(results):
    return store.read_record(results / "kernels/verdicts.json")


def why(results):
    return [*stale(results / "kernels/verdicts.json", record(results))]


def write_page(results, **studies):
    """Write a page that was made of these studies: each with its content, and the digest of that."""
    made = {"spec": json.dumps({"studies": dict.fromkeys(studies, ABOUT)}), "studies": json.dumps(studies)}
    html = sealed_documents.seal(f'<script type="application/json" id="made">{json.dumps(made)}</script>\n')
    whole_files.replace(results / page_kind.FILE, html)


def digest(results):
    return store.inputs(page_kind.existing_paths(results / "kernels", ABOUT))


def test_verdicts_of_the_cubes_and_the_code_of_now_are_not_stale(results):
    assert why(results) == []


def test_verdicts_of_other_cubes_are_stale(results):
    cube = results / "kernels/cubes/theory.zarr.zip"
    tree = store.read_tree(cube)
    tree.attrs["seed"] = 7
    store.write(tree, cube)
    assert why(results) == ["the verdicts are not those of the cubes beside them: these have changed since"]
    cube.unlink()
    assert why(results) == [f"the verdicts are not those of the cubes beside them: {cube} is missing"]


def test_verdicts_of_other_code_are_stale(results):
    store.write_record({**record(results), "code": "another"}, results / "kernels/verdicts.json")
    assert len(why(results)) == 1
    assert "code of the claims" in why(results)[0]


def test_the_summary_says_it(results):
    say = lambda: CliRunner().invoke(commands.main, ["summary", str(results)]).stdout  # noqa: E731
    assert "Stale: the code" not in say()
    store.write_record({**record(results), "code": "another"}, results / "kernels/verdicts.json")
    assert "Stale: the code of the claims" in say()


@pytest.fixture
def small(tmp_path):
    """Make a run, with the seed 3 of a command line, of a study with one grid and no claim; return its verdicts."""
    write_study(tmp_path / "workflow/studies/small", STUDY, demo="")
    whole_files.replace(tmp_path / "config.yaml", b"scale: demo\nstudies: [small]\n")
    planned = plan.load(tmp_path, {"seed": 3})
    specs = {name: json.dumps(job.spec(planned), sort_keys=True) for job in plan.jobs(planned) for name in job.outputs}
    cube, verdicts = "results/demo/small/cubes/g.zarr.zip", "results/demo/small/verdicts.json"
    tree = xr.DataTree(xr.Dataset(attrs={"seed": 3, "spec": specs[cube]}))
    store.write(tree, tmp_path / cube)
    about = {"study": "small", "scale": "demo", "source": "s", "claims": [], "spec": specs[verdicts], "code": ""}
    store.write_record(about | {"inputs": store.inputs([tmp_path / cube])}, tmp_path / verdicts)
    return tmp_path / verdicts


def reasons(verdicts, *words):
    """Return the lines of the summary on the settings of a run."""
    told = CliRunner().invoke(commands.main, ["summary", str(verdicts.parents[1]), *words])
    assert told.exit_code == 0
    return [line for line in told.stdout.splitlines() if "settings" in line or "the claims or the grids" in line]


@pytest.mark.parametrize(
    ("file", "old", "new", "reason"),
    [
        ("study.yaml", "", "", None),
        ("study.yaml", "source: s", "source: s\ndeviations: [It is small.]", None),
        ("study.yaml", "width: [3]", "width: [4]", "Stale: the settings of g have changed since the results were made"),
        ("demo.yaml", "", "n_test: 11", "Stale: the settings of g have changed since the results were made"),
        (
            "study.yaml",
            "claims: []",
            "claims: [locality.mse_agrees]",
            "Stale: the claims or the grids of the study have changed",
        ),
        ("study.yaml", "width: [3]", "width: 3", "Not compared with the present settings: "),
    ],
)
def test_verdicts_of_other_settings_are_stale(small, tmp_path, file, old, new, reason):
    path = tmp_path / "workflow/studies/small" / file
    whole_files.replace(path, path.read_text().replace(old, new, 1).encode())
    for words in ((), ("--workflow", str(tmp_path))):
        said = reasons(small, *words)
        assert (said == []) if reason is None else [line.startswith(reason) for line in said] == [True]


def test_findings_of_stale_verdicts_say_so(small, tmp_path, capsys):
    """Once pages were written from them without a word. They still are: the runs may be of an earlier version."""
    study = tmp_path / "workflow/studies/small/study.yaml"
    whole_files.replace(study, study.read_text().replace("width: [3]", "width: [4]").encode())
    findings._warn_of_stale(small.parents[1], None)
    said = f"{small}: Stale: the settings of g have changed since the results were made; run the workflow."
    assert said in capsys.readouterr().err.splitlines()


def test_a_damaged_cube_is_compared_with_no_settings(small):
    whole_files.replace(small.parent / "cubes/g.zarr.zip", b"")
    assert reasons(small) == []


def test_a_page_of_what_is_there_is_fresh_and_one_made_before_a_change_says_of_what(results):
    assert [*staleness.of_page(results)] == [f"There is no page {results / 'index.html'}: run the workflow."]
    write_page(results, kernels=digest(results))
    assert [*staleness.of_page(results)] == [f"Page: {results / 'index.html'}"]
    store.write_record({**record(results), "code": "another"}, results / "kernels/verdicts.json")
    assert [*staleness.of_page(results)][1:] == ["  It was made before the study kernels changed: run the workflow."]


def test_a_page_of_one_study_lacks_the_others_of_the_config_and_those_that_were_judged(results, tmp_path):
    (tmp_path / "config.yaml").write_text("scale: smoke\nstudies: [kernels, width]\n", encoding="utf-8")
    run(tmp_path, claim("deeper_is_better"), study="fractals")
    write_page(results, kernels=digest(results))
    assert [*staleness.of_page(results)][1:] == [
        "  It does not show the studies width, fractals: run the workflow with all studies."
    ]


def test_a_page_of_an_earlier_version_is_no_page(results):
    whole_files.replace(results / "index.html", page(study()))
    assert "of an earlier version" in next(staleness.of_page(results))
    whole_files.replace(results / "index.html", b"<html>")
    assert "is damaged" in next(staleness.of_page(results))
