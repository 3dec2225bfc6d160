"""Thresholds of claims."""

from pathlib import Path

import pytest

from isobath import claims as family

STUDIES = sorted(folder.name for folder in Path(family.__file__).parent.iterdir() if (folder / "__init__.py").is_file())


@pytest.mark.parametrize("study", STUDIES)
def test_every_threshold_of_a_study_has_its_reason(study):
    lines = (Path(family.__file__).parent / study / "thresholds.py").read_text(encoding="utf-8").splitlines()
    named = [i for i, line in enumerate(lines) if " = " in line and not line.startswith("#")]
    assert named
    bare = [lines[i] for i in named if not lines[i - 1].startswith("# ")]
    assert not bare, f"claims/{study}/thresholds.py: the line above each bound says why: {bare}"
