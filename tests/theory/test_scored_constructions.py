"""Scores of constructions: errors of each class, and parameters."""

import pytest
import torch

from isobath.constructions import Built
from isobath.disk import store
from isobath.stages import constructions, data


def test_errors_of_classes_are_shares_of_each_class_and_biases_are_parameters(tmp_path, monkeypatch):
    weights = [torch.zeros(1, 1, 2, dtype=torch.float64), -torch.ones(1, 1, 1, dtype=torch.float64)]  # says 0 always
    monkeypatch.setattr(constructions, "bound", lambda *_: lambda task: Built(weights, "mlp"))
    own = {"kind": "fractal", "system": "cantor", "levels": 2, "margin": 0.0}
    data.main({"task": own, "name": "t", "n": 200, "draw": None, "seed": 0}, "code", tmp_path / "test.zarr.zip")
    spec = {"construction": {"kind": "no"}, "network": {"kind": "mlp"}, "task": own}
    spec["cell"] = {"task": "t", "construction": "c"}
    constructions.main(spec, "code", tmp_path / "test.zarr.zip", tmp_path / "c.zarr.zip")
    scored, labels = store.read(tmp_path / "c.zarr.zip"), store.read(tmp_path / "test.zarr.zip").labels
    assert scored.class_error.values.tolist() == [0, 1]
    assert scored.test_error.item() == pytest.approx(float(labels.mean()))
    assert scored.n_parameters == 3
