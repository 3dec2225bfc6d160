"""Gather the results of a grid in a cube, and fit the laws and thresholds that the study asks for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import xarray as xr

from isobath import results
from isobath.analysis.cubes import describe, gather, with_gaps
from isobath.analysis.fits import fitted_laws, thresholds
from isobath.binding import singular
from isobath.disk import store
from isobath.jobs import command_line
from isobath.jobs.provenance import provenance
from isobath.randomness import stream
from isobath.results import Member, cubes, networks
from isobath.study import grids
from isobath.study.seed_blocks import blocks_on_disk, named_blocks, of_cell

(NETWORKS,) = networks.GROUPS  # the group in which laws and thresholds find networks


def members(spec: Mapping[str, Any], folder: Path) -> list[Member]:
    """Return all results that belong into a cube; blocks of seeds are those that lie in the study's ``folder``."""
    blocks_in = cache(named_blocks)

    def blocks_of(cell: Any, seeds: int) -> Iterator[tuple[int, int]]:
        path = folder / networks.PATH.format(**cell._asdict(), seeds="")
        return blocks_on_disk(of_cell(blocks_in(path.parent), path), seeds)

    return [*cubes.all_members(grids.of_spec(spec), blocks_of)]


def read(member: Member, folder: Path) -> xr.Dataset:
    """Return the part of a result that the cell of a member selects, without what its kind keeps out of cubes."""
    data = store.read(folder / member.path).drop_vars(results.apart(), errors="ignore")
    return data.sel({axis: list(values) for axis, values in member.cell.items() if axis in data.dims})


def gathered(
    available: Sequence[Member], planned: Iterable[Member], spec: Mapping[str, Any], folder: Path, *, gaps: bool
) -> dict[str, xr.Dataset]:
    """Return the groups of a cube: cells along the axes of their kind; results without axes are groups as they are."""
    axes = results.axes()
    settings = {singular(entry): plugins for entry, plugins in spec.items() if isinstance(plugins, dict)}
    groups = {}
    for name in dict.fromkeys(member.group for member in available):
        data = (read(member, folder) for member in available if member.group == name)
        if name not in axes:
            groups[name] = next(data)
            continue
        group = gather(data, axes[name])
        if gaps:
            group = with_gaps(group, [member.cell for member in planned if member.group == name])
        groups[name] = describe(group, settings)
    return groups


def devices(results: Iterable[Path]) -> dict[str, str]:
    """Return the attribute that names the devices, cpu or cuda, which made the results; empty if none names one."""
    attributes = (store.attributes(path) for path in dict.fromkeys(results))
    found = sorted({str(of_one["device"]) for of_one in attributes if "device" in of_one})
    return {"device": ", ".join(found)} if found else {}


def main(spec: dict[str, Any], code: str, folder: Path, output: Path, failed: list[Path] | None = None) -> None:
    """Write the cube of a grid from the results in ``folder``, the study's.

    After a run in which jobs ``failed`` to make some results, these and others that are absent are gaps.
    """

    def is_present(member: Member) -> bool:
        path = folder / member.path
        return not failed or (path not in failed and path.is_file())

    planned = members(spec, folder)
    available = [member for member in planned if is_present(member)]
    inputs = [folder / member.path for member in available]
    made_by = {**devices(inputs), **provenance(spec, code, *inputs)}
    attrs = {**{key: spec[key] for key in ("title", "source", "study", "scale", "grid", "seed", "n_test")}, **made_by}
    if failed:
        attrs["failed"] = len(failed)
    groups = gathered(available, planned, spec, folder, gaps=bool(failed))
    cells = {name: group.assign_attrs(attrs) if "/" not in name else group for name, group in groups.items()}
    tree = xr.DataTree.from_dict(cells | fitted(cells, spec, strict=not failed))
    tree.attrs = attrs
    store.write(tree, output)
    print(*(f"{name} {dict(group.sizes)}" for name, group in groups.items()), sep="\n")


def fitted(groups: Mapping[str, xr.Dataset], spec: Mapping[str, Any], *, strict: bool) -> dict[str, xr.Dataset]:
    """Return the groups that are fitted to the others: the jamming threshold and the laws; ``strict``: all of them."""
    jamming = {}
    if NETWORKS in groups and (spec["laws"] or results.having("JAMMING").keys() & groups.keys()):
        jamming["jamming"] = thresholds(groups[NETWORKS], generator=stream(0, "jamming", spec["grid"]))
    laws = {name: law for name, law in spec["laws"].items() if law["group"] in groups or strict}
    return jamming | fitted_laws({**groups, **jamming}, laws, generators=partial(stream, 0, "laws", spec["grid"]))


if __name__ == "__main__":
    command_line.run(main)
