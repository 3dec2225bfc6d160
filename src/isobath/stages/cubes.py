"""The cube of a grid: gather what its cells have given."""

from functools import partial
from typing import Any

import xarray as xr

from isobath import cli, store
from isobath.analyses import fitted_laws, thresholds
from isobath.cli import Path
from isobath.cubes import AXES, describe, gather, with_gaps
from isobath.grids import construction_cells, kernel_cells, network_cells
from isobath.layout import CALCULATION, CONSTRUCTION, ENSEMBLES, KERNELS, NETWORKS, seed_blocks
from isobath.randomness import stream
from isobath.schema import Block


def main(spec: dict[str, Any], code: str, folder: Path, output: Path, failed: list[Path] | None = None) -> None:
    """Write the groups of a grid, as it has them; ``folder`` is the study's.

    After a run that has ``failed`` to make some results, these and others that are not there are gaps.
    """
    blocks = [Block.model_validate(block) for block in spec["blocks"]]
    results: dict[str, list[xr.Dataset]] = {"networks": [], "kernels": [], "ensembles": [], "constructions": []}
    cells: dict[str, list[dict[str, Any]]] = {group: [] for group in results}
    paths = []

    def read(template: str, **names: Any) -> list[xr.Dataset]:
        path = folder / template.format(**names)
        if failed and (path in failed or not path.is_file()):
            return []
        paths.append(path)
        return [store.read(path)]

    for cell, seeds in network_cells(blocks).items():
        cells["networks"].append({**cell._asdict(), "seed": range(seeds)})
        for first, last in seed_blocks(folder, cell._asdict(), seeds, seeds):
            for part in read(NETWORKS, **cell._asdict(), seeds=f"{first}-{last}"):
                light = part.drop_vars("weights", errors="ignore")
                results["networks"].append(light.sel(seed=slice(first, min(last, seeds - 1))))
        if cell.protocol in spec["ensembles"] and seeds > 1:
            cells["ensembles"].append(cell._asdict())
            results["ensembles"] += read(ENSEMBLES, **cell._asdict(), networks=seeds)
    for regression, depth in kernel_cells(blocks).items():
        cells["kernels"].append({**regression._asdict(), "depth": depth})
        results["kernels"] += [part.sel(depth=list(depth)) for part in read(KERNELS, **regression._asdict())]
    for construction in construction_cells(blocks):
        cells["constructions"].append(construction._asdict())
        results["constructions"] += read(CONSTRUCTION, **construction._asdict())
    theory = {f"calculations/{n}": part for n in spec["calculations"] for part in read(CALCULATION, calculation=n)}
    families = {family: spec[f"{family}s"] for family in ("task", "protocol", "kernel", "construction")}
    attrs = {**{key: spec[key] for key in ("title", "source", "grid", "n_test")}, **cli.provenance(spec, code, *paths)}
    gathered = {name: gather(parts, AXES[name]) for name, parts in results.items() if parts}
    if failed:
        gathered = {name: with_gaps(group, cells[name]) for name, group in gathered.items()}
        attrs["failed"] = len(failed)
    groups = {name: describe(group, families).assign_attrs(attrs) for name, group in gathered.items()}
    if "ensembles" in groups or (spec["laws"] and "networks" in groups):
        groups["jamming"] = thresholds(groups["networks"], generator=stream(0, "jamming", spec["grid"]))
    laws = {name: law for name, law in spec["laws"].items() if law["group"] in groups or not failed}
    groups |= fitted_laws(groups, laws, generators=partial(stream, 0, "laws", spec["grid"]))
    tree = xr.DataTree.from_dict(groups | theory)
    tree.attrs = attrs
    store.write(tree, output)
    for name, group in groups.items():
        print(name, dict(group.sizes))


if __name__ == "__main__":
    cli.run(main)
