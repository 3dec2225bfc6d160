"""Files that modules of a user's own read are part of their fingerprints."""

import json
import os
import sys

import pytest
from own_folders import CLAIM, MAJORITY, own, write

from isobath import fingerprints, roots
from isobath.launcher import server
from isobath.study.run import canonical
from isobath.workflow import plan

SPEC = {"task": {"kind": "majority", "dimension": 3}, "name": "t", "n": 5, "draw": None, "seed": 0}
READING = MAJORITY.replace("import numpy as np\n", "from pathlib import Path\n\nimport numpy as np\n", 1).replace(
    "    x = generator",
    '    x = np.loadtxt(Path(__file__).with_name("centres.csv"), delimiter=",", max_rows=1)\n    x = generator',
)
CSV = {"tasks/majority.py": READING, "tasks/centres.csv": "1,2\n"}


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


def code_of(folder, stage="data", spec=SPEC):
    """The fingerprint of a job with the modules of a folder over the package."""
    roots.use([])
    roots.use([folder / "own"])
    return fingerprints.fingerprint(stage, spec)


def test_an_edit_of_a_file_that_a_module_names_changes_its_fingerprint_and_that_of_no_other(tmp_path):
    others = {"tasks/points.csv": "1\n", "notes.txt": "a\n", "tests/centres.csv": "1\n", ".hidden/centres.csv": "1\n"}
    place = own(tmp_path, **CSV, **others)
    ours = {**SPEC, "task": {"kind": "k_local", "k": 1, "dimension": 3}}
    before, of_ours = code_of(place), code_of(place, spec=ours)
    assert before != code_of(own(tmp_path / "without", **{"tasks/majority.py": READING}))
    for name in others:
        write(place / "own", {name: "2\n"})
        assert code_of(place) == before, name
    write(place / "own", {"tasks/centres.csv": "1,3\n"})
    assert code_of(place) != before
    assert code_of(place, spec=ours) == of_ours


@pytest.mark.parametrize(
    "line",
    [
        'open(Path(__file__).parents[1] / "data" / "centres.csv")',
        'open(Path(__file__).parents[1] / "data/centres.csv")',
        'open(f"{Path(__file__).parents[1]}/data/centres.csv")',
    ],
)
def test_a_file_anywhere_in_the_folder_counts_for_the_modules_that_import_its_reader(tmp_path, line):
    files = {"shapes.py": f"from pathlib import Path\n{line}\n", "data/centres.csv": "1\n"}
    before = code_of(own(tmp_path, **files))
    write(tmp_path / "own", {"data/centres.csv": "2\n"})
    assert code_of(tmp_path) != before


def test_a_name_in_a_docstring_or_a_comment_does_not_count(tmp_path):
    shapes = '"""Shapes, as in\n\ncentres.csv"""\n# centres.csv\n'
    before = code_of(own(tmp_path, **{"shapes.py": shapes, "centres.csv": "1\n"}))
    write(tmp_path / "own", {"centres.csv": "2\n"})
    assert code_of(tmp_path) == before


def test_a_module_of_ours_does_not_read_a_file_in_the_folder_of_a_user(tmp_path):
    ours = fingerprints.fingerprint("data", {**SPEC, "task": {"kind": "table", "features": 3, "n_test": 2}})
    place = own(tmp_path, **{"tasks/table.csv": "1\n", "table/table.csv": "1\n"})
    assert code_of(place, spec={**SPEC, "task": {"kind": "table", "features": 3, "n_test": 2}}) == ours


def test_a_launcher_takes_no_job_whose_files_were_edited(tmp_path):
    roots.use([own(tmp_path, **CSV) / "own"])
    asked = {"environment": dict(os.environ), "folder": str(tmp_path), "python": sys.executable}
    before = server.key(asked)
    assert server.key(asked) == before
    write(tmp_path, {"own/tasks/centres.csv": "1,25\n"})
    assert server.key(asked) != before


def test_what_is_compiled_is_kept_by_the_files_that_are_named_as_well(tmp_path):
    roots.use([own(tmp_path, **CSV, **{"notes.txt": "a"}) / "own"])
    before = roots._digest()
    write(tmp_path / "own", {"notes.txt": "b"})
    assert roots._digest() == before
    write(tmp_path / "own", {"tasks/centres.csv": "1,3\n"})
    assert roots._digest() != before


def codes(place):
    """The fingerprints of the jobs of a run, by rule."""
    roots.use([])
    run = plan.load(place, {})
    return {job.rule: plan.code(job.rule, json.loads(canonical(job.spec(run)))) for job in plan.jobs(run)}


@pytest.mark.parametrize(
    ("files", "stale"),
    [
        (CSV, {"training_sets", "test_sets"}),
        ({"claims/waves.py": f'{CLAIM}\n\nTABLE = "centres.csv"\n', "tasks/centres.csv": "1,2\n"}, {"verdicts"}),
    ],
)
def test_the_jobs_of_the_reader_are_stale_and_no_others(tmp_path, files, stale):
    """What is made from their results follows by the digests of these."""
    before = codes(own(tmp_path, **files))
    write(tmp_path, {"own/tasks/centres.csv": "1,3\n"})
    assert {rule for rule, code in codes(tmp_path).items() if before[rule] != code} == stale
