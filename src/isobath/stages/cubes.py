"""The cube of a grid: gather what its cells have given."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import xarray as xr

from isobath.analysis.cubes import AXES, describe, gather, with_gaps
from isobath.analysis.fits import fitted_laws, thresholds
from isobath.disk import store
from isobath.disk.layout import CALCULATION, CONSTRUCTION, ENSEMBLES, KERNELS, NETWORKS, seed_blocks
from isobath.jobs import command_line
from isobath.jobs.command_line import Path
from isobath.randomness import stream
from isobath.results.contents import kernel_group
from isobath.study.grids import construction_cells, kernel_cells, network_cells
from isobath.study.schema import Block


class Part(NamedTuple):
    """What a file gives to a group of the cube: a cell, as values of the axes of the group."""

    group: str
    cell: dict[str, Any]
    path: Path

    def read(self) -> xr.Dataset:
        data = store.read(self.path).drop_vars("weights", errors="ignore")
        return data.sel({axis: list(values) for axis, values in self.cell.items() if axis in data.dims})


def parts(spec: dict[str, Any], folder: Path) -> Iterator[Part]:
    """All that a grid consists of, but for calculations."""
    blocks = [Block.model_validate(block) for block in spec["blocks"]]
    for cell, seeds in network_cells(blocks).items():
        at = cell._asdict()
        for first, last in seed_blocks(folder, at, seeds, seeds):
            path = folder / NETWORKS.format(**at, seeds=f"{first}-{last}")
            yield Part("networks", at | {"seed": range(first, min(last + 1, seeds))}, path)
        if cell.protocol in spec["ensembles"] and seeds > 1:
            yield Part("ensembles", at, folder / ENSEMBLES.format(**at, networks=seeds))
    for regression, depth in kernel_cells(blocks).items():
        at, group = regression._asdict(), kernel_group(spec["kernels"][regression.kernel])
        axes = {"depth": depth} if "depth" in AXES[group] else {}
        yield Part(group, at | axes, folder / KERNELS.format(**at))
    for construction in construction_cells(blocks):
        at = construction._asdict()
        yield Part("constructions", at, folder / CONSTRUCTION.format(**at))


def main(spec: dict[str, Any], code: str, folder: Path, output: Path, failed: list[Path] | None = None) -> None:
    """Write the groups of a grid, as it has them; ``folder`` is the study's.

    After a run that has ``failed`` to make some results, these and others that are not there are gaps.
    """

    def there(path: Path) -> bool:
        return not failed or (path not in failed and path.is_file())

    asked = list(parts(spec, folder))
    results = [part for part in asked if there(part.path)]
    numbers = {f"calculations/{n}": folder / CALCULATION.format(calculation=n) for n in spec["calculations"]}
    theory = {name: path for name, path in numbers.items() if there(path)}
    made_by = command_line.provenance(spec, code, *(part.path for part in results), *theory.values())
    attrs: dict[str, Any] = {**{key: spec[key] for key in ("title", "source", "grid", "n_test")}, **made_by}
    if failed:
        attrs["failed"] = len(failed)
    families = {family: spec[f"{family}s"] for family in ("task", "protocol", "kernel", "construction")}
    groups = {}
    for name in dict.fromkeys(part.group for part in results):
        group = gather((part.read() for part in results if part.group == name), AXES[name])
        if failed:
            group = with_gaps(group, [part.cell for part in asked if part.group == name])
        groups[name] = describe(group, families).assign_attrs(attrs)
    if "ensembles" in groups or (spec["laws"] and "networks" in groups):
        groups["jamming"] = thresholds(groups["networks"], generator=stream(0, "jamming", spec["grid"]))
    laws = {name: law for name, law in spec["laws"].items() if law["group"] in groups or not failed}
    groups |= fitted_laws(groups, laws, generators=partial(stream, 0, "laws", spec["grid"]))
    tree = xr.DataTree.from_dict(groups | {name: store.read(path) for name, path in theory.items()})
    tree.attrs = attrs
    store.write(tree, output)
    print(*(f"{name} {dict(group.sizes)}" for name, group in groups.items()), sep="\n")


if __name__ == "__main__":
    command_line.run(main)
