"""The archive of a run: it is whole, the same every time, readable without the workflow, and reveals nobody."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import data_packages
import numpy as np
import pandas as pd
import pytest
import yaml
from archives import CLEAN, CUBE, SMALL, STUDY, check, names, run_archive
from house import FRICTIONLESS, copy, edit, fresh, snakemake, write_study

import isobath
from isobath.archive import contents, zips
from isobath.archive.redraw import redraw
from isobath.disk import store
from isobath.operations.archive import ArchiveError, archive
from isobath.operations.arguments import load_run
from isobath.workflow import plan

pytestmark = pytest.mark.runs


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Make a copy of the repository in which a study of two networks and a kernel has been run."""
    house = fresh(tmp_path_factory.mktemp("archive"))
    write_study(house / "workflow/studies/small", STUDY, smoke="")
    run = snakemake(house, study="small")
    assert run.returncode == 0, run.stderr
    return house


@pytest.fixture
def house(built, tmp_path):
    yield copy(built, tmp_path / "isobath")
    shutil.rmtree(tmp_path / "isobath")


@pytest.fixture(scope="module")
def archived(built, tmp_path_factory):
    """Unpack the two zips of the house into one folder."""
    folder = tmp_path_factory.mktemp("unpacked")
    for file in run_archive(built):
        file.extractall(folder)
    return folder


def test_it_holds_what_was_made_and_what_made_it(built, archived):
    made = {output for job in plan.jobs(load_run(built / "results/smoke", SMALL)) for output in job.outputs}
    assert {name for name in names(archived) if name.startswith("results/")} == made
    expected = {"Snakefile", "envs/lock.txt", "src/isobath/archive/redraw.py", "LICENSE", "LICENSE-data"}
    expected |= {"workflow/studies/small/study.yaml", "workflow/studies/small/smoke.yaml"}
    assert expected <= names(archived)
    assert not [name for name in names(archived) if "__pycache__" in name]


def test_every_file_has_its_checksum(archived):
    sums = ("SHA256SUMS", "SHA256SUMS-cells")
    for name in sums:
        check = subprocess.run(["sha256sum", "--check", "--strict", "--quiet", name], cwd=archived, check=False)
        assert check.returncode == 0
    listed = [line.split("  ", 1)[1] for name in sums for line in (archived / name).read_text().splitlines()]
    assert sorted([*listed, *sums]) == sorted(names(archived))


def test_its_tables_are_read_by_its_data_package(archived):
    found = data_packages.read(archived)
    assert {*found} == {name for name in names(archived) if name.endswith(".csv")}
    networks = found["csv/small/depth/networks.csv"]
    assert {(type(row["depth"]), type(row["test_error"]), type(row["status"])) for row in networks} == {
        (int, float, str)
    }


def test_no_word_of_a_table_is_a_formula_of_a_spreadsheet(archived):
    tables = data_packages.read(archived)
    words = {str(cell) for rows in tables.values() for row in rows for cell in row.values() if isinstance(cell, str)}
    columns = {column for rows in tables.values() for row in rows for column in row}
    assert "2-global" in words
    assert not [word for word in words | columns if word.startswith(("=", "+", "-", "@", "\t", "\r"))]


@pytest.mark.skipif(not Path(FRICTIONLESS).exists(), reason="frictionless is not installed")
def test_frictionless_finds_its_data_package_valid(archived):
    command = [FRICTIONLESS, "validate", "datapackage.json"]
    run = subprocess.run(command, cwd=archived, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_equal_results_make_equal_zips(built, house):
    shutil.rmtree(house / "src/isobath/archive/__pycache__", ignore_errors=True)
    for path in (house / "results").rglob("*"):
        path.chmod(0o755)
        path.touch()
    one, two = run_archive(built, PYTHONHASHSEED="1"), run_archive(house, PYTHONHASHSEED="2")
    assert [file.fp.getvalue() for file in one] == [file.fp.getvalue() for file in two]


def test_it_redraws_its_figures_without_the_workflow(archived, tmp_path):
    folder = shutil.copytree(archived, tmp_path / "a clean machine")
    command = [sys.executable, "-I", "-c", CLEAN]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "3 of 3 drawings are the same" in run.stdout
    for suffix in ("pdf", "svg", "png"):
        again = (folder / f"again/small/figure3.{suffix}").read_bytes()
        assert again == (folder / f"results/smoke/small/figures/figure3.{suffix}").read_bytes()


def test_a_figure_of_other_numbers_is_not_the_same(archived, tmp_path):
    folder = shutil.copytree(archived / "results", tmp_path / "results")
    tree = store.read_tree(tmp_path / CUBE)
    tree["kernels/test_error"] = tree["kernels/test_error"] / 2
    store.write(tree, tmp_path / CUBE)
    assert list(redraw(folder / "smoke", tmp_path / "again").values()) == [False, False, False]


def test_what_was_added_to_an_archive_altered_in_it_or_taken_is_named(archived, tmp_path):
    folder = shutil.copytree(archived, tmp_path / "archive")
    whole = check(folder)
    assert whole.returncode == 0, whole.stderr
    assert whole.stdout.startswith("The archive is whole, and nothing was added.")
    stray = CUBE.replace("depth", "zz_copy")
    shutil.copy(folder / CUBE, folder / stray)
    (folder / "LICENSE").write_text("none", encoding="utf-8")
    (folder / "DICTIONARY.md").unlink()
    found = ["missing  DICTIONARY.md", "altered  LICENSE", f"added    {stray}", "3 files are not as archived."]
    done = check(folder)
    assert (done.returncode, done.stdout.splitlines()) == (1, found)
    with pytest.raises(store.Misplaced, match="zz_copy"):
        isobath.open_results(folder / "results/smoke")


def test_nothing_goes_in_that_does_not_belong_to_the_run(house):
    stray = {
        "workflow/profiles/slurm/.env": "token=zaphod",
        "workflow/studies/small/.study.yaml.swp": "zaphod",
        "workflow/notes.txt": "zaphod",
        "src/isobath/tasks/.k_local.py.swp": "zaphod",
        "src/isobath/tasks/k_local.py.orig": "zaphod",
        "src/isobath/.hidden/a.py": "zaphod",
    }
    for name, text in stray.items():
        (house / name).parent.mkdir(exist_ok=True)
        (house / name).write_text(text, encoding="utf-8")
    for name in ("workflow/studies/small/host.yaml", "src/isobath/tasks/host.py"):
        (house / name).symlink_to("/etc/hostname")
    (path,) = archive(load_run(house / "results/smoke", SMALL), cells=False, incomplete=False)
    with zipfile.ZipFile(path) as file:
        inside = file.namelist()
    assert not [name for name in inside if name in stray or "host." in name]
    assert {name.split("/")[2] for name in inside if name.startswith("workflow/studies/") and name.count("/") > 2} == {
        "small"
    }
    packages = (house / "src" / name for name in ("isobath", "snakemake_logger_plugin_isobath"))
    kept = {file.relative_to(house).as_posix() for package in packages for file in package.rglob("*.py")} - {*stray}
    assert {name for name in inside if name.endswith(".py")} == kept - {"src/isobath/tasks/host.py"}


def test_a_study_may_be_called_cubes():
    """Once its settings were taken for a damaged cube, with the advice to remove the file."""
    cube = "results/smoke/cubes/cubes/sizes.zarr.zip"
    others = [
        "own/studies/cubes/study.yaml",
        "results/smoke/cubes/networks/a.zarr.zip",
        "results/smoke/cubes/page.html",
    ]
    assert contents.cubes_among([*others, cube]) == [cube]


def test_a_record_of_another_version_is_named(archived, tmp_path):
    folder = shutil.copytree(archived / "results", tmp_path / "results")
    record = folder / "smoke/small/figures/figure3.json"
    store.write_record({"name": "figure3", "cube": "../cubes/depth.zarr.zip", "spec": "{}"}, record)
    with pytest.raises(ValueError, match=r"figure3.json has no 'files': another version of isobath made it"):
        redraw(folder / "smoke", tmp_path / "again")
    with pytest.raises(FileNotFoundError, match="must be results/<scale>"):
        redraw(tmp_path, tmp_path / "again")


def test_what_is_archived_can_be_planned_again(archived, built):
    again = plan.load(archived, {})
    assert list(plan.jobs(again)) == list(plan.jobs(load_run(built / "results/smoke", SMALL)))
    steps = json.loads((archived / "PROVENANCE.json").read_text())
    assert {path for step in steps for path in step["outputs"]} == {p for job in plan.jobs(again) for p in job.outputs}
    made = {path: digest for step in steps for path, digest in step["outputs"].items()}
    assert all(made[path] == digest for step in steps for path, digest in step["inputs"].items())


def broken(house: Path, kind: str) -> str:
    """Break a result of the house, and return its path."""
    network = next(house.glob("results/smoke/small/networks/**/depth3_*"))
    figure = "results/smoke/small/figures/figure3"
    if kind == "missing":
        log = str(house / "logs" / network.relative_to(house / "results")).replace(".zarr.zip", ".log")
        Path(log).write_text("isobath: failed: no luck\n", encoding="utf-8")
        network.unlink()
        return str(network.relative_to(house))
    if kind == "damaged":
        (house / f"{figure}.svg").write_bytes(b"<svg/>")
        return f"{figure}.svg"
    edit(house, "workflow/studies/small/study.yaml", "caption: Two depths.", "caption: Depths.")
    return f"{figure}.json"


@pytest.mark.parametrize(("kind", "why"), [("missing", "failed: no luck"), ("damaged", ""), ("stale", "other spec")])
def test_results_that_are_not_as_asked_are_refused_or_listed(house, kind, why):
    victim = broken(house, kind)
    run = load_run(house / "results/smoke", SMALL)
    with pytest.raises(ArchiveError, match=re.escape(f"{victim} is {kind} (")):
        archive(run, cells=True, incomplete=False)
    assert not list((house / "results").glob("*.zip"))
    path, cells = archive(run, cells=True, incomplete=True)
    assert path.name == "isobath-smoke-incomplete.zip"
    with zipfile.ZipFile(path) as file, zipfile.ZipFile(cells) as more:
        listed = [line for line in file.read("README.md").decode().splitlines() if line.startswith(f"- `{victim}`")]
        assert (victim in file.namelist() + more.namelist()) == (kind == "stale")
        graph = json.loads(file.read("ro-crate-metadata.json"))["@graph"]
    assert len(listed) == 1
    assert kind in listed[0]
    assert why in listed[0]
    assert [e["actionStatus"] for e in graph if "actionStatus" in e] == ["http://schema.org/FailedActionStatus"]


def test_tables_hold_the_numbers_of_the_cube(archived):
    tree = store.read_tree(archived / CUBE)
    networks = pd.read_csv(archived / "csv/small/depth/networks.csv")
    assert len(networks) == 2 * 2
    for _, row in networks.iterrows():
        place = {dim: row[dim] for dim in ("task", "protocol", "depth", "width", "n_train", "draw", "seed")}
        there = tree["networks"].to_dataset().sel(place)
        assert (row.test_error, row.status) == (there.test_error.item(), there.status.item())
        assert row.loss == there.loss.item()  # to the last digit
    settings = pd.read_csv(archived / "csv/small/depth/networks_of_task.csv")
    assert settings.task_dimension.tolist() == [6]


def test_the_dictionary_knows_every_column_of_every_table(archived):
    entries = json.loads((archived / "DICTIONARY.json").read_text())
    known: dict[str, set[str]] = {}
    for entry in entries:
        known.setdefault(entry["table"], set()).update({entry["name"], *entry["dims"]})
    for path in archived.glob("csv/**/*.csv"):
        assert set(pd.read_csv(path).columns) == known[path.relative_to(archived).as_posix()]
    tree = store.read_tree(archived / CUBE)
    assert len(entries) == sum(len(node.to_dataset(inherit=False).variables) for node in tree.subtree)
    page = (archived / "DICTIONARY.md").read_text()
    assert "| `depth` | depth | int64 | 1 | L, number of hidden layers |" in page


def test_the_crate_describes_the_run(archived):
    crate = json.loads((archived / "ro-crate-metadata.json").read_text())
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    root, run = entities["./"], entities["#run"]
    assert {"@id": "https://w3id.org/ro/crate/1.1"} in entities["ro-crate-metadata.json"]["conformsTo"]
    assert [ref["@id"].split("/")[-2] for ref in root["conformsTo"]] == ["process", "workflow", "workflow-ro-crate"]
    assert run["instrument"] == root["mainEntity"] == {"@id": "Snakefile"}
    assert set(entities["Snakefile"]["@type"]) == {"File", "SoftwareSourceCode", "ComputationalWorkflow"}
    assert {"@id": "workflow/studies/small/study.yaml"} in run["object"]
    assert {"@id": CUBE} in run["result"]
    for part in root["hasPart"]:
        content = (archived / part["@id"]).read_bytes()
        described = entities[part["@id"]]
        assert described["sha256"] == zips.digest(content)
        assert int(described["contentSize"]) == len(content)
    assert not {"Person"} & {kind for e in crate["@graph"] for kind in np.atleast_1d(e["@type"])}
    references = re.findall(r'\{"@id": "([^"]+)"\}', json.dumps(crate["@graph"]))
    assert {ref for ref in references if ref not in entities} <= {
        "https://w3id.org/ro/crate/1.1",
        "https://doi.org/10.1093/bioinformatics/bts480",
        "https://snakemake.readthedocs.io",
    }


def test_the_citation_names_the_five_sources(archived):
    citation = yaml.safe_load((archived / "CITATION.cff").read_text(encoding="utf-8"))
    first = [work["authors"][0]["family-names"] for work in citation["references"]]
    assert first[:5] == ["Mori", "Malach", "Raj", "Bietti", "Geiger"]
    assert all({"type", "title", "year"} <= work.keys() for work in citation["references"])
