"""The summary names verdicts and pages that were made before their results changed; by digests, without cubes."""

import json

import pytest
from click.testing import CliRunner
from findings_runs import claim, run
from made_up_pages import page, study

from isobath import __main__ as commands
from isobath.disk import sealed_documents, store, whole_files
from isobath.disk.verdict_files import stale
from isobath.operations import staleness
from isobath.results import page as page_kind

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
    assert "Stale" not in say()
    store.write_record({**record(results), "code": "another"}, results / "kernels/verdicts.json")
    assert "Stale: the code of the claims" in say()


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
