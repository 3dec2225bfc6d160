"""Studies are folders: a file with the settings of the source, an overlay per scale, and shorthand in both."""

import re
from pathlib import Path

import jsonschema
import pytest
from house import ROOT, fresh, snakemake, write_study

from isobath import claim_files
from isobath.study import loading
from isobath.study.json_schema import study_schema
from isobath.study.merging import compose, merged
from isobath.study.refusals import key_of, reach
from isobath.study.schema import ConfigError, Loss
from isobath.study.yaml import load as load_yaml
from isobath.workflow import plan

FILES = sorted((ROOT / "workflow/studies").glob("*/*.yaml"))
STUDY = """
title: t
source: s
n_test: 10
tasks:
  a: {kind: k_local, k: 2, dimension: 4}
protocols:
  sgd: {kind: sgd, network: {kind: mlp}, learning_rate: {folds: 5, rounds: 2}, max_epochs: 100}
  mse: {like: sgd, loss: mean_squared_error}
  he: {like: mse, network: {initialisation: he_normal}, learning_rate: {rounds: null}}
kernels:
  ntk: {kind: ntk}
  bias: {name: "ntk_{beta}", each: {beta: [0, 0.5]}, kind: ntk}
grids:
  g: [{tasks: [a], protocols: [sgd], kernels: [ntk], depth: [1], width: [3], n_train: [20]}]
"""


def load(tmp_path: Path, demo: str = "", *, text: str = STUDY):
    return plan.load_study(write_study(tmp_path / "locality", text, demo=demo, smoke=""), "demo")


def refusal(tmp_path: Path, demo: str = "", *, text: str = STUDY) -> str:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, demo, text=text)
    assert "\n" not in str(refused.value)
    return str(refused.value).removeprefix(f"{tmp_path}/")


def test_merging_merges_mappings_replaces_values_and_removes_nulls():
    base = {"a": {"b": 1, "c": None}, "d": [1, 2], "e": 3}
    assert merged(base, {"a": {"b": 2}, "d": [3], "e": None, "f": {"g": 4}}) == {
        "a": {"b": 2, "c": None},
        "d": [3],
        "f": {"g": 4},
    }
    assert merged(base, {}) == base


def test_an_entry_is_like_another_but_for_its_changes(tmp_path):
    protocols = load(tmp_path).protocols
    assert protocols["mse"] == protocols["sgd"].model_copy(update={"loss": Loss(kind="mean_squared_error")})
    assert protocols["he"].network.settings["initialisation"]["kind"] == "he_normal"
    assert protocols["he"].loss.kind == "mean_squared_error"
    assert (protocols["he"].learning_rate.folds, protocols["he"].learning_rate.rounds) == (5, 4)  # null: the default


def test_a_scale_changes_an_entry_and_those_that_are_like_it(tmp_path):
    protocols = load(tmp_path, "protocols: {sgd: {max_epochs: 7}, he: {max_epochs: 9}}").protocols
    assert [protocols[name].max_epochs for name in ("sgd", "mse", "he")] == [7, 7, 9]


def test_a_scale_can_remove_an_entry_that_others_are_like(tmp_path):
    protocols = load(tmp_path, "protocols: {mse: null}").protocols
    assert list(protocols) == ["sgd", "he"]
    assert protocols["he"].loss.kind == "mean_squared_error"


def test_a_scale_removes_a_key_that_an_entry_has_from_another(tmp_path):
    assert load(tmp_path, "protocols: {mse: {max_epochs: null}}").protocols["mse"].max_epochs == 2500


def test_a_family_has_a_member_for_each_combination():
    family = {"name": "{b}-{a}", "each": {"a": [1, 2], "b": ["x", "y"]}, "kind": "k", "c": 0}
    content = compose({"tasks": {"f": family, "z": {"like": "x-2", "c": 1}}}, {"tasks": {"y-1": None, "x-1": {"c": 5}}})
    assert content["tasks"] == {
        "x-1": {"kind": "k", "c": 5, "a": 1, "b": "x"},
        "x-2": {"kind": "k", "c": 0, "a": 2, "b": "x"},
        "y-2": {"kind": "k", "c": 0, "a": 2, "b": "y"},
        "z": {"kind": "k", "c": 1, "a": 2, "b": "x"},
    }


def test_a_scale_changes_or_removes_a_whole_family(tmp_path):
    family = {"name": "{a}", "each": {"a": [1, 2]}, "kind": "k"}
    study = {"kernels": {"f": family, "g": {"like": "f", "a": 3}}}
    smaller = compose(study, {"kernels": {"f": {"b": 4, "each": {"a": [2]}}}})["kernels"]
    assert smaller == {"2": {"kind": "k", "a": 2, "b": 4}, "g": {"kind": "k", "a": 3, "b": 4}}
    assert compose(study, {"kernels": {"f": None}})["kernels"] == {"g": {"kind": "k", "a": 3}}
    assert "kernels" not in compose(study, {"kernels": None})


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("like: mse", "like: msee", "protocols.he.like is 'msee'; did you mean 'mse'? allowed: mse, sgd"),
        ("like: sgd", "like: he", "protocols.he.like is 'mse'; entries must not be like each other in a circle"),
        ("like: sgd", "like: mse", "protocols.mse.like is 'mse'; entries must not be like each other in a circle"),
        ("like: sgd", "like: [sgd]", "protocols.mse.like is [\"sgd\"]; did you mean 'sgd'? allowed: he, sgd"),
        ('"ntk_{beta}"', '"ntk"', "kernels.bias.name is 'ntk'; it must hold each of {beta} once"),
        ('name: "ntk_{beta}", ', "", "kernels.bias.name is null; it must hold each of {beta} once"),
        ("[0, 0.5]", "0.5", 'kernels.bias.each is {"beta": 0.5}; it must be a mapping of settings to lists of values'),
        ("[0, 0.5]", "[0, 0]", 'kernels.bias.each is {"beta": [0, 0]}; a value stands twice'),
        (
            "each: {beta:",
            "beta: 1, each: {beta:",
            "kernels.bias.beta is 1, and kernels.bias.each has it too; one of them",
        ),
        ('"ntk_{beta}", each: {beta: [0', '"{beta}", each: {beta: [ntk', "has a member 'ntk', which is the name of"),
    ],
)
def test_bad_shorthand_is_refused(tmp_path, old, new, sentence):
    assert old in STUDY
    said = refusal(tmp_path, text=STUDY.replace(old, new))
    assert said.startswith("locality/study.yaml: ")
    assert sentence in said


def test_null_says_that_a_study_extends_none_and_that_an_entry_is_like_none(tmp_path):
    """Read null as the tables of the keys say: as a key that is left out."""
    nulls = STUDY.replace("{kind: sgd, ", "{like: null, each: null, name: null, kind: sgd, ", 1)
    whole = load(tmp_path, "protocols: {he: {name: null}}", text=f"extends: null\n{nulls}")
    assert whole == load(tmp_path)
    assert "demo.yaml: extends is null; it is of all scales" in refusal(tmp_path, "extends: null")
    said = refusal(tmp_path, text=STUDY.replace("like: sgd,", "like: null,"))
    assert said.startswith("locality/study.yaml (scale demo): protocols.mse.kind is missing")


@pytest.mark.parametrize(
    ("demo", "file", "sentence"),
    [
        ("tasks: {a: {k: two}}", "demo", "tasks.a.k is 'two'"),
        ("tasks: {a: {kk: 2}}", "demo", "unknown key 'kk' in tasks.a"),
        ("n_tests: 3", "demo", "unknown key 'n_tests'; did you mean 'n_test'?"),
        ("tasks: {a: {dimension: 1}}", "demo", "tasks.a: "),
        ("tasks: {a: {k: null}}", "demo", "tasks.a.k is missing"),
        ("tasks: {b: {kind: k_local, k: 1}}", "demo", "tasks.b.dimension is missing"),
        ("tasks: {other: {k: 2}}", "demo", "tasks.other is no entry of the study; allowed: a; a new one has a kind"),
        ("tasks: {b: null}", "demo", "tasks.b is null, but there is no such entry; allowed: a"),
        ("grids: {g: [{tasks: [b], kernels: [ntk], depth: [1], n_train: [20]}]}", "demo", "grids.g[0].tasks is 'b'"),
        ("grids: {h: [{tasks: [a], kernels: [ntk], n_train: [20]}]}", "demo", "grids.h[0].depth is missing"),
        ("protocols: {sgd: {learning_rate: {minimum: 99}}}", "demo", "protocols.sgd.learning_rate.minimum is 99"),
        ("protocols: {he: {like: adam}}", "demo", "protocols.he.like is 'adam'"),
        ("kernels: {bias: {beta2: 1}}", "demo", "unknown key 'beta2' in kernels.bias"),
        ("kernels: {bias: {each: {beta: [x]}}}", "demo", "kernels.bias.each.beta is 'x'"),
        (
            "kernels: {f: {name: 'f-{beta}', each: {beta: [2, 2.5]}, kind: ntk, g: 1}}",
            "demo",
            "unknown key 'g' in kernels.f;",
        ),
        ("kernels: {ntk: null}", "study", "grids.g[0].kernels is 'ntk'"),  # where the name stands that is no more
    ],
)
def test_a_refusal_names_the_file_in_which_the_key_stands(tmp_path, demo, file, sentence):
    where = {"demo": "locality/demo.yaml: ", "study": "locality/study.yaml (scale demo): "}[file]
    assert refusal(tmp_path, demo).startswith(where + sentence)


def test_a_refusal_of_a_family_names_the_file_that_has_the_key(tmp_path):
    """Once it named the file of the scale, which changes another key of the family."""
    text = STUDY.replace("kind: ntk}\ngrids", "kind: ntk, foo: 1}\ngrids")
    assert text != STUDY
    said = refusal(tmp_path, "kernels: {bias: {each: {beta: [0, 1]}}}", text=text)
    assert said.startswith("locality/study.yaml (scale demo): unknown key 'foo' in kernels.bias")


def test_a_scale_changes_a_member_of_its_own_family_and_an_entry_of_a_study_that_extends_another(tmp_path):
    own = "kernels: {f: {name: 'f-{beta}', each: {beta: [2, 3]}, kind: ntk}, f-2: {beta: 4}}"
    assert load(tmp_path, own).kernels["f-2"].settings["beta"] == 4
    base = write_study(tmp_path / "locality", STUDY, demo="tasks: {new: {kind: k_local, k: 1, dimension: 3}}", smoke="")
    mine = "extends: locality\ntasks: {other: {kind: k_local, k: 2, dimension: 4}}\n"
    changes = "tasks: {other: {dimension: 6}, new: {dimension: 5}}"
    folder = write_study(tmp_path / "mine", mine, demo=changes, smoke="")
    tasks = plan.load_study(folder, "demo", {"locality": base, "mine": folder}).tasks
    assert [tasks[name].settings["dimension"] for name in ("other", "new")] == [6, 5]


def test_keys_are_found_in_refusals_and_in_files():
    assert key_of("unknown key 'kk' in tasks.a-0.3; allowed: k") == "tasks.a-0.3.kk"
    assert key_of("unknown key 'x'; allowed: k") == "x"
    assert key_of("grids.g[0].depth is missing; it is needed") == "grids.g[0].depth"
    content = {"tasks": {"a": {"k": 1}, "a.b": [1]}}
    reached = ("tasks.a.k", "tasks.a.l", "tasks.a.b[0].c", "grids", "tasks")
    assert [key[: reach(content, key)] for key in reached] == ["tasks.a.k", "tasks.a.", "tasks.a.b[0].c", "", "tasks"]


def test_an_unknown_scale_or_study_is_refused_with_the_nearest(tmp_path):
    folder = write_study(tmp_path / "locality", STUDY, demo="", smoke="")
    for scale, words in (("dem", "scale is 'dem'; did you mean 'demo'?"), ("study", "allowed: demo, smoke")):
        with pytest.raises(ConfigError, match=words):
            loading.load_study(folder, scale)
    with pytest.raises(ConfigError, match=r"localty/study\.yaml: there is no such file; did you mean 'locality'?"):
        loading.load_study(tmp_path / "localty", "demo")


@pytest.mark.parametrize("name", ["study.yml", "Study.yaml"])
def test_a_file_that_is_named_nearly_as_it_must_be_is_refused_with_both_names(tmp_path, name):
    (write_study(tmp_path / "waves", STUDY) / "study.yaml").rename(tmp_path / "waves" / name)
    with pytest.raises(ConfigError) as refused:
        loading.load_study(tmp_path / "waves", "demo")
    expected = f"{tmp_path}/waves/{name}: the settings of a study must lie in {tmp_path}/waves/study.yaml; rename it"
    assert str(refused.value) == expected


def test_a_folder_in_place_of_the_file_of_a_study_is_refused_as_such(tmp_path):
    (tmp_path / "waves/study.yaml").mkdir(parents=True)
    with pytest.raises(ConfigError) as refused:
        loading.load_study(tmp_path / "waves", "demo")
    assert str(refused.value).startswith(f"{tmp_path}/waves/study.yaml is a folder; it must be a file")
    assert "did you mean" not in str(refused.value)


def test_a_study_in_one_file_is_refused_with_its_place(tmp_path):
    (tmp_path / "mine.yaml").write_text(STUDY, encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        loading.load_study(tmp_path / "mine", "demo")
    assert "mine.yaml: a study is a folder; put it into" in str(refused.value)
    assert "mine/study.yaml" in str(refused.value)
    assert "\n" not in str(refused.value)


def guide(tmp_path: Path) -> Path:
    """Write the study of docs/adding.md, to the letter."""
    text = (ROOT / "docs/adding.md").read_text(encoding="utf-8")
    blocks = re.findall(r"`workflow/studies/parity/(\w+)\.yaml`[^\n]*\n\n```yaml\n(.*?)```", text, flags=re.DOTALL)
    files = dict(blocks)
    return write_study(tmp_path / "parity", files["study"], smoke=files["smoke"], paper="")


def test_the_study_of_the_guide_is_valid_at_its_scales(tmp_path):
    folder = guide(tmp_path)
    smoke, paper = (plan.load_study(folder, scale) for scale in ("smoke", "paper"))
    assert list(smoke.tasks) == list(paper.tasks) == ["parity-2", "parity-3", "parity-4"]
    assert {task.settings["dimension"] for task in smoke.tasks.values()} == {6}
    assert (smoke.protocols["sgd_he"].max_epochs, paper.protocols["sgd_he"].max_epochs) == (40, 2500)
    assert smoke.protocols["sgd_he"].network.settings["initialisation"]["kind"] == "he_normal"
    for path, overlay in ((folder / "study.yaml", False), (folder / "smoke.yaml", True)):
        assert jsonschema.Draft202012Validator(study_schema(overlay=overlay)).is_valid(load_yaml(path))


@pytest.mark.slow
def test_the_study_of_the_guide_runs(tmp_path):
    house = fresh(tmp_path)
    guide(house / "workflow/studies")
    run = snakemake(house, study="parity")
    assert run.returncode == 0, run.stderr
    assert list((house / "results/smoke/parity/figures").glob("depth*"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_the_lines_of_study_files_are_short(path):
    assert all(len(line) <= 120 for line in path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_caption_can_be_read_by_itself(file):
    """Pages and findings show figures in another order than the study."""
    figures = load_yaml(file).get("figures") or {}
    captions = {name: str(entry.get("caption", "")) for name, entry in figures.items() if entry}
    assert [name for name, caption in captions.items() if caption.startswith("The same") or "as above" in caption] == []


@pytest.mark.parametrize("folder", sorted({file.parent for file in FILES}), ids=lambda folder: folder.name)
def test_a_study_asks_for_every_claim_of_its_folder(folder):
    asked = load_yaml(folder / "study.yaml").get("claims", [])
    assert sorted(claim_files.claims(folder.name)) == sorted(claim for claim in asked if "." not in claim)
