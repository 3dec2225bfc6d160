"""``isobath new`` writes files that work as they stand, with their tests, and overwrites nothing."""

import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from isobath import claim_files, plugins, roots
from isobath.__main__ import main
from isobath.archive import contents, own
from isobath.operations import new
from isobath.study import places
from isobath.study.yaml import load
from isobath.workflow import plan


@pytest.fixture(autouse=True)
def _scratch(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    roots.use([])


def make(*words):
    return CliRunner().invoke(main, ["new", *words])


def test_every_family_has_a_template_and_a_test():
    assert {*new.KINDS} == {*plugins.families(), "claim", "study"}
    for family in new.KINDS:
        for name, text in new.files(family, "mine").items():
            assert text.strip(), name
            assert not {"NAME", "FAMILY", "BASE"} & {*text.replace('"', " ").split()}, name


def test_a_study_comes_with_a_config_and_runs_at_its_smallest_scale():
    made = make("study", "waves")
    assert made.exit_code == 0, made.output
    assert "config.yaml" in made.output.splitlines()
    run = plan.load(Path(), {})
    assert {job.rule for job in plan.jobs(run)} >= {"networks", "cubes", "verdicts"}
    assert make("claim", "waves").exit_code == 0
    assert "own/claims/waves.py is there already" in make("claim", "waves").output
    assert claim_files.claims("waves").keys() == {"networks_learn"}


@pytest.mark.parametrize("word", ["true", "null", "false"])
def test_a_name_that_is_no_word_in_yaml_is_refused(word):
    """Once its config.yaml could not be read, by any command."""
    made = make("study", word)
    assert f"'{word}' can't be the name of a study: in YAML it is no word; take another name" in made.output
    assert not Path("own").exists()


def test_a_study_that_extends_one_of_ours():
    assert make("study", "narrow", "--extends", "locality").exit_code == 0
    assert plan.load(Path(), {"studies": ["narrow"]}).studies["narrow"].title == "narrow"


def test_editors_learn_of_a_new_kind():
    assert make("task", "ripples").exit_code == 0
    validator = jsonschema.Draft202012Validator(load(Path("own/studies/study.schema.json")))
    entry = {"title": "t", "source": "s", "n_test": 1, "grids": {"g": [{"tasks": ["a"]}]}}
    for kind, valid in (("ripples", True), ("riples", False)):
        content = {**entry, "tasks": {"a": {"kind": kind, "dimension": 3}}}
        assert validator.is_valid(content) == valid, [error.message for error in validator.iter_errors(content)]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["task", "mnist"], "there is a task mnist already"),
        (["task", "Ripples"], "'Ripples' can't be the name of a task; it must be lower-case letters"),
        (["task", "../ripples"], "can't be the name of a task"),
        (["task", "x\n"], r"'x\n' can't be the name of a task"),
        (["study", "x\n"], r"'x\n' can't be the name of a study"),
        (["task", "x" * 101], "it must be lower-case letters, digits and _, a letter first, 100 characters at most"),
        (["study", "x" * 65], "a letter first, 64 characters at most"),
        (["study", "a.b"], "'a.b' can't be the name of a study; it must be letters, digits and _, a letter first"),
        (["study", "width"], "there is a study width already"),
        (["study", "Width"], "there is a study width already"),
        (["study", "../mine"], "can't be the name of a study"),
        (["study", "readme"], "'readme' can't be the name of a study; the findings of a study readme would replace"),
        (["study", "Methods"], "would replace their page methods.md; take another name"),
        (["study", "Index.html"], "'Index.html' can't be the name of a study; it must be letters, digits and _"),
        (["study", "ours", "--extends", "widht"], "did you mean 'width'?"),
        (["task", "mine", "--extends", "width"], "--extends"),
        (["claim", "locality"], "`isobath new study mine --extends locality` makes a study"),
        (["figure", "compute"], "there is a figure compute already"),
        (["claim", "wave"], "there is no study wave to have claims; `isobath new study wave` writes one"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_sentence(words, sentence):
    Path("own/claims").mkdir(parents=True)
    Path("own/claims/done.py").write_text('"""Mine."""\n', encoding="utf-8")
    made = make(*words)
    assert made.exit_code == 1
    assert sentence in made.output
    assert made.output.count("\n") == 1
    assert Path("own/claims/done.py").read_text(encoding="utf-8") == '"""Mine."""\n'
    assert [path.name for path in Path("own").rglob("*") if path.is_file()] == ["done.py"]


def test_what_is_archived_is_the_studies_of_the_run_but_no_unused_kind_nothing_hidden_and_no_tests():
    for words in (["study", "waves"], ["study", "other"], ["task", "ripples"]):
        assert make(*words).exit_code == 0
    Path("own/.secret").mkdir()
    Path("own/.secret/a.py").write_text("", encoding="utf-8")
    run = plan.load(Path(), {})
    assert sorted(name for name in contents._sources(run) if name.startswith("own/")) == [
        "own/studies/scale.schema.json",
        "own/studies/study.schema.json",
        "own/studies/waves/smoke.yaml",
        "own/studies/waves/study.yaml",
    ]
    assert own.in_archive(Path()) == [Path("own")]


def test_several_folders_of_ones_own_lie_side_by_side_in_an_archive():
    for name in ("one", "other"):
        Path(name, "tasks").mkdir(parents=True)
    roots.use([Path("one"), Path("other")])
    assert [*own.names(["own/one/tasks/a.py", "own/other/b.py"])] == ["own/one", "own/other"]
    for name in own.names(["own/one/tasks/a.py", "own/other/b.py"]):
        Path("unpacked", name, "tasks").mkdir(parents=True)
    assert own.in_archive(Path("unpacked")) == [Path("unpacked/own/one"), Path("unpacked/own/other")]


def test_the_name_of_a_study_that_another_extends_is_no_pattern_of_files():
    Path("own/studies/w[1]").mkdir(parents=True)
    Path("own/studies/w[1]/study.yaml").write_text("", encoding="utf-8")
    roots.use([Path("own")])
    assert [name for name, *_ in own.files(["w[1]"], [])] == ["own/studies/w[1]/study.yaml"]


@pytest.mark.slow
def test_all_that_is_new_passes_the_contracts_and_its_own_tests():
    for family in new.KINDS:
        assert make(family, "mine" if family in ("study", "claim") else f"my_{family}").exit_code == 0
    (Path("own/studies/mine/study.yaml")).write_text(
        Path("own/studies/mine/study.yaml").read_text().replace("claims: []", "claims: [networks_learn]")
    )
    command = [sys.executable, "-m", "isobath", "test"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert places.studies(Path())["mine"] == Path("own/studies/mine").resolve()
    edited = Path("own/tasks/my_task.py")
    edited.write_text(edited.read_text().replace(".astype(np.int64)", ".astype(np.float64)"), encoding="utf-8")
    run = subprocess.run([*command, "-k", "tasks"], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "test_every_sampled_task_keeps_the_contract[my_task]" in run.stdout
