"""The reader of the laws of a grid: parameters and exponents with their intervals, and what speaks against a fit."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from isobath.analysis import axes
from isobath.analysis.estimates import ONE_DATA_SET, Bounded, Estimate, Undetermined
from isobath.analysis.grid_reader import GridReader
from isobath.analysis.over_networks import with_finite_outputs
from isobath.analysis.tallies import Tally
from isobath.statuses import UNTRAINED

LEAST_P = 0.01  # a law with a smaller p-value is rejected


@dataclass(frozen=True)
class LawReader(GridReader):
    """The laws of a grid, with some of its axes at one value. A law that was refused raises Undetermined."""

    def parameter(self, law: str, name: str, *, free: bool, **coords: Any) -> Bounded:
        """Return a parameter of a law with its interval.

        Raises Undetermined, with the reason, where the fit is not justified, ValueError for an axis with several fits.
        """
        place = {"fit": "free" if free else "fixed", "parameter": name, **coords}
        group = self._one_fit(law, "value", place)
        return self._of_law(group, ("value", "low", "high"), str(group.reason.item()) or "the fit has no interval")

    def exponent(self, law: str, *, least_p: float = LEAST_P, **coords: Any) -> Bounded:
        """Return the free exponent of a law. Raises Undetermined where the law is rejected or the exponent drifts.

        It drifts if the interval of that of the half of the points that is nearer to the limit leaves it out.
        """
        estimate = self.parameter(law, "exponent", free=True, **coords)
        self.require_fit(law, estimate, free=True, least_p=least_p, **coords)
        try:
            upper = self.upper_exponent(law, **coords)
        except Undetermined as error:
            raise Undetermined(f"not known to be asymptotic here: {error}", estimate) from None
        require_steady(estimate, upper)
        return estimate

    def require_fit(
        self, law: str, estimate: Estimate | None = None, *, free: bool, least_p: float = LEAST_P, **coords: Any
    ) -> None:
        """Raise Undetermined, with the estimate that is in doubt, where a fit is rejected at ``least_p`` or refused.

        A law whose points share data sets, or have fewer than six networks each, has no p-value and is not rejected.
        """
        fit = self._one_fit(law, "p_value", {"fit": "free" if free else "fixed", **coords})
        if not fit.value.notnull().any():
            raise Undetermined(str(fit.reason.item()), estimate)
        p = float(fit.p_value)
        if p < least_p:
            raise Undetermined(f"not asymptotic here: the law is rejected with p = {p:.2g}", estimate)

    def goodness(self, law: str, *, free: bool, **coords: Any) -> float:
        """Return the p-value of a fit's chi^2, NaN where it is not known."""
        return float(self._one_fit(law, "p_value", {"fit": "free" if free else "fixed", **coords}).p_value)

    def upper_exponent(self, law: str, **coords: Any) -> Bounded:
        """Return the free exponent of a law by the half of its points nearer to the limit.

        Raises Undetermined for none.
        """
        group = self._one_fit(law, "upper", {"fit": "free", **coords})
        return self._of_law(group, ("upper", "upper_low", "upper_high"), str(group.upper_reason.item()))

    def _one_fit(self, law: str, name: str, place: Mapping[str, Any]) -> xr.Dataset:
        """Return the fit of a law at a place; ``name`` is a number of it. Raises ValueError if several are left."""
        group = axes.select(self.group(f"laws/{law}"), place)
        for axis in map(str, group[name].dims):
            values = axes.present(group.n_points > 0, axis)
            axes.require_one(axis, values, f"the law {law} of grid {self.grid}")
            group = group.sel({axis: (values or group[axis].values.tolist())[0]})
        return group

    def _of_law(self, fit: xr.Dataset, names: tuple[str, str, str], reason: str) -> Bounded:
        """Return a number of a fit with its interval, by the names of both. Raises Undetermined where it has none.

        It counts as many units as the fitted point with the fewest has.
        """
        value, low, high = (float(fit[name]) for name in names)
        if not np.isfinite([value, low, high]).all():
            raise Undetermined(reason)
        fewest = fit.networks.where(fit.fitted.astype(bool)).min().fillna(0)
        return Bounded(value, low=low, high=high, count=int(fewest), fixed=self._fixed(fit), tally=self._behind(fit))

    def _behind(self, fit: xr.Dataset) -> Tally:
        """Return how many networks of the fitted points did not diverge, if some did."""
        (along,) = fit.fitted.dims
        if (
            along not in fit.coords
            or "networks" not in self.groups
            or along not in (status := self.group("networks", "status").status).dims
        ):
            return Tally()
        place = {dim: fit[dim].item() for dim in status.dims if dim in fit.coords and not fit[dim].dims}
        points_of_fit = {**place, along: fit[along].values[fit.fitted.values.astype(bool)]}
        status, finite = status.sel(points_of_fit), with_finite_outputs(self.group("networks")).sel(points_of_fit)
        others = [dim for dim in status.dims if dim != along]
        counts = (finite.sum(others).values, (~status.isin(UNTRAINED)).sum(others).values)
        points = zip(status[along].values.tolist(), *(numbers.tolist() for numbers in counts), strict=True)
        fixed = tuple(sorted((dim, repr(value)) for dim, value in place.items()))
        tally = Tally({(*fixed, along, value): (finite, trained) for value, finite, trained in points})
        return tally if tally.least < 1 else Tally()

    def _fixed(self, fit: xr.Dataset) -> frozenset[str]:
        """Return what all units of a law share: the data set, if the networks at its place have one."""
        if "networks" not in self.groups:
            return ONE_DATA_SET
        status = self.group("networks", "status").status
        scalars = {dim: fit[dim].item() for dim in status.dims if dim in fit.coords and not fit[dim].dims}
        place = {dim: value for dim, value in scalars.items() if dim in status.coords and value in status[dim].values}
        return ONE_DATA_SET if draws_among(~status.sel(place).isin(UNTRAINED)) < 2 else frozenset()


def require_steady(estimate: Bounded, upper: Bounded) -> None:
    """Raise Undetermined where an exponent is not that of the half nearer to the limit, by the interval of that."""
    if not upper.low <= estimate.value <= upper.high:
        drift = f"{estimate.value:.3g} becomes {upper.value:.3g} [{upper.low:.3g}, {upper.high:.3g}]"
        where = "in the half of the points nearer to the limit"
        raise Undetermined(f"not asymptotic here: the exponent {drift} {where}", estimate)


def draws_among(networks: xr.DataArray) -> int:
    """Count the data sets of which a network (draw, ...) is true; networks without the dim draw are of one."""
    of_one = [dim for dim in networks.dims if dim != "draw"]
    return int(networks.any(of_one).sum())
