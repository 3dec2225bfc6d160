"""Verdicts on claims that may be faulty: one that fails is named."""

from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.verdicts import Claim, judge
from isobath.claim_files import ClaimError


def judged(claim: Claim, tree: xr.DataTree, name: str = "") -> dict[str, Any]:
    """Return the verdict on a claim, as ``judge``. Raises ClaimError, which names the claim, where that fails.

    A claim reads a copy of the tree, whose arrays are read-only from here on: one that wrote into it would change the
    verdicts of others.
    """
    name = name or claim.name
    _protect(tree)
    try:
        return judge(claim, tree.copy(), name)
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}: {error}"
        raise ClaimError(str(error) if f"the claim {name}" in said else f"the claim {name} fails: {said}") from error


def _protect(tree: xr.DataTree) -> None:
    """Make the arrays of a tree read-only."""
    for node in tree.subtree:
        for variable in node.variables.values():
            if isinstance(variable.values, np.ndarray):
                variable.values.flags.writeable = False
