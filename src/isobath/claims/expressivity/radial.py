"""Claims on functions of the radius: their density, the networks that express or learn them (Eldan & Shamir)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis.cells import Cells
from isobath.analysis.equivalence import ROOM, require_errors
from isobath.analysis.estimates import Estimate, NotRun, exactly
from isobath.analysis.verdicts import Criterion, claim, criterion
from isobath.claims.expressivity.cells import accuracy, gain, grid_of, numbers, of_equal_size, train_gain
from isobath.claims.expressivity.thresholds import (
    ALIASED,
    CUBIC,
    FEWEST_DIMENSIONS,
    HIGH,
    LITTLE,
    NOT_ONE,
    OFF_TUBES,
    PROFILE,
    SHELLS,
    SPARED,
    TINY,
    WHOLE,
)

SHELLED, BALL = 4, 2  # shells that are hard, and the indicator of a ball


def off_one(tree: xr.DataTree, name: str, volume: str | None = None) -> Estimate:
    """Return the largest |mass - 1| of even dimensions, of a mass over a volume if one is named."""
    even = even_dimensions(tree)
    return exactly(float(abs(even[name] / (even[volume] if volume else 1.0) - 1).max()))


def off_closed_form(tree: xr.DataTree) -> Estimate:
    """Return the largest difference of P(radius <= r) by quadrature and in closed form, of even dimensions."""
    even = even_dimensions(tree)
    return exactly(float(abs(even.mass_within - even.exact_mass_within).max()))


def even_dimensions(tree: xr.DataTree) -> xr.Dataset:
    """Return the numbers of the density in even dimensions, where its mass is known in closed form."""
    table = numbers(tree, "shells", "radial_density")
    return table.isel(dimension=(table.dimension % 2 == 0).values)


def mass_of_the_unit_ball(tree: xr.DataTree) -> Estimate:
    """Return the smallest distance from one of the mass with the unit ball, in even dimensions."""
    return exactly(float(abs(even_dimensions(tree).unit_ball_mass - 1).min()))


@claim(
    "phi^2, the squared transform of the indicator of a ball, is a density, if the ball has volume one",
    source="the notes, part 2 (Eldan & Shamir), who say unit ball, with which the mass is the volume of that ball",
    statistic="largest |mass - 1| with R_d, and of P(radius <= r) against its closed form; |mass / volume - 1| and the "
    "smallest |mass - 1| with radius one; even dimensions",
)
def density_needs_unit_volume(tree: xr.DataTree) -> list[Criterion]:
    return [
        criterion("volume one: mass", off_one, tree, "mass", below=TINY, check=True),
        criterion("volume one: within r", off_closed_form, tree, below=TINY, check=True),
        criterion(
            "radius one: mass / volume", off_one, tree, "unit_ball_mass", "unit_ball_volume", below=TINY, check=True
        ),
        criterion("radius one: mass is not 1", mass_of_the_unit_ball, tree, above=NOT_ONE, check=True),
    ]


def width_slope(tree: xr.DataTree, profile: str, activation: str) -> Estimate:
    """Return the slope of ln of the least width of both layers on ln d."""
    width = numbers(tree, "shells", "radial_widths").width.sel(profile=profile, activation=activation)
    defined = width.dropna("dimension")
    if defined.sizes["dimension"] < FEWEST_DIMENSIONS:
        raise NotRun(f"fewer than {FEWEST_DIMENSIONS} dimensions have a width")
    return exactly(np.polyfit(np.log(defined.dimension), np.log(defined), 1)[0])


@claim(
    "Two hidden layers of a width polynomial in d make any Lipschitz function of the radius, with ReLUs and with steps",
    source="the notes, part 1 (Eldan & Shamir)",
    statistic="slope of ln(least width of both layers) on ln d, of networks in closed form, built and evaluated, for "
    "cos(2 pi r), exp(-r^2) and a triangle wave within a given error at 99 % of points; the width of the second layer "
    "is found for the profile alone, so that it does not depend on d",
)
def two_layers_make_radial_functions(tree: xr.DataTree) -> list[Criterion]:
    table = numbers(tree, "shells", "radial_widths")
    kinds = [(p, a) for p in table.profile.values.tolist() for a in table.activation.values.tolist()]
    return [criterion(f"{p}, {a}", width_slope, tree, p, a, below=CUBIC, check=True) for p, a in kinds]


def constructed(tree: xr.DataTree, task: str, name: str) -> Estimate:
    """Return the accuracy of a construction on a task."""
    row = grid_of(tree, "shells").by_task("constructions", construction=name)[task]
    return exactly(1 - float(row.test_error))


@claim(
    "Shells are expressed by two hidden layers in every dimension that is trained in",
    source="not in the source, whose construction this is",
    statistic="accuracy on a test set of a network in closed form: squares in the first layer, a zigzag in the second",
    own=True,
)
def shells_are_expressible(tree: xr.DataTree) -> list[Criterion]:
    tasks = grid_of(tree, "shells").by_task("constructions", construction="profile")
    return [criterion(task, constructed, tree, task, "profile", above=PROFILE, check=True) for task in tasks] or [
        Criterion("profile", None, check=True)
    ]


def covered(tree: xr.DataTree) -> Estimate:
    """Return the share of a sphere within the tubes, in the largest dimension."""
    return exactly(float(numbers(tree, "shells", "fourier_tubes").share.sortby("dimension").isel(dimension=-1)))


def rises(tree: xr.DataTree) -> Estimate:
    """Return the largest rise of the share from one dimension to the next."""
    return exactly(float(numbers(tree, "shells", "fourier_tubes").share.sortby("dimension").diff("dimension").max()))


def off_tubes(tree: xr.DataTree, name: str, side: int) -> Estimate:
    """Return the largest (side 1) or the smallest (-1) energy off the tubes, over that outside of the ball."""
    return exactly(side * float((side * numbers(tree, "shells", "fourier_tubes")[name]).max()))


@claim(
    "One hidden layer times phi has its transform in a tube per unit, and few tubes cover little of a shell",
    source="the notes, part 2 (Eldan & Shamir)",
    statistic="energy outside of the tubes over that outside of the ball, of networks with ReLUs and sigmoids and of "
    "shells, by a discrete transform for d = 2; largest share of a sphere of radius c sqrt(d) within the tubes, over d",
)
def tubes_cover_little(tree: xr.DataTree) -> list[Criterion]:
    return [
        criterion("networks off their tubes", off_tubes, tree, "outside_tubes", 1, below=ALIASED, check=True),
        criterion("shells off the tubes", off_tubes, tree, "shells_outside_tubes", -1, above=OFF_TUBES, check=True),
        criterion("share in the largest d", covered, tree, below=LITTLE, check=True),
        criterion("rise of the share with d", rises, tree, below=TINY, check=True),
    ]


def most_oscillating(tree: xr.DataTree, name: str) -> Estimate:
    """Return the largest Cr minus t (1 + alpha)."""
    table = numbers(tree, "folds", "piecewise_polynomials")
    return exactly(float((table[name] - table.most_intervals).max()))


def least_tight(tree: xr.DataTree) -> Estimate:
    """Return the smallest Cr of Chebyshev polynomials minus t (1 + alpha)."""
    table = numbers(tree, "folds", "piecewise_polynomials")
    return exactly(float((table.tight_intervals - table.most_intervals).min()))


@claim(
    "A (t, alpha)-poly has at most t (1 + alpha) intervals, and some have as many",
    source="the notes, few layers, few oscillations (Telgarsky)",
    statistic="largest Cr minus t (1 + alpha) of random ones; smallest of Chebyshev polynomials, over t and alpha",
)
def piecewise_polynomials_oscillate_little(tree: xr.DataTree) -> list[Criterion]:
    return [
        criterion("random: beyond the bound", most_oscillating, tree, "intervals", below=WHOLE, check=True),
        criterion("Chebyshev: short of the bound", least_tight, tree, above=-WHOLE, below=WHOLE, check=True),
    ]


def shell_tasks(cells: Cells, shells: int) -> dict[int, str]:
    """Return the tasks with this number of shells that networks learn, by dimension, increasing."""
    tasks = cells.tasks("networks", kind="radial_shells", shells=shells)
    return dict(sorted((int(cells.settings(task)["dimension"]), task) for task in tasks))


def second_layer(cells: Cells, task: str, *, train: bool = False) -> Estimate:
    """Return the gain of a second hidden layer over one of as many parameters, each at its own best rate."""
    deep, shallow = (of_equal_size(cells, task, depth) for depth in (2, 1))
    return (train_gain if train else gain)(cells, deep, shallow)


def of_shells(tree: xr.DataTree, *, train: bool) -> list[Criterion]:
    """Return the criterion of the gain on SHELLED shells for each dimension from HIGH on."""
    cells = grid_of(tree, "shells")
    places = [(d, task) for d, task in shell_tasks(cells, SHELLED).items() if d >= HIGH]
    rows = [criterion(f"d = {d}", second_layer, cells, task, train=train, above=SHELLS) for d, task in places]
    return rows or [Criterion("four shells", None)]


@claim(
    "From five dimensions on two hidden layers learn four shells better than one of as many parameters",
    source="in the spirit of the notes, which speak of approximation (Eldan & Shamir)",
    statistic=f"accuracy of two hidden layers minus that of one, {SHELLED} shells, each at its own best rate, on the "
    "test set, in each dimension from five on",
    own=True,
)
def three_layers_for_shells(tree: xr.DataTree) -> list[Criterion]:
    return of_shells(tree, train=False)


@claim(
    "From five dimensions on two hidden layers fit four shells better than one of as many parameters as well",
    source="in the spirit of the notes, which speak of approximation (Eldan & Shamir)",
    statistic=f"accuracy of two hidden layers minus that of one, {SHELLED} shells, each at its own best rate, on the "
    "training set, in each dimension from five on",
    own=True,
)
def three_layers_fit_shells(tree: xr.DataTree) -> list[Criterion]:
    return of_shells(tree, train=True)


def growth(cells: Cells, high: str, low: str) -> Estimate:
    """Return the gain of a second layer in one dimension minus that in another."""
    return second_layer(cells, high) - second_layer(cells, low)


@claim(
    "What the second hidden layer gains grows with the dimension",
    source="in the spirit of the notes: the widths that are needed grow with d (Eldan & Shamir)",
    statistic="gain on the test set at d = 10 minus that at d = 5, four shells",
    own=True,
)
def gap_grows_with_dimension(tree: xr.DataTree) -> list[Criterion]:
    cells = grid_of(tree, "shells")
    tasks = shell_tasks(cells, SHELLED)
    if not {5, 10} <= set(tasks):
        return [Criterion("d = 10 minus d = 5", None)]
    return [criterion("d = 10 minus d = 5", growth, cells, tasks[10], tasks[5], above=0.0)]


def spared(cells: Cells, task: str) -> Estimate:
    """Return the error that a second hidden layer spares, minus SPARED of the error of one of as many parameters."""
    shallow_error = Estimate(1.0) - accuracy(cells, of_equal_size(cells, task, 1))
    return second_layer(cells, task) - shallow_error * SPARED


def gain_on_ball(cells: Cells, task: str) -> Estimate:
    """Return the gain of a second layer. Raises Undetermined where errors are too small for a gain of SHELLS."""
    require_errors(SHELLS, Estimate(1.0) - accuracy(cells, of_equal_size(cells, task, 1)))
    return second_layer(cells, task)


def of_balls(tree: xr.DataTree, measure: Callable[..., Estimate], **bounds: Any) -> list[Criterion]:
    """Return a criterion of a measure of the ball for each dimension."""
    cells = grid_of(tree, "shells")
    criteria = [criterion(f"d = {d}", measure, cells, task, **bounds) for d, task in shell_tasks(cells, BALL).items()]
    return criteria or [Criterion("two shells", None)]


@claim(
    "A ball needs no second layer",
    source="not in the source",
    statistic="accuracy of two hidden layers minus that of one of as many parameters, two shells, on the test set: "
    f"within {SHELLS:g} of 0, which is what counts as a gain on four shells; undetermined where the error of one is "
    f"below {ROOM * SHELLS:g}",
    own=True,
)
def ball_needs_no_depth(tree: xr.DataTree) -> list[Criterion]:
    return of_balls(tree, gain_on_ball, above=-SHELLS, below=SHELLS)


@claim(
    "On a ball a second layer spares little of the error",
    source="not in the source",
    statistic="accuracy of two hidden layers minus that of one of as many parameters, two shells, on the test set, "
    f"minus {SPARED:.0%} of the error of one",
    own=True,
)
def ball_error_is_spared_little(tree: xr.DataTree) -> list[Criterion]:
    return of_balls(tree, spared, below=0.0)
