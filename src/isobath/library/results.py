"""Results of a run: its cubes by name, read when they are asked for, each after its checksum."""

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import xarray as xr

from isobath import store_metadata
from isobath.disk import store
from isobath.library import labels
from isobath.library.cubes import Cube, NoSuchResult, sizes
from isobath.paths import STORE, require_results
from isobath.plugins import nearest

CUBES = "cubes/*.zarr.zip"
MOST_ABOVE = 4  # folders below which cubes lie, of which some may be links: results, a scale, a study


class Results(Mapping[str, Any]):
    """Cubes below a folder by name, such as ``locality/samples``; a cube is opened and verified when it is read.

    ``results["locality"]`` are those of a study, ``results["locality/samples"]`` is a cube, and
    ``results["locality/samples/networks"]`` a group of it, an xarray.Dataset. A name that is not there raises
    NoSuchResult.
    """

    def __init__(self, folder: Path, paths: Mapping[str, Path], seed: Any) -> None:
        self.folder, self.seed, self._paths = folder, seed, dict(paths)
        self._opened: dict[str, Cube] = {}

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise NoSuchResult(f"there is no {name!r} in {self.folder}; names are words")
        below = {key.removeprefix(f"{name}/"): path for key, path in self._paths.items() if key.startswith(f"{name}/")}
        if below:
            return Results(self.folder, below, self.seed)
        cube = next((key for key in self._paths if f"{name}/".startswith(f"{key}/")), None)
        if cube is None:
            raise NoSuchResult(f"there is no {name!r} in {self.folder}; {nearest(name, self._paths)}")
        return self._cube(cube) if cube == name else self._cube(cube)[name.removeprefix(f"{cube}/")]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __repr__(self) -> str:
        grids: dict[str, list[str]] = {}
        for name in self:
            study, _, grid = name.rpartition("/")
            grids.setdefault(study, []).append(grid)
        lines = (f"  {study or self.folder}: {', '.join(names)}" for study, names in grids.items())
        return "\n".join([f"<isobath results of {self.folder}, seed {self.seed}: {len(self)} cubes>", *lines])

    def lines(self) -> Iterator[str]:
        """Yield a line for each cube: its groups, with the sizes of dims of several values, without reading arrays."""
        for name, path in self._paths.items():
            yield f"{name}: {'; '.join(_groups(path))}"

    def _cube(self, name: str) -> Cube:
        if name not in self._opened:
            path = self._paths[name]
            tree = store.open_cube(path)
            attrs = {str(key): value for key, value in tree.attrs.items()}
            groups = {node.path.removeprefix("/"): node.to_dataset() for node in tree.subtree if node.has_data}
            explained = {group: labels.explained(groups[group]) for group in sorted(groups)}
            for law, settings in json.loads(attrs.get("spec", "{}")).get("laws", {}).items():
                measured = explained.get(settings["group"], xr.Dataset())
                if (group := f"laws/{law}") in explained:
                    explained[group] = _with_form(explained[group], settings, measured)
            self._opened[name] = Cube(name, explained, attrs)
        return self._opened[name]


def open_results(folder: str | Path, only: str | Sequence[str] = "*") -> Results:
    """Open the cubes below a results folder whose names match ``only``, a pattern or several, such as "locality/*".

    The attributes of all cubes are read at once, the numbers of one when they are used, after its checksum. Raises
    FileNotFoundError if there is no cube, ValueError if none matches or if cubes of the folder, also others, were made
    from different seeds, CorruptedStore if one is damaged or not the one of its name.
    """
    if not isinstance(folder, str | Path) or "\0" in str(folder):
        raise ValueError(f"folder is {folder!r}; it must be the path of a folder of results")
    _require_no_archive(folder := Path(folder))
    require_results(folder)
    patterns = [only] if isinstance(only, str) else only
    if not isinstance(patterns, list | tuple) or not all(isinstance(pattern, str) for pattern in patterns):
        raise ValueError(f"only is {only!r}; it must be a pattern of names such as 'locality/*', or a list of them")
    paths = {_name(path, folder): path for path in _cubes(folder)}
    if not paths:
        raise FileNotFoundError(f"{folder}: no {CUBES} below it. Has the workflow been run?")
    chosen = {name: path for name, path in paths.items() if any(fnmatchcase(name, pattern) for pattern in patterns)}
    if not chosen:
        raise ValueError(f"only is {only!r}, which no cube matches; {folder} has {', '.join(paths)}")
    seeds = {_seed(path) for path in chosen.values()}
    for path in set(paths.values()) - set(chosen.values()):
        with contextlib.suppress(store.CorruptedStore):  # what is not asked for may be damaged
            seeds.add(_seed(path))
    if len(distinct := sorted(seeds)) > 1:
        raise ValueError(
            f"{folder}: its cubes were made from the seeds {', '.join(distinct)}; those of a run share one"
        )
    return Results(folder, chosen, distinct[0])


def contents(folder: str | Path, only: str | Sequence[str] = "*") -> str:
    """Return a line for each cube below a results folder: its groups, with the sizes of dims of several values.

    Arrays are not read. Raises as ``open_results`` does.
    """
    return _Shown("\n".join(open_results(folder, only).lines()))


class _Shown(str):
    """A text that a prompt shows as it is printed."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _cubes(folder: Path) -> list[Path]:
    """Return the paths of all cubes below a folder, each once, in order.

    A scale or a study that is a link is entered if it leads to one of its name, and out of the folder.
    """
    found = {path.resolve(): path for path in sorted(folder.rglob(CUBES))}
    for path in (path for depth in range(1, MOST_ABOVE) for path in sorted(folder.glob("*/" * depth + CUBES))):
        if all(above.name == above.resolve().name for above in [*path.parents][:MOST_ABOVE] if above.is_symlink()):
            found.setdefault(path.resolve(), path)
    return sorted(found.values())


def _require_no_archive(folder: Path) -> None:
    """Refuse a zip, such as an archive of a run, in which no cube is a file of its own. Raises ValueError."""
    if folder.suffix == ".zip" and folder.is_file():
        raise ValueError(
            f"{folder} is a zip, and no folder of results; it seems to be an archive: unpack it "
            f"(python -m zipfile -e {folder.name} archive), and open the folder results/<scale> in it"
        )


def _with_form(fit: xr.Dataset, law: Mapping[str, Any], measured: xr.Dataset) -> xr.Dataset:
    """Give the fit of a law its form, and the long names of the variables ``measured``, as ``fit_law`` does."""
    names = {"x": law["axis"], "y": law["variable"]}
    texts = {side: measured[name].attrs.get("long_name", name) for side, name in names.items() if name in measured}
    return fit.assign_attrs({**names, **texts, "form": json.dumps(law["form"])})


def _name(path: Path, folder: Path) -> str:
    return "/".join((*path.relative_to(folder).parts[:-2], path.name.removesuffix(STORE)))


def _seed(path: Path) -> str:
    """Return the seed of a cube from its attributes. Raises CorruptedStore where they give another name."""
    attrs = store.attributes(path)
    store.require_place(path, attrs)
    return str(attrs.get("seed"))


def _groups(path: Path) -> Iterator[str]:
    """Yield the groups of a cube with their sizes, of laws only their number, from metadata alone."""
    groups: dict[str, dict[str, int]] = {}
    nodes = store_metadata.metadata(path).items()
    arrays = [(place, node) for place, node in nodes if node.get("dimension_names") is not None]
    for place, node in sorted(arrays, key=lambda array: -len(array[1]["shape"])):  # most have the axes in their order
        lengths = dict(zip(node["dimension_names"], node["shape"], strict=True))
        group = groups.setdefault(place.rpartition("/")[0], {})
        group.update({dim: n for dim, n in lengths.items() if dim not in group})
    laws = [group for group in groups if group.startswith("laws/")]
    yield from (f"{group} ({sizes(group_dims)})" for group, group_dims in sorted(groups.items()) if group not in laws)
    if laws:
        yield f"laws ({len(laws)})"
