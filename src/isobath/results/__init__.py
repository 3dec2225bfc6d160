"""Kinds of result: a file here is a kind, and says all that the workflow has to know of it.

The name of the file is the name of its rule. ``plan`` walks the kinds; status, verify, estimate, the cubes, the page
and the archive read the same declarations. To add a kind takes a file here, a stage and a rule, and nothing else. A
kind for some studies only yields the cells of a plug-in of yours, those where
``grid.protocols[member.cell["protocol"]]["kind"] == "mine"``.

A kind has
- ``PATH``: the template of its result, below results/{scale}/{study} (with ``SCOPE = "run"`` from the run's folder);
- ``spec(run, names)``: plain data, exactly what matters to the result; ``names`` are the values of the template's
  wildcards, except scale and study;
- ``inputs(run, names)``: what the job reads: name of the input -> path or paths;

and one of
- ``members(grid, blocks_of)``: the results that the cube of a grid holds (Member). ``grid`` has the blocks and the
  settings of all that they name (``study.grids.Grid``), and ``blocks_of(cell, seeds)`` says in which files the networks
  of a cell lie. The jobs of a study are the members of all its grids;
- ``names(run)``: the wildcards of every job of a study, for a kind that no cube holds;
- ``needed(run, cells)``: the same for data sets, which the cells of all cubes need: each is axis -> value;

and, where they apply,
- ``BLOCK``: keys that a block of a grid can have for this kind: name -> (type as it would be written in a signature,
  default, meaning), literals alone;
- ``STAGE``: the module of ``stages`` that makes it (the name of the kind);
- ``SCOPE``: "study" (the default) or "run": one result for all studies, whose functions take a Run;
- ``ALSO``: templates of further outputs of the same job;
- ``VARIABLES``: the variables of its store, ``ENTRIES``: the keys of its record (JSON);
- ``DIMENSIONS``: the meaning of dims that no other kind has; ``LONG_DIMS``: those of them that are too long for a
  table of the page, such as samples, or pixels of a plane; ``REPEATED``: those over which tables average; ``ALONG``:
  dims besides its axes along which the points of a law can lie;
- ``APART``: variables of its store that cubes leave out, since they are large; ``JAMMING``: whether a cube
  with such results also gets the jamming threshold N* of its networks;
- ``lengths(spec)``: the lengths of dims that the spec fixes;
- ``oddities(spec, arrays)``: one sentence per difference between a store and what was asked, beyond VARIABLES;
- ``GROUPS``: the groups of a cube that its members go into, each with the axes of its cells (without axes a result is
  a group as it is); with axes, ``PRESENT``: a variable that every one of them has. A variable ``status`` has the words
  of ``isobath.statuses``, by which networks count; variables that end in ``_pseudo`` are pseudo-values, which no table
  of the page has;
- ``blocks_of(run, cell, seeds)``: of the kind that trains networks: the blocks (first, last) of seeds of a cell;
- ``check(study, where, name)``: raises ConfigError for a study that contradicts itself;
- ``cost(run, names)``: what the job takes (sizes.Counted): work in operations, activations and launches, and bytes;
  ``START``: the time that a job takes to start, over that of a usual one; ``OVERHEAD``: CPU seconds of its stage
  besides what it counts (or of all, if it counts nothing), with ``EACH`` for every file that it reads: measured in a
  demo;
- ``RESUMES``: whether a job that stops at its time limit continues in the next attempt;
- ``memory(run, names)``: the MB that the job asks for;
- ``grid(run, names)``: the grid that the result belongs to, where it shows one;
- ``OUTCOME``: whether it is what a run is made for, and belongs into the archive;
- ``GATHERS``: whether it takes as much memory and disk as its inputs;
- ``ABSENT``: the message for a law whose grid has no group of the kind's name. Only kinds that have this message can
  carry laws; the intervals of a law resample the networks of these groups;
- ``values(study, grid)``: dim -> the values that the cube of a grid has, for DIMENSIONS whose values the study fixes; a
  law that selects another is refused;
- ``lacking(study, grid, variable)``: why no result of the grid has a variable, "" where one has it; a law of a variable
  that no result has is refused;
- ``arguments(job, lacking)``: the arguments of its stage, for results that can be made while inputs are lacking;
  ``WITHOUT``: whether such a result is made whatever is lacking.
"""

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from string import Formatter
from typing import TYPE_CHECKING, Any, NamedTuple

from isobath import plugins, roots
from isobath.syntax import plugin_errors

if TYPE_CHECKING:  # whoever draws a figure from an archive has no library that reads studies
    from isobath.study.grids import Grid
    from isobath.study.run import StudyRun

Wildcards = Mapping[str, Any]
Inputs = Mapping[str, str | list[str]]
SeedBlocks = Callable[[Any, int], Iterable[tuple[int, int]]]  # a cell and its number of networks -> first, last seed

PART, WITHOUT_PART = "test_part", "_without"  # of a number without each part of the test samples: dim, end of its name
PARTS = 20  # the standard error of a jackknife over these is known to a sixth

CELL = ("task", "protocol", "depth", "width", "n_train", "draw")  # axes of the networks that differ in their seed

# The dims that cells of several kinds share; a kind says what its own are.
DIMENSIONS = {
    "task": "data set, as the study names it",
    "depth": "L, number of hidden layers",
    "width": "H, units of a hidden layer",
    "n_train": "N, size of the training set",
    "draw": "index of the training set among those of its task and size",
    "seed": "index of the network among those of its cell",
    "learning_rate": "learning rate",
    "test_sample": "index of the sample in the test set",
    PART: "index of the part of the test samples that is left out",
}
LONG_DIMS = ("test_sample", PART)  # of those above
REPEATED = ("draw", "seed")  # likewise

TRUTHS = ("test_labels", "test_targets")  # of the samples of a test set, the same for all networks of a data set
CLASSES, REAL = "misclassified fraction", "mean squared error"  # the errors that a loss reports
DEVIATION = "test_error_sd"  # variable of results with real targets
DEVIATIONS = "standard deviation over the test samples of the squared error, of real targets"


class Variable(NamedTuple):
    """A variable of a store: its meaning, the dims that it has at least, its units. Some results lack optional ones."""

    long_name: str
    dims: tuple[str, ...] = ()
    units: str = "1"
    optional: bool = False

    @property
    def attrs(self) -> dict[str, str]:
        """Return the attributes that the variable is stored with."""
        return {"long_name": self.long_name, "units": self.units}

    def attrs_of(self, *, real: bool) -> dict[str, str]:
        """Return the attributes, with ``real`` those of an error of real targets in place of classes."""
        return self.attrs | ({"long_name": self.long_name.replace(CLASSES, REAL)} if real else {})


def labelled(declared: Mapping[str, Variable], columns: Mapping[str, Any], *, real: bool = False) -> dict[str, Any]:
    """Return columns with the dims and the attributes that ``VARIABLES`` of a kind declares, as xarray takes them.

    With ``real`` errors are those of real targets.
    """
    return {name: (declared[name].dims, values, declared[name].attrs_of(real=real)) for name, values in columns.items()}


def without_parts(declared: Mapping[str, Variable]) -> dict[str, Variable]:
    """Return the variables that have numbers without each part of the test samples, for those of all samples."""
    return {
        name + WITHOUT_PART: variable._replace(
            long_name=f"{variable.long_name}, without a part of the test samples", dims=(PART, *variable.dims)
        )
        for name, variable in declared.items()
    }


class Member(NamedTuple):
    """A result in a group of a cube: its cell, axis -> value, and its template with the values of the wildcards.

    A result that holds several cells, such as a block of networks, has several values at their axis: a range of seeds.
    """

    group: str
    cell: dict[str, Any]
    template: str
    names: dict[str, Any]

    @property
    def path(self) -> str:
        """Return the path of the result below the study."""
        return self.template.format(**self.names)


ASKED_BY = ("members", "names", "needed")  # a kind has one of these: what asks for its results
Members = Callable[["Grid", SeedBlocks], Iterator[Member]]


@roots.cached
def kinds() -> dict[str, Any]:
    """Import all kinds: name -> module. Raises PluginError for one of the user's own that can't be imported."""
    return {name: _imported(name) for name in plugins.kinds("result")}


def _imported(kind: str) -> Any:
    """Import a kind. Raises PluginError where it lacks what every kind has."""
    file = plugins.path("result", kind)
    with plugin_errors(f"{file}: it can't be imported"):
        module = importlib.import_module(f"{__name__}.{kind}")
    lacking = [name for name in ("PATH", "spec", "inputs") if not hasattr(module, name)]
    if not any(hasattr(module, name) for name in ASKED_BY):
        lacking.append(" or ".join(ASKED_BY))
    if lacking:
        raise plugins.PluginError(f"{file}: it lacks {', '.join(lacking)}; a kind of result has them")
    return module


def option(kind: str, name: str, default: Any = None) -> Any:
    """Return an optional attribute of a kind, or the default."""
    return getattr(kinds()[kind], name, default)


def having(name: str) -> dict[str, Any]:
    """Return the kinds that have an optional attribute: name of the kind -> the attribute."""
    return {kind: getattr(module, name) for kind, module in kinds().items() if hasattr(module, name)}


def wildcards(kind: str) -> list[str]:
    """Return the names of the wildcards in the path of a kind."""
    return [name for _, name, _, _ in Formatter().parse(kinds()[kind].PATH) if name]


def stage(kind: str) -> str:
    """Return the name of the stage that makes a kind of result."""
    return str(option(kind, "STAGE", kind))


def dimensions() -> dict[str, str]:
    """Return the meaning of every dim."""
    return DIMENSIONS | {dim: meaning for table in having("DIMENSIONS").values() for dim, meaning in table.items()}


def repeated_dims() -> tuple[str, ...]:
    """Return the dims over which tables average: data sets, networks, and those that kinds add."""
    return (*REPEATED, *(dim for dims in having("REPEATED").values() for dim in dims))


def long_dims() -> set[str]:
    """Return the dims that are too long for a table of the page."""
    return {*LONG_DIMS, *(dim for dims in having("LONG_DIMS").values() for dim in dims)}


def apart() -> list[str]:
    """Return the variables of stores that cubes leave out."""
    return [name for names in having("APART").values() for name in names]


def axes() -> dict[str, list[str]]:
    """Return the axes of the cells of each group of a cube that is gathered from results."""
    return {group: list(names) for groups in having("GROUPS").values() for group, names in groups.items() if names}


def outputs(kind: str, run: Any) -> Iterator[str]:
    """Yield the paths of all results of a kind in a study."""
    for wildcards in names(kind, run):
        yield from (run.path(template, **wildcards) for template in (kinds()[kind].PATH, *option(kind, "ALSO", ())))


def names(kind: str, run: Any) -> Iterable[dict[str, Any]]:
    """Return the wildcards of every job of a kind: those of its members, each once, unless the kind names its own."""
    if own_names := option(kind, "names"):
        return own_names(run)  # type: ignore[no-any-return]
    if needed := option(kind, "needed"):
        cells = [member.cell for gathered in having("members") for member in members(gathered, run)]
        return needed(run, cells)  # type: ignore[no-any-return]
    return {member.path: member.names for member in members(kind, run)}.values()


@lru_cache(maxsize=256)
def members(kind: str, run: "StudyRun") -> Sequence[Member]:
    """Return the members of a kind in all grids of a study; some stand in several."""
    in_grid: Members = option(kind, "members")
    return [member for grid in run.grids.values() for member in in_grid(grid, blocks_of(run))]


def blocks_of(run: "StudyRun") -> SeedBlocks:
    """Return the function that says in which blocks of seeds the networks of a cell of a run are trained."""
    (of_networks,) = having("blocks_of").values()
    return partial(of_networks, run)


def every_seed(cell: Any, seeds: int) -> Iterator[tuple[int, int]]:
    """Yield one block with all seeds of a cell, where its files do not matter."""
    yield 0, seeds - 1
