"""Claims about convolutional networks, judged on cubes in which threshold and errors are planted."""

import json

import planted_widths
import pytest
import xarray as xr

from isobath import claim_files
from isobath.analysis.verdicts import judge

WIDTHS = [8, 16, 24, 32, 40, 48, 64, 96, 128]
SOURCE = {
    "tasks": {"digits": {"kind": "cifar10"}},
    "blocks": [
        {"width": WIDTHS[:-1], "depth": [3], "n_train": [50000], "seeds": 20},
        {"width": WIDTHS[-1:], "depth": [3], "n_train": [50000], "seeds": 5},
    ],
}
OTHER = {**SOURCE, "blocks": [{**SOURCE["blocks"][0], "n_train": [5000]}, SOURCE["blocks"][1]]}


def judged(monkeypatch, spec, *, channels=26, fluctuation=1.28, shift=0.64, widths=WIDTHS):
    """Judge networks that fit from ``channels`` on; (0.64^2 + 1.28^2)^0.5 makes the printed error of one network."""
    n_star = planted_widths.weights_of(channels)
    monkeypatch.setattr(planted_widths, "WIDTHS", widths)
    monkeypatch.setattr(planted_widths, "T", 2000)
    monkeypatch.setattr(planted_widths, "N_STAR", n_star)
    groups = planted_widths.cube(
        fluctuation=lambda n: fluctuation, shift=lambda n: shift, fits=lambda n: n > n_star, growth=0.0
    )
    tree = xr.DataTree.from_dict({f"channels/{name}": group for name, group in groups.items()})
    tree["channels"].attrs["spec"] = json.dumps(spec)
    return judge(claim_files.load_claim("width", "convolutional_networks_are_as_published"), tree)


def test_the_printed_numbers_are_found_at_the_sources_sizes(monkeypatch):
    found = judged(monkeypatch, SOURCE)
    assert found["verdict"] == "reproduced", found["parts"]
    assert [part["published"]["value"] for part in found["parts"]] == [26.0, 0.305, 0.194] + 2 * [0.305, 0.194]
    assert {(part["counted"], part["trained"]) for part in found["parts"][1:]} == {(20, 20)}


@pytest.mark.parametrize(
    ("planted", "part"),
    [({"channels": 50}, 0), ({"fluctuation": 0.2, "shift": 0.5}, 1), ({"shift": 0.0, "fluctuation": 1.43}, 2)],
)
def test_other_numbers_are_refuted(monkeypatch, planted, part):
    found = judged(monkeypatch, SOURCE, **planted)
    assert found["verdict"] == "not reproduced"
    assert found["parts"][part]["verdict"] == "not reproduced", found["parts"]


def test_at_other_sizes_numbers_are_shown_and_not_judged(monkeypatch):
    found = judged(monkeypatch, OTHER, channels=50)
    assert found["verdict"] == "not run"
    assert all(part["estimate"] is not None and part["published"] for part in found["parts"])
    assert {part["reason"] for part in found["parts"]} == {"other sizes than the paper's were run"}


def test_channels_that_a_scale_leaves_out_were_not_run(monkeypatch):
    found = judged(monkeypatch, OTHER, widths=[8, 16, 24, 32, 64, 96, 128])
    by_label = {part["label"]: part for part in found["parts"]}
    assert found["verdict"] == "not run"
    for whose in ("single networks", "the ensemble"):
        assert by_label[f"error of {whose}, 48 channels"]["estimate"] is None
        assert by_label[f"error of {whose}, 64 channels"]["estimate"] is not None
