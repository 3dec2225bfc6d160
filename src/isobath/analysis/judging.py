"""Verdicts on claims that may be faulty: one that fails is named."""

from typing import Any

import xarray as xr

from isobath.analysis.verdicts import Claim, judge
from isobath.claim_files import ClaimError


def judged(claim: Claim, tree: xr.DataTree, name: str = "") -> dict[str, Any]:
    """Return the verdict on a claim, as ``judge``. Raises ClaimError, which names the claim, where that fails."""
    name = name or claim.name
    try:
        return judge(claim, tree, name)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise ClaimError(str(error) if f"the claim {name}" in said else f"the claim {name} fails: {said}") from error
