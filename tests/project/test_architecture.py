"""The floors of the house, read from its folders and imports, and the sizes that keep it readable."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from archives import ABSENT
from house import ROOT

SOURCE = ROOT / "src/isobath"
MODULES = sorted(SOURCE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]

# From the ground up: a folder may import its own floor and those below. Modules outside of folders are the ground.
FLOORS = (
    {"data", "network_sizes", "training", "regression", "spectra", "geometry", "fractals", "separation"},  # mathematics
    {
        "tasks",
        "networks",
        "losses",
        "initialisations",
        "protocols",
        "kernels",
        "constructions",
        "forms",
        "calculations",
    },
    {"study"},
    {"results"},
    {"analysis", "plotting"},
    {"figures", "claims"},
    {"disk", "workflow"},
    {"jobs", "page"},
    {"stages"},
    {"archive", "findings", "operations", "hooks", "launcher", "library", "contracts", "templates"},
)
LEVEL = {folder: level for level, floor in enumerate(FLOORS, start=1) for folder in floor}
NAMED = ("tasks", "protocols", "networks", "losses", "initialisations", "kernels")  # families that are handed in
DATA = {"xarray", "zarr", "matplotlib", "pathlib"}
FORBIDDEN = {  # folder -> third-party packages that none of its modules may import, directly or not
    **{folder: {"torch", "xarray", "zarr", "matplotlib"} for folder in ("study", "results", "workflow")},
    **{folder: {"torch", "zarr"} for folder in ("analysis", "plotting", "figures", "claims", "page")},
    **dict.fromkeys(FLOORS[0] | FLOORS[1], DATA),
    "calculations": DATA - {"xarray"},
    "data": DATA - {"pathlib"},
}


def name(path: Path) -> str:
    return ".".join(("isobath", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def short(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


FILES = {name(path): path for path in MODULES}


@cache
def imports(path: Path, *, top_level: bool = True) -> set[str]:
    """Return the modules that a file imports; those inside functions are deferred on purpose."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level else list(ast.walk(tree))
    modules: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return modules


def reached(module: str) -> set[str]:
    """Return all that a module imports, directly or through isobath."""
    seen: set[str] = set()
    todo = [module]
    while todo:
        here = todo.pop()
        if here not in seen:
            seen.add(here)
            todo += imports(FILES[here]) if here in FILES else []
    return seen - {module}


def folder(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "isobath" and (SOURCE / parts[1]).is_dir() else None


def arrows() -> dict[str, set[str]]:
    """Return the folders that the modules of each folder import, wherever the import stands."""
    found: dict[str, set[str]] = {}
    for module, path in FILES.items():
        here = folder(module)
        there = {f for f in map(folder, imports(path, top_level=False)) if f and f != here}
        found.setdefault(here or "", set()).update(there)
    return found


def test_every_folder_is_on_a_floor():
    assert {f for f in map(folder, FILES) if f} == {f for f in LEVEL if (SOURCE / f).is_dir()}


def written_floors() -> dict[int, set[str]]:
    """The folders, and on the ground the modules, of each floor by the table of the README; from its top."""
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    floors: dict[int, set[str]] = {}
    for floor, names in re.findall(r"^\| (\d+) \| ([^|]+) \|", text, flags=re.MULTILINE):
        floors.setdefault(int(floor), set()).update(re.findall(r"`([^`]+?)/?`", names))
    return floors


def test_the_readme_has_the_floors_of_the_house():
    written = written_floors()
    ground = {path.stem for path in SOURCE.glob("*.py")} - {"__init__", "__main__"}
    assert written == dict(enumerate((ground, *FLOORS)))
    assert [*written] == sorted(written, reverse=True)


def test_no_arrow_points_upward():
    upward = [(a, b) for a, targets in arrows().items() if a for b in targets if LEVEL[b] > LEVEL[a]]
    assert upward == []


def test_the_ground_imports_no_folder_but_on_demand():
    for module, path in FILES.items():
        if folder(module) is None:
            assert not {f for f in map(folder, imports(path)) if f}, module


@pytest.mark.parametrize("path", [p for m, p in FILES.items() if folder(m) in {None, *FLOORS[0]}], ids=short)
def test_ground_and_mathematics_name_no_plug_in(path):
    """A module below the plug-ins is handed them, and can't name one in a string either, to have it imported."""
    kinds = {file.stem for family in NAMED for file in (SOURCE / family).glob("[!_]*.py")}
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    keys = {id(key) for node in nodes if isinstance(node, ast.Dict) for key in node.keys}  # names of arrays
    assert {node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in keys} & kinds == set()


def test_folders_of_a_floor_import_each_other_in_one_direction():
    TopologicalSorter(arrows()).prepare()  # raises CycleError


@pytest.mark.parametrize("module", [m for m in FILES if folder(m) in FORBIDDEN])
def test_no_module_reaches_what_its_floor_may_not(module):
    roots = {r.split(".")[0] for r in reached(module)}
    assert roots & FORBIDDEN[folder(module)] == set()


@pytest.mark.parametrize("module", [m for m in FILES if folder(m) in {"figures", "plotting"}])
def test_figures_need_nothing_that_an_archive_does_not_bring(module):
    """An archive draws its figures again by NumPy, xarray and matplotlib alone."""
    assert {r.split(".")[0] for r in reached(module)} & {*ABSENT} == set()


def test_no_stage_is_imported():
    for path in MODULES:
        assert not {i for i in imports(path, top_level=False) if i.startswith("isobath.stages")}, path


def test_only_the_store_touches_zarr_and_nothing_unpickles():
    for path in MODULES:
        found = imports(path, top_level=False)
        assert path.name == "store.py" or not {i for i in found if i.split(".")[0] == "zarr"}, path
        assert not {i for i in found if i.split(".")[0] in ("pickle", "dill", "joblib", "shelve")}, path


@pytest.mark.parametrize("path", MODULES, ids=short)
def test_modules_and_functions_stay_small_and_documented(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 300
    assert not text.strip() or ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1 - len((ast.get_docstring(node) or "").splitlines())
            assert length <= 40, node.name


def test_tests_import_each_other_by_names_that_are_given_once():
    shared = [path for path in TESTS if "benchmarks/rivals" not in path.as_posix()]
    folders = {path.parent.relative_to(ROOT).as_posix() for path in shared}
    assert {*SETTINGS["pythonpath"]} == folders
    assert [stem for stem, times in Counter(path.stem for path in shared).items() if times > 1] == []


def test_the_readme_has_the_folders_of_tests():
    text = (ROOT / "tests/README.md").read_text(encoding="utf-8")
    folders = {path.relative_to(ROOT / "tests").parts[0] for path in TESTS if path.parent != ROOT / "tests"}
    assert {*re.findall(r"^\| `(\w+)/` \|", text, flags=re.MULTILINE)} == folders


OPENINGS = {  # of questions, of prepositions that hang in the air, and of half sentences
    *("what", "of", "how", "off", "by", "where", "whether", "from", "without", "when", "which", "in"),
    *("so", "and", "or", "but", "else", "also", "though", "unless", "that", "those"),
}


@pytest.mark.parametrize("path", MODULES + TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings_open_with_what_they_are_about(path):
    """They open with a verb and its object, or with a noun; not with a question, a preposition or half a sentence."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            words = re.findall(r"\w+", ast.get_docstring(node) or "")
            assert not words or words[0].lower() not in OPENINGS, getattr(node, "name", path.name)


def test_the_snakefile_and_the_rules_stay_small():
    assert len((ROOT / "Snakefile").read_text(encoding="utf-8").splitlines()) <= 50
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 150


def test_parsing_the_workflow_imports_no_torch():
    code = "import sys, isobath.workflow.plan, isobath.workflow.forecasts; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "xarray", "zarr", "matplotlib"} & set(loaded)
