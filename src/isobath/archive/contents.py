"""Contents of the archives of a run: the members of the zips, by name."""

import glob
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import xarray as xr
import yaml

from isobath import plugins, results
from isobath.archive import crate, datapackage, dictionary, own, own_files_used, provenance, readme, tables, zips
from isobath.archive.zips import Content
from isobath.disk import store
from isobath.disk.faults import Fault
from isobath.paths import STORE
from isobath.study import layers, places
from isobath.study.run import Run
from isobath.study.schema import ConfigError
from isobath.workflow import plan

Members = dict[str, Content]
SOURCES = (  # patterns of the files of the workflow, from its folder; {study} stands for the studies of the run
    *("Snakefile", "pyproject.toml", "CITATION.cff", "LICENSE", "LICENSE-data"),
    *("envs/Containerfile", "envs/*.def", "envs/*.txt", "envs/*.yaml"),
    *("workflow/Snakefile", "workflow/rules/*.smk", "workflow/report/*.rst", "workflow/profiles/*/config.yaml"),
    *("workflow/studies/*.json", "workflow/studies/{study}/*.yaml"),
)
MODULES = (*(f"**/*.{suffix}" for suffix in ("py", "html", "css", "js", "txt")), "py.typed")  # from that of the package

LOGGER = "snakemake_logger_plugin_isobath"  # beside the package; the profiles name it


def main_members(run: Run, faults: Collection[Fault]) -> Members:
    """Return the outcomes of a run, and everything that is needed to understand, check, redraw and repeat them.

    ``faults`` are those of its results: missing and damaged files are left out. Raises OSError, CorruptedStore.
    """
    members: Members = _sources(run) | _results(run, faults, outcomes=True)
    entries: list[dictionary.Entry] = []
    resources: list[datapackage.Resource] = []
    for cube in cubes_among(members):
        csv, variables, described = _tabulated(store.read_cube(run.home / cube), cube)
        members |= csv
        entries += variables
        resources += described
    licence, title = datapackage.licence(places.workflow(run.source)), f"Results of isobath, scale {run.config.scale}"
    package = datapackage.package(f"isobath-{run.config.scale.lower()}", title, resources, licence=licence)
    members[datapackage.NAME] = package
    members["DICTIONARY.json"] = datapackage.written([entry._asdict() for entry in entries])
    members["DICTIONARY.md"] = dictionary.page(entries)
    members["PROVENANCE.json"] = datapackage.written(provenance.steps(run, _absent(faults)))
    members["config.yaml"] = _config(run, own.names(members))
    members["README.md"] = readme.page(run, faults, tables.ROWS, has_own=bool(own.names(members)))
    settings = {"scale": run.config.scale, "complete": not faults, "licence": licence}
    members["ro-crate-metadata.json"] = _crated(members, places.workflow(run.source) / "CITATION.cff", **settings)
    return _with_checksums(members, "SHA256SUMS")


def cubes_among(names: Iterable[str]) -> list[str]:
    """Return the names that are of cubes: a study can be called cubes as well."""
    return [name for name in names if name.endswith(STORE) and Path(name).parent.name == "cubes"]


def cell_members(run: Run, faults: Collection[Fault]) -> Members:
    """Return all other results: data sets, learning rates, networks, kernels, ensembles."""
    return _with_checksums(_results(run, faults, outcomes=False), "SHA256SUMS-cells")


def _crated(members: Members, citation: Path, **settings: Any) -> bytes:
    """Return the description of an archive by a citation file. Raises ConfigError where that lacks an entry."""
    try:
        return crate.metadata(members, yaml.safe_load(citation.read_bytes()), **settings)
    except yaml.YAMLError as error:
        raise ConfigError(f"{citation}: {' '.join(str(error).split())}") from None
    except (KeyError, TypeError) as error:
        raise ConfigError(f"{citation}: it lacks an entry that an archive needs: {error}") from None


def _absent(faults: Collection[Fault]) -> set[str]:
    return {fault.path for fault in faults if fault.kind in ("missing", "damaged")}


def _results(run: Run, faults: Collection[Fault], *, outcomes: bool) -> Members:
    jobs = [job for job in plan.jobs(run) if bool(results.option(job.rule, "OUTCOME")) == outcomes]
    return {p: run.home / p for job in jobs for p in job.outputs if p not in _absent(faults)}


def _sources(run: Run) -> Members:
    """Return the files of SOURCES; hidden ones and links out of the folder may be private."""
    workflow, studies = places.workflow(run.source), _studies(run)
    patterns = dict.fromkeys(pattern.format(study=glob.escape(study)) for pattern in SOURCES for study in studies)
    package = workflow / "src/isobath" if (workflow / "src/isobath").is_dir() else plugins.PACKAGE
    entries = [*_matching(workflow, patterns, ""), *_matching(package, MODULES, "src/isobath/")]
    entries += _matching(package.parent / LOGGER, MODULES, f"src/{LOGGER}/")
    entries += own.files(studies, own_files_used.files(run))
    return {name: path for name, path, home in entries if _is_plain(path, home)}


def _matching(home: Path, patterns: Iterable[str], below: str) -> Iterator[tuple[str, Path, Path]]:
    """Yield the name of each file in the archive, its path, and its folder, but for the workflow in a package."""
    for path in (path for pattern in patterns for path in home.glob(pattern) if path.is_file()):
        if path.relative_to(home).parts[0] != "home":
            yield f"{below}{path.relative_to(home).as_posix()}", path, home


def _studies(run: Run) -> list[str]:
    """Return the names of the studies of a run, and of those that they extend."""
    all_studies = places.studies(run.source)
    return list(
        dict.fromkeys(place.name for study in run.studies for place in layers.chain(all_studies[study], all_studies))
    )


def _is_plain(path: Path, home: Path) -> bool:
    """Tell whether no part of a path in ``home`` is hidden, and no link leads out of it."""
    hidden = any(part.startswith(".") for part in path.relative_to(home).parts)
    return not hidden and path.resolve().is_relative_to(home.resolve())


Tabulated = tuple[Members, list[dictionary.Entry], list[datapackage.Resource]]


def _tabulated(tree: xr.DataTree, cube: str) -> Tabulated:
    """Return the tables of a cube as members in csv/<study>/<grid>, their variables, and the description of each."""
    _, _, study, _, file = cube.split("/")
    grid = file.removesuffix(STORE)
    members: Members = {}
    described: list[datapackage.Resource] = []
    places: dict[tuple[str, str], str] = {}
    for node in tree.subtree:
        group = node.path.removeprefix("/")
        for table in tables.tables(node.to_dataset(inherit=False), group):
            if table.rows <= tables.ROWS:
                name = f"csv/{study}/{grid}/{table.name}.csv"
                rows = tables.frame(table)
                members[name] = csv = tables.csv(rows)
                title = f"{table.name} of the grid {grid} of the study {study}"
                fields = tables.fields(rows, table)
                described.append(datapackage.resource(name, csv, fields, key=table.dims, title=title))
                places |= {(group, str(column)): name for column in table.content.data_vars}
    return members, list(dictionary.entries(tree, cube, places)), described


def _config(run: Run, folders: list[str]) -> bytes:
    """Return config.yaml with the settings of this run, without the folder of its data files, which is private.

    The ``folders`` of the user's own are those of the archive.
    """
    settings = run.config.model_dump(mode="json", exclude={"data", "own"}, exclude_none=True)
    settings |= {"own": folders} if folders else {}
    return f"# The settings of this run.\n{yaml.safe_dump(settings, sort_keys=False)}".encode()


def _with_checksums(members: Members, name: str) -> Members:
    return members | {name: zips.checksums({member: zips.digest(content) for member, content in members.items()})}
