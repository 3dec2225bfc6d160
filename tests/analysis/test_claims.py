"""Thresholds of claims, and how claims read cubes."""

import ast
from pathlib import Path

import pytest

from isobath import claims as family

FOLDER = Path(family.__file__).parent
STUDIES = sorted(folder.name for folder in FOLDER.iterdir() if (folder / "__init__.py").is_file())


@pytest.mark.parametrize("study", STUDIES)
def test_every_threshold_of_a_study_has_its_reason(study):
    lines = (FOLDER / study / "thresholds.py").read_text(encoding="utf-8").splitlines()
    named = [i for i, line in enumerate(lines) if " = " in line and not line.startswith("#")]
    assert named
    bare = [lines[i] for i in named if not lines[i - 1].startswith("# ")]
    assert not bare, f"claims/{study}/thresholds.py: the line above each bound says why: {bare}"


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda path: str(path.relative_to(FOLDER)))
def test_claims_read_cubes_by_one_reader(path):
    """Groups that are taken from a tree by hand would not know which axes are fixed, nor that cells may be missing."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        by_hand = isinstance(node, ast.Attribute) and node.attr in ("groups", "children", "subtree", "to_dataset")
        assert not by_hand, f"{path.name}:{getattr(node, 'lineno', 0)}: {ast.unparse(node)}"
        indexed = isinstance(node, ast.Subscript) and ast.unparse(node.value) == "tree"
        assert not indexed, f"{path.name}:{getattr(node, 'lineno', 0)}: {ast.unparse(node)}"
