"""The floors of the house, read off its imports; and the sizes that keep it readable."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src/isobath"
MODULES = sorted(SOURCE.rglob("*.py"))

FORBIDDEN = {  # floor -> what none of its modules may import, directly or not
    "workflow": {"torch", "xarray", "zarr", "matplotlib"},
    "analysis": {"torch", "zarr", "pathlib", "isobath.store", "isobath.config", "isobath.layout"},
    "operations": {"torch"},
    "theory": {"zarr", "matplotlib", "pathlib", "isobath.store", "isobath.config", "isobath.layout"},
    "training": {"xarray", "zarr", "matplotlib", "pathlib", "isobath.store", "isobath.config", "isobath.layout"},
    "physics": {"xarray", "zarr", "matplotlib", "pathlib", "isobath.store", "isobath.config", "isobath.layout"},
}
FLOORS = {
    "workflow": [
        *("config", "schema", "consistency", "formulas", "schedules", "nouns", "downloads", "costs", "estimates"),
        *("environment", "strict_yaml", "settings", "grids", "layout", "plugins", "plan", "journal", "forecasts"),
    ],
    "analysis": [
        *("cubes", "summaries", "ensembles", "ensemble_tables", "analyses", "laws", "bootstraps", "jamming", "forms"),
        *("verdicts", "selection", "page", "charts", "claims", "figures"),
    ],
    "operations": [
        *("summary", "kinds", "expenses", "runs", "anatomy", "verify", "status", "gaps", "archive"),
        "drawings",
    ],
    "theory": ["calculations"],
    "training": [
        *("recipes", "learning_rates", "training", "records", "stacks", "minibatches", "losses", "products"),
        *("boundaries", "protocols", "networks", "affine", "constructions"),
    ],
    "physics": [
        *("tasks", "images", "idx", "cifar_binary", "kernels", "arc_cosine", "regression", "randomness"),
        *("iterated_functions", "fractals", "approximation_curves"),
        *("linear_regions", "population_gradients", "depth_bounds"),
    ],
}


def name(path: Path) -> str:
    return ".".join(("isobath", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def imports(path: Path, *, top_level: bool = True) -> set[str]:
    """Modules that a file imports; those inside functions are deferred on purpose."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if top_level else list(ast.walk(tree))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def reached(module: str) -> set[str]:
    """All that a module imports, directly or through isobath."""
    files = {name(p): p for p in MODULES}
    seen: set[str] = set()
    todo = [module]
    while todo:
        here = todo.pop()
        if here in seen:
            continue
        seen.add(here)
        if here in files:
            todo += imports(files[here])
    return seen - {module}


def members(floor: str) -> list[str]:
    prefixes = tuple(f"isobath.{m}" for m in FLOORS[floor])
    return [n for n in map(name, MODULES) if any(n == p or n.startswith(p + ".") for p in prefixes)]


@pytest.mark.parametrize(("floor", "module"), [(f, m) for f in FLOORS for m in members(f)])
def test_no_module_reaches_above_its_floor(floor, module):
    roots = reached(module) | {r.split(".")[0] for r in reached(module)}
    assert roots & FORBIDDEN[floor] == set()


def test_every_module_has_a_place():
    placed = {m for floor in FLOORS for m in members(floor)}
    # specs and training_specs turn specs and files into things that compute; the rest is the way in and out.
    top = {
        "isobath",
        "isobath.cli",
        "isobath.store",
        "isobath.checkpoints",
        "isobath.trained",
        "isobath.estimate",
        "isobath.calibration",
        "isobath.specs",
        "isobath.training_specs",
    }
    rest = {n for n in map(name, MODULES) if not n.startswith("isobath.stages")} - placed - top
    assert rest == set()


def test_no_stage_is_imported():
    for path in MODULES:
        assert not {i for i in imports(path, top_level=False) if i.startswith("isobath.stages")}, path


def test_only_the_store_touches_zarr_and_nothing_unpickles():
    for path in MODULES:
        found = imports(path, top_level=False)
        assert path.name == "store.py" or not {i for i in found if i.split(".")[0] == "zarr"}, path
        assert not {i for i in found if i.split(".")[0] in ("pickle", "dill", "joblib", "shelve")}, path


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_modules_and_functions_stay_small_and_documented(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 300
    assert not text.strip() or ast.get_docstring(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1 - len((ast.get_docstring(node) or "").splitlines())
            assert length <= 45, node.name


def test_the_snakefile_and_the_rules_stay_small():
    assert len((ROOT / "Snakefile").read_text(encoding="utf-8").splitlines()) <= 50
    for path in (ROOT / "workflow/rules").glob("*.smk"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 150


def test_parsing_the_workflow_imports_no_torch():
    code = "import sys, isobath.config, isobath.grids, isobath.layout, isobath.plugins; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "xarray", "zarr", "matplotlib"} & set(loaded)
