"""Figures: drawings of the cube of one grid.

A figure is a file ``figures/<kind>.py`` with a function

    draw(cube, *, <settings>) -> matplotlib.figure.Figure

The cube is an xarray.DataTree with the groups of its grid (networks, kernels, ensembles, jamming, laws/<name>,
kernels_without_depth, calculations/<name>, ...); groups and dims that the grid does not have are absent. `isobath
kinds result networks` says which variables that group has. ``draw`` reads the cube and nothing else, leaves it
unchanged, and draws no random numbers but from named streams: equal cubes give equal files.

A setting of the type ``TaskName``, ``ProtocolName``, ``KernelName``, ``ConstructionName``, ``LawName`` or
``CalculationName`` (settings.py), alone, in a tuple or optional, names an entry of that table of the study, and is
checked before anything runs. The other settings select cells (``depth``, ``width``, ``n_train``) or hold published
numbers.

Optional: ``check(*, <settings>)``, which refuses settings that contradict each other (ValueError);
``NEEDS = {setting: {other setting: value}}``, which refuses a setting that does nothing unless the other has that value
and is read, not imported; ``READS = ("recorded_test_norm",)``, variables of networks without which there is nothing to
draw, and settings of tasks and protocols, such as ``task_folds``: a grid of which no network records such a variable,
or no task or protocol has such a setting, is refused before anything runs; ``SWEPT = True`` of a figure along learning
rates, or False of one that draws networks at a single rate: another grid is refused. In the same way are refused:
``ONE_WIDTH = True``, a task of several widths (at the depths ``shallow`` and ``deep``, where these are settings);
``AMONG = {"folds": "tasks.folds"}``, a value that no task has as this setting, or for ``"calculation.dimensions"``,
that the calculation does not have; ``KINDS = {"tasks": "fractal"}``, entries of another kind;
``OF_DEPTHS = ("kernel",)``, a kernel without a depth; ``AS_MANY = {"published": "tasks"}``, a list that has not one
value for each entry of the other.

Settings that mean the same in all kinds:

- ``task``: task that is drawn
- ``tasks``: tasks that are drawn, in their order
- ``protocol``: protocol whose networks are drawn
- ``kernel``: kernel whose regressions are drawn beside the networks
- ``calculation``: calculation whose numbers are drawn
- ``depth``: number of hidden layers; by default the first that the cube has
- ``width``: units of a hidden layer; by default the first that the cube has
- ``n_train``: number of training samples; by default the first that the cube has
- ``law``: law that is drawn as a line
- ``laws``: laws that are drawn, in the order of the panels
- ``families``: families of kernels, one panel or colour each
- ``folds``: folds of the sawtooth whose networks are drawn
- ``triangles``: triangles of this sawtooth
- ``published``: numbers of the source that are drawn beside ours
"""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

VERBS = ("draw",)
PROVIDED = ()


@runtime_checkable
class FigureModule(Protocol):
    """A module of this family."""

    def draw(self, cube: "xr.DataTree") -> "Figure":
        """Return the drawing of a cube."""
