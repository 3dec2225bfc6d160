"""$PYTHONOPTIMIZE: stores are the same where Python drops asserts and docstrings, and contracts keep their asserts."""

import ast
import os
import subprocess
import sys

import pytest
from house import ROOT
from own_folders import write

STORE = """
import sys
from pathlib import Path
import xarray as xr
from isobath.disk import store
path = Path(sys.argv[1])
store.write(xr.Dataset({"x": ("i", [1.0, 2.0])}, attrs={"a": 1}), path)
assert store.read(path).x.sum() == 3.0
print(sys.flags.optimize)
"""
OPTIMISED = "import os, sys; sys.exit(sys.flags.optimize or 'PYTHONOPTIMIZE' in os.environ)"


def python(words, place, value, source=str(ROOT / "src")):
    environment = os.environ | {"PYTHONPATH": source, "PYTHONOPTIMIZE": value}
    done = subprocess.run(
        [sys.executable, "-P", *words], cwd=place, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("value", ["1", "2"])
def test_a_store_has_the_same_bytes(tmp_path, value):
    for level in ("0", value):
        assert python(["-c", STORE, f"{level}.zarr.zip"], tmp_path, level) == level
    assert (tmp_path / f"{value}.zarr.zip").read_bytes() == (tmp_path / "0.zarr.zip").read_bytes()


def test_nothing_but_a_contract_relies_on_an_assert():
    modules = (path for path in (ROOT / "src").rglob("*.py") if "contracts" not in path.parts)
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in modules}
    assert {
        path for path, tree in trees.items() if any(isinstance(node, ast.Assert) for node in ast.walk(tree))
    } == set()


def test_contracts_are_tested_by_a_python_that_keeps_asserts(tmp_path):
    """Pytest is a module here that tells how it was started."""
    ours = write(tmp_path, {"pytest.py": OPTIMISED})
    python(["-m", "isobath", "test"], tmp_path, "1", f"{ours}{os.pathsep}{ROOT / 'src'}")
