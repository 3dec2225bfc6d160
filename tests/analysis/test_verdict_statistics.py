"""Statistics of verdicts: refutation over the parts of a claim, the coverage of intervals, p-values."""

import dataclasses
import math
import re

import numpy as np
import pytest
import xarray as xr
from scipy.stats import t as student
from test_verdicts import judged

from isobath.analysis.combinations import farthest
from isobath.analysis.decisions import refuted
from isobath.analysis.estimates import ONE_DATA_SET, Bounded, Estimate, Undetermined
from isobath.analysis.published import Published
from isobath.analysis.standard_errors import is_positive
from isobath.analysis.verdicts import Criterion, claim, criterion, judge


def test_the_method_of_holm():
    assert refuted([0.02]) == [True]
    assert refuted([0.02, 0.5]) == [False, False]
    assert refuted([0.001, 0.02]) == [True, True]
    assert refuted([0.001, 0.02, 0.5]) == [True, False, False]
    assert refuted([math.nan, 0.02]) == [False, True]


def test_a_part_that_is_undetermined_stays_among_the_parts_of_its_claim():
    """Once a doubt about one part let another refute the claim alone. A part that was not run, or is shown, is none."""
    against = Criterion("a", Estimate(-2.1, 1.0), above=0)  # p = 0.018: too large for one of two
    other = Criterion("b", Estimate(9.0, 1.0), above=0)
    doubtful = Criterion("b", Estimate(9.0, 1.0), above=0, undetermined=True, reason="in doubt")
    unknown = Criterion("b", None, above=0, undetermined=True, reason="no rate")
    for beside in (other, doubtful, unknown):
        assert judged([against, beside])["parts"][0]["verdict"] == "inconclusive"
    for beside in (Criterion("b", None, above=0, reason="not trained"), doubtful.shown("other sizes")):
        assert judged([against, beside])["parts"][0]["verdict"] == "not reproduced"


@pytest.mark.parametrize("draws", [6, 8])
@pytest.mark.parametrize("between", [0.0, 0.01, 0.03])
def test_intervals_over_draws_cover_the_truth(draws, between):
    """Each of several data sets, which differ, has errors of three networks; the truth is the mean over data sets."""
    rng = np.random.default_rng(draws)
    covered = 0
    for _ in range(1000):
        means = 0.3 + between * rng.standard_normal((draws, 1))
        networks = means + 0.02 * rng.standard_normal((draws, 3))
        low, high = Estimate.over_draws(dict(enumerate(networks.mean(1)))).interval()
        covered += low < 0.3 < high
    assert 920 <= covered <= 980


def test_intervals_over_draws_and_a_shared_test_sample_cover_the_truth():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(1000):
        shared = rng.normal(0, math.sqrt(0.3 * 0.7 / 2000))  # the test sample, the same for all draws
        values = 0.3 + shared + rng.normal(0, 0.015, 6)
        estimate = Estimate.over_draws(dict(enumerate(values)), sample=math.sqrt(0.3 * 0.7 / 2000))
        low, high = estimate.interval()
        covered += low < 0.3 < high
    assert 920 <= covered <= 980


def of_data_sets(means, rng):
    """Return errors of networks on data sets with these means, ten on each, as Cells.mean estimates them."""
    networks = means[:, None] + 0.004 * rng.standard_normal((len(means), 10))
    alone = {draw: dataclasses.replace(Estimate.over(e), fixed=ONE_DATA_SET) for draw, e in enumerate(networks)}
    if len(means) == 1:
        return dataclasses.replace(alone[0], alone=alone)
    over = Estimate.over_draws({draw: one.value for draw, one in alone.items()})
    return dataclasses.replace(over, alone=alone)


def test_six_data_sets_against_one_of_them_are_compared_on_that_one():
    """The mean over six data sets minus the value of one covers its truth too seldom."""
    rng, covered = np.random.default_rng(5), 0
    for _ in range(1000):
        means = 0.3 + 0.0085 * rng.standard_normal(6)  # networks of two depths, and the second is worse by 0.05
        gap = of_data_sets(means[:1] + 0.05, rng) - of_data_sets(means, rng)
        low, high = gap.interval()
        covered += low < 0.05 < high
    assert 920 <= covered <= 980
    assert gap.fixed == ONE_DATA_SET
    assert gap.count == 10


def test_the_order_of_a_sum_does_not_matter_where_one_term_has_a_single_data_set():
    rng = np.random.default_rng(6)
    a, b = (of_data_sets(0.3 + 0.01 * rng.standard_normal(6), rng) for _ in range(2))
    one = of_data_sets(np.array([0.2]), rng)
    sums = [a + b - one, a - one + b, (a * 2 + b * 2 - one * 2) * 0.5, a + Estimate(1.0) - one + b - Estimate(1.0)]
    for found in sums[1:]:
        assert found.interval() == pytest.approx(sums[0].interval())
        assert found.value == pytest.approx(a.alone[0].value + b.alone[0].value - one.value)
    ratio = a.over_value_of(one)
    assert ratio.value == pytest.approx(a.alone[0].value / one.value)
    assert (ratio - Estimate(1.0)).fixed == ONE_DATA_SET


def test_different_data_sets_are_not_compared():
    first = of_data_sets(np.array([0.2]), np.random.default_rng(7))
    second = dataclasses.replace(first, alone={1: first.alone[0]})
    with pytest.raises(Undetermined, match="different data sets"):
        first - second


def test_p_values_agree_with_intervals():
    """The p-value of a bound at the end of a 95 % interval is 0.025, whatever the kind of estimate."""
    for estimate in (
        Estimate(0.3, 0.02, 0.01, 6),
        Estimate.over_draws({0: 0.1, 1: 0.2, 2: 0.4}),
        Bounded(0.3, low=0.1, high=0.6),
    ):
        low, high = estimate.interval()
        assert estimate.p_value(below=low) == pytest.approx(0.025)
        assert estimate.p_value(above=high) == pytest.approx(0.025)
        assert estimate.p_value(above=low) > 0.9
    assert Estimate(0.3).p_value(above=0.2) == 1
    assert Estimate(0.3).p_value(above=0.4) == 0
    assert Estimate.over([0.3]).p_value(above=0.4) == 1  # one network has no error


def test_numbers_with_intervals_of_their_own_keep_an_error_when_they_combine():
    both = Bounded(0.3, low=0.1, high=0.5, count=9) * 2 - Estimate(0.1, 0.01, 0, 5)
    assert both.spread == pytest.approx(math.hypot(2 * 0.2 / student.ppf(0.975, 8), 0.01), rel=1e-3)
    assert type(both) is Estimate


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({}, "has no bound, so that any number agrees"),
        ({"above": 0.9, "below": 0.5}, "above 0.9 and below 0.5, which no number does"),
        ({"above": math.nan}, "above nan and below inf; two numbers are allowed"),
        ({"below": "0.5"}, "below '0.5'; two numbers are allowed"),
    ],
)
def test_bounds_that_decide_nothing_are_refused(bounds, words):
    """Once a criterion without a bound held, and one with crossed bounds did not, whatever was measured."""
    slip = claim("it is so", source="Fig. 1", statistic="a number")(
        lambda tree: [Criterion("a", Estimate(1), **bounds)]
    )
    with pytest.raises(ValueError, match=re.escape(words)):
        judge(slip, xr.DataTree())


@pytest.mark.parametrize("returned", [None, 0.3, ["a"]])
def test_a_claim_that_returns_no_criteria_is_refused(returned):
    """Once a claim that forgot its return was "not run: the study has no cells for it"."""
    slip = claim("it is so", source="Fig. 1", statistic="a number")(lambda tree: returned)
    with pytest.raises(ValueError, match="a list of criteria is allowed"):
        judge(slip, xr.DataTree())


def test_a_measure_that_returns_a_plain_number_is_refused():
    """Once the claim failed as "'float' object has no attribute 'value'"."""
    with pytest.raises(TypeError, match=r"^the measure of 'x' returned 0\.3; an Estimate is allowed"):
        criterion("x", lambda: 0.3, below=1)


def test_a_number_that_is_the_farthest_of_several_stays_so_in_sums():
    """Once a difference forgot among how many it had been chosen, and its p-value counted once."""
    chosen = farthest([Estimate(0.1, 0.01, count=5), Estimate(-0.3, 0.01, count=5)])
    sums = (chosen - Estimate(0.1), Estimate(0.1) + chosen, chosen * 2, chosen.over_value_of(Estimate(2.0)))
    assert [made.among for made in sums] == [2] * 4
    assert Bounded(0.3, low=0.2, high=0.4, among=3, together=2).plain().among == 3


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ([Estimate(0.060, 0.01, count=50), Estimate(0.058, 0.03, count=50)], "inconclusive"),
        ([Estimate(0.060, 0.01, count=50), Estimate(0.01, 0.01, count=50, otherwise={"so": 0.2})], "inconclusive"),
        ([Estimate(0.060, 0.01, count=50), Estimate(0.058, 0.01, count=50)], "holds"),
        ([Estimate(0.160, 0.01, count=50), Estimate(0.010, 0.01, count=50)], "does not hold"),
    ],
)
def test_all_of_several_lie_within_the_bounds_that_the_farthest_of_them_keeps(parts, verdict):
    """Once the farthest value was judged, beside one whose interval reached farther."""
    near = claim("it is so", statistic="a number", own=True)(
        lambda tree: [criterion("a", farthest, parts, above=-0.1, below=0.1)]
    )
    assert judge(near, xr.DataTree())["verdict"] == verdict


@pytest.mark.parametrize("voting", [True, False])
def test_checks_are_violated_over_all_checks_of_a_claim(voting):
    """Once one of many checks was violated beside a vote, and was not without one."""

    def criteria(tree):
        below = enumerate([-2.1, 9, 9])
        checks = [Criterion(str(i), Estimate(0.0, 1.0), below=limit, check=True) for i, limit in below]
        return [*checks, *[Criterion("vote", Estimate(0.5, 0.1), above=0)] * voting]

    parts = judge(claim("it is so", statistic="a number", own=True)(criteria), xr.DataTree())["parts"]
    assert [part["verdict"] for part in parts][:3] == ["inconclusive", "verified", "verified"]


def test_another_choice_is_taken_on_the_data_sets_of_the_number():
    """Once a difference on two common data sets had another choice from four, and doubted itself."""

    def over(draws):
        alone = {d: Estimate(v, 0.01, count=3, otherwise={"so": v}) for d, v in draws.items()}
        means = float(np.mean([*draws.values()]))
        return dataclasses.replace(Estimate.over_draws(draws), alone=alone, otherwise={"so": means})

    found = over({0: 0.1, 1: 0.2, 2: 0.7, 3: 0.8}) - over({0: 0.05, 1: 0.15})
    assert found.value == pytest.approx(0.05)
    assert found.otherwise["so"] == pytest.approx(0.05)


def test_a_number_that_is_only_shown_is_not_judged_by_the_published_one():
    publication = Published(0.5, "Fig. 1", 0.01, same_size=True)
    part = dataclasses.replace(criterion("a", lambda: Estimate(0.3, 0.001, count=9), above=0), published=publication)
    assert [each.outcome() for each in part.as_published()] == ["not reproduced"]
    assert part.shown("sizes differ").as_published() == []


@pytest.mark.parametrize(
    ("gains", "positive"), [([0.1], True), ([-0.1], False), ([0.1, 0.11], True), ([0.3, -0.2], False)]
)
def test_a_single_gain_is_positive_by_itself_and_several_by_their_error(gains, positive):
    """Once a gain of a single network, whose error is not known, counted as none: an end of the rates was accepted."""
    assert is_positive(gains) is positive
    assert is_positive([*gains, math.nan]) is positive
    assert not is_positive([math.nan])


def test_a_published_number_of_another_quantity_is_shown_and_not_judged():
    publication = Published(0.5, "Fig. 1", 0.01, same_size=True, judged=False)
    part = dataclasses.replace(criterion("a", lambda: Estimate(0.3, 0.001, count=9), above=0), published=publication)
    assert part.as_published() == []
    (shown,) = judged([part])["parts"]
    assert (shown["verdict"], shown["published"]["value"]) == ("reproduced", 0.5)


@pytest.mark.parametrize("units", [3, 6])
def test_numbers_with_intervals_of_few_units_refute_a_true_claim_in_at_most_one_of_forty(units):
    """Once p-values had normal tails, and twenty such numbers refuted 10 % of true claims with six units."""
    rng, refutations = np.random.default_rng(units), 0
    for _ in range(1000):
        values = rng.standard_normal((20, units))  # the truth lies at the bound
        means, halves = values.mean(1), student.ppf(0.975, units - 1) * values.std(1, ddof=1) / math.sqrt(units)
        numbers = [Bounded(m, low=m - h, high=m + h, count=units) for m, h in zip(means, halves, strict=True)]
        refutations += any(refuted([number.p_value(above=0.0) for number in numbers]))
    assert 5 <= refutations <= 45  # 25 are expected
