"""Numbers of all claims of the width study, by their texts, in cubes with another number in every place."""

import itertools

import numpy as np
import pytest
import width_distinct
import width_distinct_laws
import width_expected
import width_expected_laws
import xarray as xr
from width_distinct_laws import changed, with_spec
from width_formulas import Networks, best_rival

from isobath import claim_files
from isobath.analysis.verdicts import judge
from isobath.claims.width.thresholds import TOLERANCE

CLAIMS = list(claim_files.claims("width"))
PRINTED = [claim for claim, parts in width_expected_laws.PARTS.items() if any(part[-1] for part in parts.values())]


OTHERWISE = ("whose limit is fitted as well", "perhaps of a single power")  # numbers of another quantity


def judged(claim, tree):
    return {part["label"]: part for part in judge(claim_files.load_claim("width", claim), tree)["parts"]}


def expected(claim, tree):
    """Return what a claim should find, by label; nothing for a claim that has no expectation."""
    found = width_expected_laws.of_parts(tree, claim)
    for module in (width_expected, width_expected_laws):
        if hasattr(module, claim):
            found |= getattr(module, claim)(tree)
    return found


def require(part, right):
    """Require the numbers of a part of a claim to be those that are right, one after the other."""
    for name in ("estimate", "low", "high"):
        assert part[name] == pytest.approx(getattr(right, name), rel=1e-6, abs=1e-9), name
    assert (part["above"], part["below"]) == pytest.approx((right.above, right.below))
    assert (part["count"], (part["counted"], part["trained"])) == (right.count, right.networks)
    assert part["check"] == right.check


@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim != "residual_variance_is_negligible"])
def test_a_claim_has_the_numbers_that_its_text_says(claim):
    tree = width_distinct_laws.tree()
    found, right = judged(claim, tree), expected(claim, tree)
    assert right, f"no expectation of the claim {claim} is written down"
    assert found.keys() == right.keys()
    for label, part in found.items():
        require(part, right[label])
        known = part["published"]
        assert (known and (known["value"], known["place"])) == right[label].published
        assert known is None or not known["same_size"]
        shown = "other sizes than the paper's were run" if "published" in claim else ""
        assert part["reason"] == shown or part["reason"].startswith("outside by itself")  # which is of its verdict


def test_a_residual_variance_is_a_share_of_that_at_the_largest_n():
    """It is judged where no power of N without a constant fits."""
    claim = "residual_variance_is_negligible"
    with changed("widths/laws/fluctuation", lambda law: {"p_value": 0.004 + 0 * law.p_value}) as tree:
        found, right = judged(claim, tree), expected(claim, tree)
        assert found.keys() == right.keys()
        require(found["share of the variance"], right["share of the variance"])
        assert found["share of the variance"]["reason"] == ""


def within(part):
    """Return the region within a quarter of a printed number; a part with that region is not repeated."""
    value = part.published[0]
    return value - TOLERANCE * abs(value), value + TOLERANCE * abs(value)


@pytest.mark.parametrize("claim", PRINTED)
def test_a_number_at_the_sizes_of_the_paper_is_within_a_quarter_of_the_printed_one(claim):
    tree = width_distinct_laws.tree(published=True)
    found, right = judged(claim, tree), expected(claim, tree)
    printed = {
        label: part
        for label, part in right.items()
        if part.published and not part.published[1].endswith(OTHERWISE) and within(part) != (part.above, part.below)
    }
    names = {label: f"{label}, as published in {part.published[1]}" for label, part in printed.items()}
    assert found.keys() == {*right, *names.values()}
    for label, part in printed.items():
        require(found[label], part)
        above, below = within(part)
        require(found[names[label]], part._replace(above=above, below=below, check=False))


def test_printed_errors_of_channels_are_judged_at_the_sizes_of_the_paper():
    claim, tree = "convolutional_networks_are_as_published", width_distinct_laws.tree(published=True)
    found, right = judged(claim, tree), expected(claim, tree)
    assert found.keys() == right.keys()
    for label, part in found.items():
        require(part, right[label])
        assert part["verdict"] != "not run"


@pytest.mark.parametrize(
    ("claim", "grid", "table", "other"),
    [
        ("gradient_falls", "widths", "tasks", {"kind": "digits_parity"}),
        ("gradient_falls", "widths", "tasks", {"dimension": 30}),
        ("gradient_falls", "widths", "protocols", {"max_epochs": 1_999_999}),
        ("gradient_falls", "widths", "blocks", {"depth": [4]}),
        ("gradient_falls", "widths", "blocks", {"n_train": [9999]}),
        ("ensembles_gain_as_one_over_n", "ensembles", "tasks", {"dimension": 10}),
        ("convolutional_networks_are_as_published", "channels", "tasks", {"kind": "mnist_parity"}),
        ("convolutional_networks_are_as_published", "channels", "blocks", {"depth": [4]}),
        ("convolutional_networks_are_as_published", "channels", "blocks", {"n_train": [49999]}),
        ("convolutional_networks_are_as_published", "channels", "blocks", {"seeds": 19}),
    ],
)
def test_one_other_setting_makes_other_sizes_than_those_of_the_paper(claim, grid, table, other):
    """The table has a second entry, with a setting that is not the paper's; the first has those of the paper."""

    def change(spec):
        if table == "blocks":
            spec["blocks"].append(spec["blocks"][0] | other)
        else:
            spec[table]["second"] = next(iter(spec[table].values())) | other

    with with_spec(grid, change, published=True) as tree:
        published = [part["published"] for part in judged(claim, tree).values() if part["published"]]
    assert {known["same_size"] for known in published} == {False}


@pytest.mark.parametrize("claim", ["cusp_at_jamming", "error_decreases_beyond"])
def test_data_sets_that_share_a_test_set_have_its_error_as_well(claim):
    with with_spec("data_sets", lambda spec: spec["tasks"]["digits"].update(kind="k_local")) as tree:
        found, right = judged(claim, tree), expected(claim, tree)
    for label, part in found.items():
        require(part, right[label])


def rivals(**buys):
    """Give the tree such trainings that the compute of the ensemble at 3 N* buys so many networks of a width, or one.

    One of ``buys`` is named as width_40.
    """
    networks, home = Networks(width_distinct_laws.tree(), "widths"), 20
    budget, _ = networks.counts(home)
    costs = {width: budget / buys.get(f"width_{width}", 1.5) for width in width_distinct.SIZES} | {home: 1.0}
    cost = xr.DataArray([*costs.values()], {"width": [*costs]}, ["width"])
    return changed("widths/networks", lambda group: {"epochs": cost / group.n_weights})


def test_the_best_rival_may_be_one_network_and_one_too_dear_is_none():
    """The narrowest network, and a wide one, are too dear."""
    with rivals(width_4=0.99, width_40=0.99) as tree:
        right, rival = best_rival(Networks(tree, "widths"))
        (part,) = judged("ensembles_beyond_jamming_are_best", tree).values()
    assert rival == (6, 1)
    require(part, right)


def test_without_a_rival_that_the_compute_buys_there_is_none():
    with rivals(**{f"width_{width}": 0.99 for width in width_distinct.SIZES}) as tree:
        (part,) = judged("ensembles_beyond_jamming_are_best", tree).values()
    assert (part["verdict"], part["estimate"]) == ("not run", None)


def test_the_best_rival_has_as_many_networks_as_the_compute_buys():
    """Ensembles of some networks are 200 random ones, whose mean is that of all such ensembles but for chance."""
    with rivals(width_40=4.99) as tree:
        networks = Networks(tree, "widths")
        right, rival = best_rival(networks)
        (part,) = judged("ensembles_beyond_jamming_are_best", tree).values()
    assert rival == (40, 4)
    second = slice(len(networks.together(40)) // 2, None)
    errors = [networks.together(40, [*chosen])[second].mean() for chosen in itertools.combinations(range(10), 4)]
    assert part["estimate"] == pytest.approx(right.estimate, abs=4 * np.std(errors) / np.sqrt(200))
