"""Single tasks: what their contract does not test."""

import numpy as np
import pytest

from isobath import binding, plugins
from isobath.randomness import stream


def test_a_linear_teacher_is_learned_by_least_squares():
    sample = binding.bound("task", {"kind": "linear_teacher", "dimension": 5, "noise": 0.1})
    (x, y), (x_test, y_test) = sample(4000, generator=stream(0, "a")), sample(4000, generator=stream(0, "b"))
    v = np.linalg.lstsq(x, y, rcond=None)[0]
    assert np.linalg.norm(v) == pytest.approx(1, abs=0.02)
    assert np.mean((x_test @ v - y_test) ** 2) == pytest.approx(0.1**2, rel=0.1)


def test_a_task_without_ends_is_refused_by_name(monkeypatch, tmp_path):
    (tmp_path / "tasks").mkdir()
    for name in ("__init__", "k_local"):
        text = (plugins.PACKAGE / f"tasks/{name}.py").read_text(encoding="utf-8").replace("def ends(", "def edges(")
        (tmp_path / f"tasks/{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr("isobath.plugins.PACKAGE", tmp_path)
    with pytest.raises(plugins.PluginError, match=r"k_local\.py has no function ends"):
        plugins.ends({"kind": "k_local", "k": 2, "dimension": 4})
