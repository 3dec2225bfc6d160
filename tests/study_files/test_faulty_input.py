"""Input with a fault that once ended in a traceback, or that was passed over: one sentence says what is wrong."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from click.testing import CliRunner
from house import ROOT
from own_folders import MAJORITY, STUDY, own, write

import isobath
from isobath import __main__ as commands
from isobath import plugins, results, roots, sizes
from isobath.archive import datapackage, privacy, redraw
from isobath.archive.contents import _crated
from isobath.findings import folder as findings_folder
from isobath.operations import arguments, kinds, pilot, staleness
from isobath.results import page
from isobath.study import loading, places
from isobath.study.schema import ConfigError
from isobath.workflow import environment, plan, study_costs


@pytest.fixture(autouse=True)
def _roots():
    yield
    roots.use([])


def test_the_line_that_removes_extra_files_takes_their_whole_names(tmp_path):
    """Once it cut names at spaces, and removed results in place of their copies."""
    (line,) = re.findall(r"^isobath verify results/smoke \| (.*)$", (ROOT / "docs/own.md").read_text(), re.MULTILINE)
    write(tmp_path, {"index.html": "", "index.html (copy)": "", "a  b": ""})
    said = "extra  index.html (copy)\nextra  a  b\n16 of 16 results\n"
    subprocess.run(["sh", "-c", line], input=said, text=True, check=True, cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


def test_data_files_are_found_from_results_in_another_folder(tmp_path, monkeypatch):
    """Once those of a relative folder were looked for beside the results, and an edit of them was not seen."""
    place = write(own(tmp_path / "run"), {"mydata/a.csv": "1"})
    write(place, {"config.yaml": "scale: smoke\nstudies: [waves]\ndata: mydata\n"})
    (tmp_path / "seed1/results/smoke/waves").mkdir(parents=True)
    monkeypatch.chdir(place)
    run = arguments.load_run(tmp_path / "seed1/results/smoke", {}, Path())
    assert run.config.data == str(place / "mydata")
    monkeypatch.chdir(tmp_path)
    run = arguments.load_run(Path("seed1/results/smoke"), {}, Path("run"))
    assert run.config.data == str(place / "mydata")


def test_the_demands_of_the_papers_need_no_config(tmp_path, monkeypatch):
    """Once the page of a run in a folder without config.yaml had an error in their place."""
    write(own(tmp_path), {"own/studies/waves/paper.yaml": "{}", "config.yaml": "isobath: [1]\n"})
    roots.use([tmp_path / "own"])
    monkeypatch.chdir(tmp_path)
    first, *_ = study_costs.of_papers(Path(), ["waves"])
    assert first.startswith("waves: ")
    assert "core-hours" in first


def test_a_workflow_has_its_own_keys_beside_ours(tmp_path):
    """Once its studies were taken for ours, and the commands refused its config."""
    host = "studies: {cohort_a: 1}\nisobath: {scale: smoke, studies: [waves]}\n"
    place = own(tmp_path)
    (place / "config.yaml").unlink()
    write(place, {"config/config.yaml": host})
    run = plan.load(place, {})
    assert (run.config.scale, run.named) == ("smoke", ["waves"])
    module = plan.of(loading.config_of({"scale": "smoke", "studies": ["waves"]}, "config of the module"), place, "x")
    assert page.spec(module, {})["lacks"] == []
    write(place, {"config/config.yaml": "studies: &a {cohort: 1}\nother: *a\n"})
    module = plan.of(loading.config_of({"scale": "smoke", "studies": ["waves"]}, "config of the module"), place, "x")
    assert page.spec(module, {})["lacks"] == []


def test_commands_on_results_find_the_own_folder_that_a_part_of_the_config_names(tmp_path):
    """Once they took the usual one, and called the verdicts of complete results stale."""
    place = own(tmp_path)
    (place / "own").rename(place / "mine")
    (place / "config.yaml").unlink()
    write(place, {"config/config.yaml": "isobath: {scale: smoke, studies: [waves], own: mine}\n"})
    staleness.lay_own_of(place / "results/smoke")
    assert roots.own() == [place / "mine"]


def test_the_page_knows_the_settings_of_the_papers_by_all_their_files(tmp_path):
    """Once an edit of study.yaml left the hours on the page as they were."""
    place, specs = write(own(tmp_path), {"own/studies/waves/paper.yaml": "{}"}), []
    study = (place / "own/studies/waves/study.yaml").read_text()
    for text in (study, study + "\nnot_judged: [a figure]\n"):
        write(place, {"own/studies/waves/study.yaml": text})
        specs.append(page.spec(plan.load(place, {}), {})["papers"])
    assert specs[0] != specs[1]


def test_hidden_files_are_no_kinds_rules_or_commands(tmp_path):
    """Once the lock of an editor, a link that leads nowhere, stopped every run."""
    place = own(tmp_path)
    for name in ("tasks/.#majority.py", "rules/.#mine.smk", "results/._networks.py"):
        (place / "own" / name).parent.mkdir(exist_ok=True)
        (place / "own" / name).symlink_to("somebody@nowhere:1")
    roots.use([place / "own"])
    assert not [kind for family in ("task", "result") for kind in plugins.kinds(family) if kind.startswith(".")]
    assert places.rules() == []


def test_a_python_without_its_usual_name_is_refused(tmp_path, monkeypatch):
    """Once jobs ran any other program called python that was on the path."""
    monkeypatch.setattr(environment.sys, "executable", str(tmp_path / "python3"))
    with pytest.raises(ConfigError, match="has no program python, which jobs run; run isobath in a virtual env"):
        environment.require_runnable(tmp_path)
    (tmp_path / "python").touch()
    environment.require_runnable(tmp_path)


@pytest.mark.parametrize("text", ["seed: 010", "seed: 1:30", "seed: 0\nseed: 3", "a: &x 4\nseed: *x", "on: 3"])
def test_a_config_of_the_command_line_is_read_as_strictly(tmp_path, text):
    """Once Snakemake's reader took 010 for 8 and 1:30 for 90."""
    file = tmp_path / "more.yaml"
    file.write_text(f"{text}\n")
    with pytest.raises(ConfigError, match=f"^{file}(, line|: seed is|: on is)"):
        environment.require_strict([str(file)])
    for sound in ("seed: 8\n", '{\n\t"seed": 1e-3\n}', ""):
        file.write_text(sound)
        environment.require_strict([str(file)])


def test_a_misspelt_study_is_refused_with_the_file_and_the_key(tmp_path):
    place = own(tmp_path)
    write(place, {"config.yaml": "scale: smoke\nstudies: [wavs]\n"})
    with pytest.raises(ConfigError, match=r"config\.yaml: studies\[0\] is 'wavs'; .*waves"):
        plan.load(place, {})
    with pytest.raises(ConfigError, match=r"--config: studies\[1\] is 'x'; "):
        plan.load(place, {"studies": ["waves", "x"]})


def test_a_folder_at_the_root_names_nobody():
    """Once the archive of a run in a container, in /work, was refused."""
    assert privacy.leak([("a", b"WORKDIR /work\n")], [Path("/work")]) == ""
    assert "a contains" in privacy.leak([("a", b"in /srv/anna\n")], [Path("/srv/anna")])


def test_a_home_at_the_root_names_nobody(monkeypatch):
    """Once every archive of a user whose home is / was refused, as of a number without a name in a container."""
    monkeypatch.setattr(privacy.Path, "home", lambda: Path("/"))
    assert privacy.leak([("a", b"results/smoke\n")], []) == ""


@pytest.mark.parametrize(
    ("network", "key"),
    [("{kind: lazy, network: null}", "network.network"), ("{kind: mlp, initialisation: null}", "initialisation")],
)
def test_no_plugin_within_a_plugin_is_refused(tmp_path, network, key):
    """Once it was accepted, and each job failed."""
    study = STUDY.replace("{kind: mlp}", network)
    with pytest.raises(ConfigError, match=f"{key} is null"):
        plan.load(own(tmp_path, **{"studies/waves/study.yaml": study}), {})


def test_the_library_refuses_no_initialisation_and_sizes_beyond_all_memory():
    x, labels = np.zeros((4, 2), dtype=np.float32), np.array([0, 1, 0, 1])
    wrong = {"network": {"kind": "mlp", "initialisation": None}}, {"depth": 10**18}, {"networks": 10**18}
    for settings, said in zip(wrong, ("initialisation", "depth is", "networks is"), strict=True):
        with pytest.raises(ValueError, match=said):
            isobath.train(x, labels, **settings)
    with pytest.raises(ValueError, match="depth is 1001; it must be at most 1,000"):
        isobath.regress(x, labels, depth=1001)


def test_files_that_are_edited_for_an_archive_are_refused_with_their_names(tmp_path):
    write(tmp_path, {"LICENSE-data": "CC0-1.0\n", "CITATION.cff": "title: a\n", "broken": "a: [\n"})
    with pytest.raises(ConfigError, match="LICENSE-data: the first line must be"):
        datapackage.licence(tmp_path)
    members = {"workflow/Snakefile": b"", "Snakefile": b"", "README.md": b"", "config.yaml": b""}
    for name in ("CITATION.cff", "broken"):
        with pytest.raises(ConfigError, match=name):
            _crated(members, tmp_path / name, scale="demo", complete=True, licence="CC-BY-4.0")


KIND = '"""Mine."""\n'
WHOLE = KIND + 'PATH = "mine/{name}.json"\ndef spec(run, names): ...\ndef inputs(run, names): ...\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nosuch\n", "it can't be imported: ModuleNotFoundError"),
        (KIND, "it lacks PATH, spec, inputs, members or names or needed"),
        (WHOLE, "it lacks members or names or needed"),
    ],
)
def test_a_kind_of_result_with_a_fault_is_refused(tmp_path, text, said):
    place = own(tmp_path, **{"results/mine.py": text})
    roots.use([place / "own"])
    with pytest.raises(plugins.PluginError, match=re.escape(f"{place}/own/results/mine.py: {said}")):
        results.kinds()


@pytest.mark.parametrize(
    ("constant", "said"),
    [
        ('FILES = ("a.csv")', "FILES is 'a.csv'; it must be a tuple of words"),
        ("FILES = 5", "FILES is 5; it must be a tuple of words"),
        ("NEEDS = 5", "NEEDS is 5; it must be a mapping"),
        ("NEEDS = {'zz': {'dimension': 1}}", "NEEDS has 'zz': {'dimension': 1}; both must be settings"),
    ],
)
def test_a_constant_of_another_type_is_refused(tmp_path, constant, said):
    """Once a forgotten comma made each letter a file."""
    task = MAJORITY.replace("import numpy", f"{constant}\nimport numpy")
    with pytest.raises(ConfigError, match=re.escape(said)):
        plan.load(own(tmp_path, **{"tasks/majority.py": task}), {})


def test_a_size_that_is_no_path_is_refused():
    with pytest.raises(ValueError, match="SIZE is 5; it must be 'module:function'"):
        sizes.size(5, {}, {})


@pytest.mark.parametrize("line", ["grids: 5", "claims: true", "works: 7"])
def test_a_study_with_a_fault_is_described(tmp_path, line):
    folder = write(tmp_path / "s", {"study.yaml": f"title: T\n{line}\n"})
    assert line in kinds.study("s", {"s": folder})


def test_files_that_are_not_of_the_findings_are_named_as_such(tmp_path):
    files = {"README.md": b"a"}
    write(tmp_path, {"README.md": "a", ".DS_Store": "", ".abc.partial/README.md": "", "notes.txt": ""})
    assert findings_folder.differences(tmp_path, files) == []
    assert findings_folder.foreign(tmp_path, files) == ["notes.txt"]


def test_a_pilot_without_room_in_memory_is_left_out_and_without_any_there_is_no_forecast(tmp_path, monkeypatch):
    """Once it ended the command, and the pilots that had been measured were lost; later none at all was a success."""

    def without_room(network, most):
        raise MemoryError("Unable to allocate 65.5 TiB")

    monkeypatch.setattr(pilot, "trained", without_room)
    monkeypatch.chdir(own(tmp_path))
    told = CliRunner().invoke(pilot.command, ["--seconds", "0.1"], catch_exceptions=False)
    assert told.exit_code != 0
    assert "left out: Unable to allocate 65.5 TiB" in told.output
    assert "no network could be trained, for the reasons above" in told.output
    assert not (tmp_path / "logs").exists()


def test_an_empty_mapping_is_not_refused_as_a_list(tmp_path):
    study = re.sub(r"^tasks:\n(?:  .*\n)+", "tasks: {}\n", STUDY, flags=re.MULTILINE)
    with pytest.raises(ConfigError, match=r"tasks is \{\}; allowed: a mapping with at least one entry"):
        plan.load(own(tmp_path, **{"studies/waves/study.yaml": study}), {})


def test_a_folder_without_figures_is_not_redrawn(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no \*/figures"):
        redraw.redraw(Path("/"), tmp_path)


@pytest.mark.parametrize("attrs", [{"spec": "x"}, {"spec": "[]"}, {"spec": 5}])
def test_a_spec_of_others_is_no_spec_of_ours(attrs):
    errors = xr.DataArray(np.linspace(0.1, 0.2, 5), dims="seed")
    data = xr.Dataset({"test_error": errors}, attrs=attrs)
    assert float(isobath.interval(data, "test_error", n_test=100).value) == pytest.approx(0.15)
    with pytest.raises(ValueError, match="n_test is -5"):
        isobath.interval(data.assign_attrs(n_test=-5), "test_error")
    with pytest.raises(ValueError, match="n_test is 'x'"):
        isobath.interval(data.assign_attrs(n_test="x"), "test_error")


def test_a_folder_that_cannot_be_looked_into_is_refused(tmp_path):
    """Once a name that is too long, or a folder without permission, ended in a traceback without the key."""
    with pytest.raises(ConfigError, match=r"config\.yaml: data is .*which is no folder"):
        loading.config_of({"scale": "a", "studies": ["b"], "data": "/" + "x" * 300}, "config.yaml")


def test_status_says_what_is_wrong_with_a_kind_of_result(tmp_path, monkeypatch):
    place = own(tmp_path, **{"results/mine.py": KIND})
    (place / "results/smoke/waves").mkdir(parents=True)
    monkeypatch.chdir(place)
    done = CliRunner().invoke(commands.main, ["status", "results/smoke"])
    assert done.exit_code == 1
    assert "it lacks PATH" in done.output


def test_a_folder_behind_a_link_is_private_as_well(tmp_path):
    (tmp_path / "real/place").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real/place")
    for folder in ("link", "real/place"):
        assert privacy.leak([("a", str(tmp_path / folder).encode())], [tmp_path / "link"])
