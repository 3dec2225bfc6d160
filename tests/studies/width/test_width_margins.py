"""The claim that N* does not depend on the margin, judged on cubes in which N* is planted."""

import numpy as np
import pytest
import xarray as xr

from isobath import claim_files
from isobath.analysis.verdicts import judge

WIDTHS, N_STAR = [4, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 40, 64], 300.0
DIMS = ["task", "protocol", "depth", "width", "n_train", "draw", "seed"]


def margins(shift, spread=0.15):
    """Make networks of six data sets and three margins; N* of the margin 4 is ``shift`` times that of the others.

    The logarithm of the N from which on one fits has this ``spread``.
    """
    rng, sizes = np.random.default_rng(4), np.array([10.0 * width + 4 * width**2 for width in WIDTHS])
    status = np.empty((1, 3, 1, len(WIDTHS), 1, 6, 3), dtype=object)
    for protocol, factor in enumerate((1.0, 1.0, shift)):
        thresholds_of = N_STAR * factor * np.exp(spread * rng.standard_normal((6, 3)))
        fits = sizes[:, None, None, None] > thresholds_of
        status[0, protocol, 0] = np.where(fits, "fitted", "unfitted")
    networks = xr.Dataset(
        {"status": (DIMS, status), "n_weights": ("width", sizes)},
        coords={
            "task": ["digits"], "protocol": ["one", "quarter", "four"], "depth": [3], "width": WIDTHS,
            "n_train": [100], "draw": np.arange(6), "seed": np.arange(3),
            "protocol_loss_margin": ("protocol", [1.0, 0.25, 4.0]),
        },
    )  # fmt: skip
    return xr.DataTree.from_dict({"margins/networks": networks})


@pytest.mark.parametrize(("shift", "expected"), [(1.0, "reproduced"), (3.0, "not reproduced")])
def test_a_margin_that_moves_n_star_is_found(shift, expected):
    found = judge(claim_files.load_claim("width", "threshold_ignores_the_margin"), margins(shift))
    assert [part["verdict"] for part in found["parts"]] == ["reproduced", expected]


def test_where_all_networks_jump_between_the_same_sizes_the_ratio_is_known_to_their_distance_alone():
    """All resamples of data sets are alike there, and said that the ratio is known exactly."""
    found = judge(claim_files.load_claim("width", "threshold_ignores_the_margin"), margins(1.0, spread=0.0))
    below, above = (10.0 * width + 4 * width**2 for width in (7, 8))
    assert below < N_STAR < above
    for part in found["parts"]:
        assert part["estimate"] == pytest.approx(0, abs=1e-9)
        assert part["high"] == pytest.approx(np.sqrt(2) * np.log(above / below) / 2, rel=1e-6)
    assert "data set" not in found["headline"]  # there are several
