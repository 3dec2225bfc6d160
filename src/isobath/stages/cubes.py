"""The cube of a grid: gather what its cells have given."""

from functools import partial
from typing import Any

import xarray as xr

from isobath import cli, store
from isobath.analyses import fitted_laws, thresholds
from isobath.cli import Path
from isobath.cubes import AXES, describe, gather
from isobath.grids import construction_cells, kernel_cells, network_cells
from isobath.layout import CALCULATION, CONSTRUCTION, ENSEMBLES, KERNELS, NETWORKS, seed_blocks
from isobath.randomness import stream
from isobath.schema import Block


def main(spec: dict[str, Any], code: str, folder: Path, output: Path) -> None:
    """Write the groups of a grid, as it has them; ``folder`` is the study's."""
    blocks = [Block.model_validate(block) for block in spec["blocks"]]
    results: dict[str, list[xr.Dataset]] = {"networks": [], "kernels": [], "ensembles": [], "constructions": []}
    paths = []

    def read(template: str, **names: Any) -> xr.Dataset:
        paths.append(folder / template.format(**names))
        return store.read(paths[-1])

    for cell, seeds in network_cells(blocks).items():
        for first, last in seed_blocks(folder, cell._asdict(), seeds, seeds):
            part = read(NETWORKS, **cell._asdict(), seeds=f"{first}-{last}")
            part = part.drop_vars("weights", errors="ignore")
            results["networks"].append(part.sel(seed=slice(first, min(last, seeds - 1))))
        if cell.protocol in spec["ensembles"] and seeds > 1:
            results["ensembles"].append(read(ENSEMBLES, **cell._asdict(), networks=seeds))
    for regression, depth in kernel_cells(blocks).items():
        results["kernels"].append(read(KERNELS, **regression._asdict()).sel(depth=list(depth)))
    for construction in construction_cells(blocks):
        results["constructions"].append(read(CONSTRUCTION, **construction._asdict()))
    theory = {f"calculations/{n}": read(CALCULATION, calculation=n) for n in spec["calculations"]}
    families = {family: spec[f"{family}s"] for family in ("task", "protocol", "kernel", "construction")}
    attrs = {**{key: spec[key] for key in ("title", "source", "grid", "n_test")}, **cli.provenance(spec, code, *paths)}
    groups = {
        name: describe(gather(parts, AXES[name]), families).assign_attrs(attrs)
        for name, parts in results.items()
        if parts
    }
    if "ensembles" in groups or (spec["laws"] and "networks" in groups):
        groups["jamming"] = thresholds(groups["networks"], generator=stream(0, "jamming", spec["grid"]))
    groups |= fitted_laws(groups, spec["laws"], generators=partial(stream, 0, "laws", spec["grid"]))
    tree = xr.DataTree.from_dict(groups | theory)
    tree.attrs = attrs
    store.write(tree, output)
    for name, group in groups.items():
        print(name, dict(group.sizes))


if __name__ == "__main__":
    cli.run(main)
