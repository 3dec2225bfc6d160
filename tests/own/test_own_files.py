"""Files that own modules read are part of their fingerprints; an archive has what the run used, no more."""

import json
from pathlib import Path

import pytest
from own_folders import CLAIM, MAJORITY, RESULT, SHAPES, STUDY, own, write

from isobath import fingerprints, roots
from isobath.archive import contents
from isobath.archive import own as archived
from isobath.launcher import server
from isobath.launcher.client import place
from isobath.study.run import canonical
from isobath.study.schema import ConfigError
from isobath.workflow import plan

SPEC = {"task": {"kind": "majority", "dimension": 3}, "name": "t", "n": 5, "draw": None, "seed": 0}
READING = MAJORITY.replace("import numpy as np\n", "from pathlib import Path\n\nimport numpy as np\n", 1).replace(
    "    x = generator",
    '    x = np.loadtxt(Path(__file__).with_name("centres.csv"), delimiter=",", max_rows=1)\n    x = generator',
)
CSV = {"tasks/majority.py": READING, "tasks/centres.csv": "1,2\n"}
NETWORK = '''"""A network whose size another module says."""

SIZE = "isobath.counts:size"


def init(generators, *, n_inputs, n_outputs, depth, width, dtype):
    """Make nothing: no network is trained here."""
'''


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


def code_of(folder, stage="data", spec=SPEC):
    """Return the fingerprint of a job with the modules of a folder over the package."""
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
    asked = place()
    before = server.key(asked)
    assert server.key(asked) == before
    write(tmp_path, {"own/tasks/centres.csv": "1,25\n"})
    assert server.key(asked) != before


def test_what_is_compiled_is_kept_by_the_files_that_are_named_as_well(tmp_path):
    roots.use([own(tmp_path, **CSV, **{"notes.txt": "a"}) / "own"])
    before = roots._digest(Path.read_bytes)
    write(tmp_path / "own", {"notes.txt": "b"})
    assert roots._digest(Path.read_bytes) == before
    write(tmp_path / "own", {"tasks/centres.csv": "1,3\n"})
    assert roots._digest(Path.read_bytes) != before


def test_an_edit_in_a_folder_that_is_linked_is_seen_and_circles_of_links_are_not_followed(tmp_path):
    """``rglob`` does not enter links: once neither modules nor files that modules read were found in them."""
    place = own(tmp_path, **{"shapes.py": 'FILE = "centres.csv"\n' + SHAPES, "tests/x/y.py": ""})
    write(tmp_path / "real", {"data/centres.csv": "1\n", "losses/mine.py": "X = 1\n", "losses/.hidden/x.py": ""})
    for name in ("data", "losses"):
        (place / "own" / name).symlink_to(f"../real/{name}")
    (tmp_path / "real/losses/again").symlink_to(place / "own")
    (tmp_path / "real/data/back").symlink_to(tmp_path / "real/losses")
    before, compiled = code_of(place), roots._digest(Path.read_bytes)
    names = [path.relative_to(place / "own").as_posix() for path in roots.files(place / "own")]
    assert names == ["claims/waves.py", "data/back/mine.py", "losses/mine.py", "shapes.py", "tasks/majority.py"]
    write(tmp_path / "real", {"losses/mine.py": "X = 2\n"})
    assert code_of(place) == before
    assert roots._digest(Path.read_bytes) != compiled
    write(tmp_path / "real", {"data/centres.csv": "2\n"})
    assert code_of(place) != before


def codes(place):
    """Return the fingerprints of the jobs of a run, by rule."""
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
    """Jobs that read their results follow by the digests of these."""
    before = codes(own(tmp_path, **files))
    write(tmp_path, {"own/tasks/centres.csv": "1,3\n"})
    assert {rule for rule, code in codes(tmp_path).items() if before[rule] != code} == stale


def members(place, **overrides):
    """Return the names of the user's own files in the archive of a run, sorted."""
    run = plan.load(place, overrides)
    return sorted(name for name in contents._sources(run) if name.startswith("own/"))


USED = [
    "own/claims/waves.py",
    "own/shapes.py",
    "own/studies/waves/smoke.yaml",
    "own/studies/waves/study.yaml",
    "own/tasks/majority.py",
]


def test_the_archive_has_what_the_run_used_and_no_draft(tmp_path):
    drafts = {
        "drafts/grant.py": "PASSWORD = 'secret'\n",
        "claims/secret_study.py": CLAIM,
        "studies/other/study.yaml": STUDY,
        "tasks/unused.py": MAJORITY,
        "tests/test_x.py": "",
        ".secret/a.py": "",
        "notes.txt": "secret",
    }
    assert members(own(tmp_path, **drafts)) == USED


def test_the_archive_has_the_files_that_its_modules_read(tmp_path):
    assert members(own(tmp_path, **CSV)) == sorted([*USED, "own/tasks/centres.csv"])


def test_the_archive_has_what_the_plan_needs_though_no_job_does(tmp_path):
    study = STUDY.replace("dimension: 5}\n", "dimension: 5}\n  spare: {kind: spare, dimension: 5}\n", 1)
    study = study.replace("{kind: mlp}", "{kind: counted}")
    more = {
        "tasks/spare.py": MAJORITY.replace("isobath.shapes", "isobath.lib.shapes"),
        "studies/waves/study.yaml": study,
    }
    more |= {
        "lib/__init__.py": "from isobath.lib import first\n",
        "lib/first.py": "",
        "lib/shapes.py": "from isobath.shapes import *",
    }
    more |= {"networks/counted.py": NETWORK, "counts.py": "from isobath.network_sizes.perceptron import size\n"}
    more |= {"results/gathered.py": RESULT, "rules/gathered.smk": "", "README.md": "", "LICENSE": ""}
    expected = {f"own/{name}" for name in more}
    assert {*members(own(tmp_path, **more))} == expected | {*USED}


def test_a_folder_of_which_nothing_is_archived_is_not_in_the_config_of_the_archive(tmp_path):
    write(tmp_path, {"config.yaml": "scale: smoke\nstudies: [locality]\n", "own/drafts/x.py": ""})
    run = plan.load(tmp_path, {})
    found = contents._sources(run)
    assert archived.names(found) == []
    assert b"own" not in contents._config(run, archived.names(found))


def test_a_package_of_ones_own_is_archived_with_its_init(tmp_path):
    write(own(tmp_path), {"config.yaml": "{scale: smoke, studies: [waves], own: [own, kit]}"})
    task = MAJORITY.replace("isobath.shapes", "kit.curves")
    write(tmp_path / "kit", {"__init__.py": "", "curves.py": "from isobath.shapes import *\n", "draft.py": ""})
    (tmp_path / "own/tasks/majority.py").unlink()
    write(tmp_path / "kit", {"tasks/majority.py": task})
    kit = [name for name in members(tmp_path) if name.startswith("own/kit")]
    assert kit == ["own/kit/__init__.py", "own/kit/curves.py", "own/kit/tasks/majority.py"]


def test_a_size_that_is_not_there_is_refused(tmp_path):
    more = {"networks/counted.py": NETWORK.replace("counts:size", "counts:sise")}
    more |= {"counts.py": "from isobath.network_sizes.perceptron import size\n"}
    more |= {"studies/waves/study.yaml": STUDY.replace("{kind: mlp}", "{kind: counted}")}
    with pytest.raises(ConfigError, match=r"protocols.\w+.network on tasks.\w+.*SIZE is 'isobath.counts:sise'"):
        members(own(tmp_path, **more))
