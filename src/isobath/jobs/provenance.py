"""Provenance of a result: the attributes that name its settings, code and inputs."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isobath.disk import processors, store
from isobath.store_metadata import spec_text

PACKAGES = ("numpy", "torch", "xarray", "zarr")


def provenance(spec: dict[str, Any], code: str, *inputs: Path) -> dict[str, str]:
    """Return the attributes spec, code, inputs (one digest of their content), versions and processor of a result.

    They do not change from run to run on one kind of processor, and name no time, host or path.
    """
    versions = {name: version(name) for name in PACKAGES}
    attributes = {
        "spec": spec_text(spec),
        "code": code,
        "inputs": store.inputs(inputs),
        "versions": json.dumps(versions),
    }
    return {**attributes, **processors.attributes()}
