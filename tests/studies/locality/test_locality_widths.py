"""Claims of the locality study on the width of deep networks: widths that are too near each other decide nothing."""

import json

import pytest
import xarray as xr
from locality_cubes import block

from isobath import claim_files
from isobath.analysis.cubes import describe, gather
from isobath.analysis.verdicts import judge
from isobath.results import networks

TASKS = {"2-global": {"kind": "k_global", "k": 2, "dimension": 9}}


@pytest.mark.parametrize(
    ("wide", "error", "verdict"),
    [(40, 0.2, "reproduced"), (40, 0.27, "not reproduced"), (20, 0.2, "inconclusive"), (20, 0.27, "inconclusive")],
)
def test_a_fall_with_the_width_is_judged_where_widths_differ_by_a_factor_of_four(wide, error, verdict):
    errors = {10: 0.3, wide: error}
    parts = [
        block(range(5), [value + 0.001 * i for i in range(5)], task="2-global", depth=7, width=width)
        for width, value in errors.items()
    ]
    table = describe(gather(parts, [*networks.GROUPS["networks"]]), {"task": TASKS})
    cubes = xr.DataTree.from_dict({"samples/networks": table})
    cubes["samples"].attrs |= {"n_test": 10_000, "spec": json.dumps({"tasks": TASKS})}
    judged = judge(claim_files.load_claim("locality", "width_helps_deep_for_global"), cubes)
    (part,) = [part for part in judged["parts"] if part["verdict"] != "not run"]
    assert part["verdict"] == verdict
    assert part["estimate"] == pytest.approx(0.3 - error)
