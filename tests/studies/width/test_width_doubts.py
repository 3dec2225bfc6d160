"""Doubts about claims of the width study: the fit or number that a text names leaves them undecided, and no other."""

import contextlib
import functools

import numpy as np
import pytest
import width_distinct
import width_distinct_laws
import xarray as xr
from width_distinct_laws import changed
from width_expected_laws import PARTS
from width_formulas import AXES, Networks, peak, peak_height

from isobath import claim_files
from isobath.analysis.estimates import NotRun
from isobath.analysis.verdicts import judge
from isobath.claims.width import widths
from isobath.claims.width.thresholds import GROWS, LEAST_P

# Parts that follow from a law in another way than as a parameter of it, by law and fit.
BESIDE = {
    ("gradient_norm", "fixed"): ("gradient_falls", "C1 - 10 C0"),
    ("distance", "fixed"): ("boundary_distance_decays", "fall of delta"),
}
NEARER = "in the half of the points nearer to the limit"
FITS = [(law, fit) for law in width_distinct_laws.OF_WIDTHS for fit in ("fixed", "free")]


def parts(claim, tree):
    return {part["label"]: part for part in judge(claim_files.load_claim("width", claim), tree)["parts"]}


def reading(law, fit=None):
    """Return the parts (claim, label) that are a parameter of a fit of a law, of any fit, or follow from one."""
    found = {
        (claim, label)
        for claim, rows in PARTS.items()
        for label, (grid, name, of_fit, *_) in rows.items()
        if grid == "widths" and name == law and fit in (of_fit, None)
    }
    return found | {part for (name, of_fit), part in BESIDE.items() if name == law and fit in (of_fit, None)}


def reasons(tree, law):
    """Return why the parts of all claims that read a law decide nothing, by claim and label."""
    claims = {claim for claim, _ in reading(law)}
    return {(claim, label): part["reason"] for claim in claims for label, part in parts(claim, tree).items()}


def with_fit(law, fit, **numbers):
    """Give the tree other numbers of one fit of a law within a context, as functions of its exponent."""

    def change(group):
        here, value = group.fit == fit, group.value.sel(parameter="exponent", drop=True)
        return {name: xr.where(here, number(value), group[name]) for name, number in numbers.items()}

    return changed(f"widths/laws/{law}", change)


@pytest.mark.parametrize(("law", "fit"), FITS)
def test_a_rejected_fit_leaves_undecided_what_is_a_number_of_it(law, fit):
    """The apparent exponent is that of a fit however bad that is."""
    with with_fit(law, fit, p_value=lambda value: 0.99 * LEAST_P + 0 * value) as rejected:
        found = {part for part, reason in reasons(rejected, law).items() if "rejected with p = 0.0099" in reason}
    assert found == reading(law, fit) - {("apparent_exponent_is_smaller", "apparent exponent")}


def test_a_fit_is_kept_down_to_the_bound_of_its_probability():
    for fit in ("fixed", "free"):
        with with_fit("excess_error", fit, p_value=lambda value: 1.01 * LEAST_P + 0 * value) as kept:
            assert not any(reasons(kept, "excess_error").values())


@pytest.mark.parametrize("law", width_distinct_laws.OF_WIDTHS)
def test_an_exponent_that_drifts_is_undecided_where_the_claim_is_about_large_n(law):
    """The norm diverges at small N, and the apparent exponent is what it is."""
    ends = {"upper_low": 0.001, "upper_high": 0.019}
    with with_fit(law, "free", **{name: functools.partial(np.add, by) for name, by in ends.items()}) as drifting:
        found = {part for part, reason in reasons(drifting, law).items() if NEARER in reason}
    mind = {part for part in reading(law, "free") if "exponent" in part[1] or part[1] == "over widths"}
    assert found == (mind if law in width_distinct_laws.STEADY else set())


@pytest.mark.parametrize("law", width_distinct_laws.OF_SIZES)
def test_an_exponent_over_sizes_that_drifts_is_undecided(law):
    of_law = [
        (claim, label)
        for claim, rows in PARTS.items()
        for label, (_, name, _, parameter, *_) in rows.items()
        if (name, parameter) == (law, "exponent")
    ]
    ((claim, label),) = of_law
    path = f"ensembles/laws/{law}"
    with changed(path, lambda group: {"upper_low": group.upper + 0.01}) as drifting:
        part = parts(claim, drifting)[label]
    assert (part["verdict"], NEARER in part["reason"]) == ("inconclusive", True)
    with changed(path, lambda group: {"upper_low": group.upper * np.nan}) as unknown:
        assert parts(claim, unknown)[label]["reason"] == ""


@pytest.mark.parametrize(
    ("constant", "p", "undecided"), [(0.001, 0.5, True), (-0.001, 0.5, False), (0.001, 0.009, False)]
)
def test_the_fluctuations_are_undecided_beside_a_residual_variance_alone(constant, p, undecided):
    """It is there where the law with it fits and the interval of its constant lies above 0."""
    here = {"fit": "fixed", "parameter": "constant"}

    def change(group):
        low, p_value = group.low.copy(deep=True), group.p_value.copy(deep=True)
        low.loc[here], p_value.loc[{"fit": "fixed"}] = constant, p
        return {"low": low, "p_value": p_value}

    with changed("widths/laws/variance", change) as tree:
        (part,) = parts("fluctuations_decay", tree).values()
    assert ("with a residual variance fits (p = 0.5)" in part["reason"]) == bool(part["reason"]) == undecided


def test_a_residual_variance_is_undecided_where_a_power_of_n_fits_as_well_or_nobody_knows():
    for p, words in ((1.01 * LEAST_P, "fits as well: its p is 0.01"), (np.nan, "fits: that has no p-value")):
        with with_fit("fluctuation", "free", p_value=lambda value, p=p: p + 0 * value) as tree:
            (part,) = parts("residual_variance_is_negligible", tree).values()
        assert part["verdict"] == "inconclusive"
        assert part["reason"].endswith(words)


def test_a_fall_of_distances_is_undecided_where_their_law_is_refused():
    """Once a law without numbers counted as one that is not rejected."""

    def refused(law):
        return {name: law[name] * np.nan for name in ("p_value", "value")} | {"reason": law.reason + "no fit"}

    with changed("widths/laws/distance", refused) as tree:
        part = parts("boundary_distance_decays", tree)["fall of delta"]
    assert (part["verdict"], part["reason"]) == ("inconclusive", "no fit")


def test_a_residual_variance_is_undecided_where_the_law_with_one_is_rejected():
    with (
        with_fit("fluctuation", "free", p_value=lambda value: 0.5 * LEAST_P + 0 * value),
        with_fit("variance", "fixed", p_value=lambda value: 0.99 * LEAST_P + 0 * value) as tree,
    ):
        (part,) = parts("residual_variance_is_negligible", tree).values()
    assert (part["verdict"], "rejected with p = 0.0099" in part["reason"]) == ("inconclusive", True)


@pytest.mark.parametrize(
    ("growth", "scatter", "settled"),
    [(GROWS - 0.001, 1e-5, True), (GROWS + 0.001, 1e-5, False), (GROWS - 0.01, 0.02, False)],
)
def test_a_norm_is_settled_where_the_upper_end_of_its_growth_lies_below_a_bound(growth, scatter, settled):
    """The width is that nearest to N*. Where networks scatter by little the end is the mean."""
    width = dict.fromkeys(AXES, 0) | {"width": [*width_distinct.SIZES].index(8)}

    def change(group):
        norm = group.recorded_test_norm.copy(deep=True)
        norm[width | {"step": -1}] = norm[width].sel(step=300) * (1 + growth + scatter * (-1.0) ** np.arange(11))
        return {"recorded_test_norm": norm}

    with changed("widths/networks", change) as tree:
        found = parts("norm_diverges", tree)
    undecided = {part["reason"].startswith("time cuts the divergence off") for part in found.values()}
    assert undecided == {not settled}


@pytest.mark.parametrize(("change", "undecided"), [(0.9, True), (0.99, False)])
def test_kernels_that_change_by_more_than_they_fluctuate_predict_nothing(change, undecided):
    """The change is known to be more if the interval of the difference lies below 0."""
    scatter = 1 + 0.05 * (-1.0) ** np.arange(width_distinct.NETWORKS)

    def moved(group):
        return {"kernel_fluctuation": group.kernel_change * change * xr.DataArray(scatter, dims="seed")}

    with changed("widths/tangent_kernels", moved) as tree:
        (part,) = parts("kernel_predicts_networks", tree).values()
    assert part["reason"].startswith("relative to its norm, the kernel changes") == bool(part["reason"]) == undecided


def test_a_correlation_that_no_network_has_is_undecided():
    unknown = {"predicted_correlation": np.nan * xr.DataArray(0.0)}
    with changed("widths/tangent_kernels", lambda group: {n: group[n] * v for n, v in unknown.items()}) as tree:
        (part,) = parts("kernel_predicts_networks", tree).values()
    assert part["reason"] == "no Gram matrix of the kernel at the start can be inverted"


def test_a_width_without_tangent_kernels_is_not_run():
    """Once it left the study without verdicts."""
    cells = widths.grid_of(width_distinct_laws.tree(), "widths")
    with pytest.raises(NotRun, match="there is no width 5"):
        widths.tangent_kernels(cells, 5)


def with_end(width, lower):
    """Give the tree networks of a width that err less than the peak by ``lower``, at random samples, in a context."""
    networks, random = Networks(width_distinct_laws.tree(), "widths"), np.random.default_rng(8)
    missed = networks.missed(peak(networks))
    error = missed[len(missed) // 2 :, missed.shape[1] // 2 :].mean() - lower
    place = dict.fromkeys(AXES, 0) | {"width": [*width_distinct.SIZES].index(width)}

    def change(group):
        outputs, labels = group.outputs.copy(deep=True), group.test_labels.isel(task=0, n_train=0, draw=0).values
        truth = np.where(labels == 1, 1.0, -1.0)
        wrong = random.random((width_distinct.NETWORKS, width_distinct.SAMPLES)) < error
        outputs[place] = xr.DataArray(np.where(wrong, -truth, truth), dims=("seed", "test_sample"))
        return {"outputs": outputs}

    return changed("widths/networks", change)


@pytest.mark.parametrize(("end", "width"), [("smallest", 4), ("largest", 64)])
@pytest.mark.parametrize("lower", [-0.1, 0.04])
def test_early_stopping_is_undecided_where_the_peak_is_not_known_to_be_above_both_ends(end, width, lower):
    """The height of the peak is negative, or its interval reaches below 0."""
    with with_end(width, lower) as tree:
        height = peak_height(Networks(tree, "widths"), width)
        found = parts("early_stopping_removes_the_peak", tree)
    assert height.low < 0
    assert (height.estimate > 0) == (lower > 0)
    for part in found.values():
        assert part["verdict"] == "inconclusive"
        assert part["reason"].startswith(f"there is no peak near N*: the error is {height.estimate:.3g}")
        assert part["reason"].endswith(f"above that of the {end} N")


PER_NETWORK = ("distance", "linear_error", "kernel_fluctuation", "kernel_change", "predicted_correlation")


@pytest.mark.parametrize(
    ("claim", "label"),
    [
        ("boundary_distance_decays", "fall of delta"),
        ("linear_estimate_improves_with_size", "near N* minus the largest N"),
        ("kernel_moves", "fluctuation minus change at the largest N"),
        ("kernel_predicts_networks", "correlation at the largest N"),
    ],
)
def test_numbers_of_ensembles_and_kernels_ask_for_nine_in_ten_networks(claim, label):
    """Once the three of eleven networks of the largest width that did not diverge decided."""
    lost = dict.fromkeys(AXES, 0) | {"width": -1, "seed": slice(0, 8)}

    def without(group):
        place = {dim: at for dim, at in lost.items() if dim in group.dims}
        numbers = {name: group[name].copy(deep=True) for name in PER_NETWORK if name in group}
        for values in numbers.values():
            values[place] = np.nan
        return numbers

    def diverged(group):
        status = group.status.copy(deep=True)
        status[{dim: at for dim, at in lost.items() if dim in status.dims}] = "diverged"
        return {"status": status}

    groups = ("ensembles", "tangent_kernels")
    with contextlib.ExitStack() as stack:
        stack.enter_context(changed("widths/networks", diverged))
        trees = [stack.enter_context(changed(f"widths/{group}", without)) for group in groups]
        part = parts(claim, trees[-1])[label]
    assert part["verdict"] == "inconclusive"
    assert "networks count, and in one cell 27% of them" in part["reason"]
