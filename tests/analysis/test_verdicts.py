"""Verdicts: parts that vote, reasons of inconclusive ones, and how often intervals and verdicts are right."""

import json
import math

import numpy as np
import pytest
import xarray as xr
from locality_cubes import block

from isobath import results
from isobath.analysis import rates
from isobath.analysis.cells import Cells
from isobath.analysis.combinations import average
from isobath.analysis.cubes import gather
from isobath.analysis.decisions import overall
from isobath.analysis.estimates import Estimate, NotRun, Undetermined
from isobath.analysis.published import Published
from isobath.analysis.tallies import Tally
from isobath.analysis.verdicts import Criterion, claim, criterion, judge

AT = {"task": "2-local", "width": 10, "n_train": 50}


def judged(criteria, **how):
    """Return the verdict on a claim with these criteria, or on one that raises."""

    def parts(tree):
        if isinstance(criteria, Exception):
            raise criteria
        return criteria

    return judge(claim("it is so", source="Fig. 1", statistic="a number", **how)(parts), xr.DataTree())


def cells_of(parts, searches=()):
    groups = {"samples/networks": gather(parts, results.axes()["networks"])}
    if searches:
        groups["samples/learning_rates"] = gather(searches, results.axes()["learning_rates"])
    tree = xr.DataTree.from_dict(groups)
    tree["samples"].attrs |= {"n_test": 10**9, "spec": json.dumps({"tasks": {"2-local": {"kind": "k_local"}}})}
    return Cells.of(tree, "samples", protocol="sgd")


YES, NO = Estimate(0.3, 0.01, 0.0, 30), Estimate(-0.3, 0.01, 0.0, 30)


@pytest.mark.parametrize(
    ("value", "bounds", "outcome"),
    [
        (0.3, {"above": 0.0}, "reproduced"),
        (-0.3, {"above": 0.0}, "not reproduced"),
        (0.01, {"above": 0.0}, "inconclusive"),
        (0.3, {"below": 0.4}, "reproduced"),
        (0.0, {"above": -0.1, "below": 0.1}, "reproduced"),
        (0.2, {"above": -0.1, "below": 0.1}, "not reproduced"),
    ],
)
def test_a_criterion_is_judged_by_its_interval(value, bounds, outcome):
    assert Criterion("", Estimate(value, 0.02, 0.0, 30), **bounds).outcome() == outcome


def test_a_claim_needs_all_its_criteria():
    assert overall(["reproduced", "reproduced"]) == "reproduced"
    assert overall(["reproduced", "not run"]) == "reproduced"
    assert overall(["reproduced", "inconclusive"]) == "inconclusive"
    assert overall(["inconclusive", "not reproduced"]) == "not reproduced"
    assert overall(["not run"]) == "not run"


def test_a_whole_claim_needs_all_its_criteria():
    assert overall(["reproduced", "not run"], whole=True) == "inconclusive"
    assert overall(["not reproduced", "not run"], whole=True) == "not reproduced"
    assert overall(["not run", "not run"], whole=True) == "not run"


def test_a_verdict_says_the_claim_and_its_criteria():
    @claim("it is positive", source="Fig. 1", statistic="its value")
    def is_positive(tree):
        return [criterion("value", lambda: YES, above=0)]

    verdict = judge(is_positive, xr.DataTree())
    words = {"claim": "is_positive", "statement": "it is positive", "source": "Fig. 1", "statistic": "its value"}
    assert words.items() <= verdict.items()
    assert verdict["verdict"] == verdict["headline"] == "reproduced"
    assert [(p["label"], p["estimate"], p["count"], p["above"], p["below"]) for p in verdict["parts"]] == [
        ("value", 0.3, 30, 0, None)
    ]


def test_a_claim_has_the_name_by_which_its_study_lists_it():
    """The stage of verdicts takes that name: a study may list ``locality.x`` and a claim ``x`` of its own."""
    listed = claim("a sentence", source="Fig. 1", statistic="error")(lambda tree: [])
    assert judge(listed, xr.DataTree(), "locality.x")["claim"] == "locality.x"
    assert judge(listed, xr.DataTree())["claim"] == "<lambda>"


def test_a_fit_that_failed_is_inconclusive_and_says_why():
    """Once it was dropped from the verdict as not run."""

    def refused():
        raise Undetermined("51 of 400 resamples failed")

    verdict = judged([Criterion("a", YES, above=0), criterion("b", refused, above=0)])
    assert verdict["verdict"] == "inconclusive"
    assert (verdict["parts"][1]["verdict"], verdict["parts"][1]["reason"]) == (
        "inconclusive",
        "51 of 400 resamples failed",
    )
    assert criterion("", lambda: Estimate(math.nan)).outcome() == "inconclusive"


def test_what_was_not_asked_is_not_run_and_counted_in_the_headline():
    def absent():
        raise NotRun("no such cells")

    verdict = judged([Criterion("a", YES, above=0), criterion("b", absent, above=0)])
    assert (verdict["verdict"], verdict["headline"]) == ("reproduced", "reproduced, 1 of 2 parts run")
    assert verdict["parts"][1]["reason"] == "no such cells"
    for raised, word in (
        (NotRun("there is no grid size"), "not run"),
        (Undetermined("there is no peak"), "inconclusive"),
    ):
        verdict = judged(raised)
        assert (verdict["verdict"], verdict["parts"][0]["reason"]) == (word, str(raised))


def test_a_check_does_not_vote():
    """Once parts that pass by construction counted like evidence."""
    check = Criterion("check", YES, above=0, check=True)
    assert judged([check, Criterion("a", None)])["verdict"] == "not run"
    assert judged([check, Criterion("a", NO, above=0)])["verdict"] == "not reproduced"
    assert judged([check])["verdict"] == judged([check])["parts"][0]["verdict"] == "verified"
    violated = Criterion("check", NO, above=0, check=True)
    assert judged([violated])["verdict"] == "violated"
    assert judged([violated, Criterion("a", YES, above=0)])["verdict"] == "inconclusive"
    assert judged([violated, Criterion("a", None)])["verdict"] == "not run"


def test_claims_of_our_own_hold_or_do_not():
    for estimate, word in ((YES, "holds"), (NO, "does not hold")):
        verdict = judged([Criterion("a", estimate, above=0)], own=True)
        assert (verdict["verdict"], verdict["parts"][0]["verdict"], verdict["own"]) == (word, word, True)


def test_survivors_decide_nothing():
    """Once two of ten networks could reproduce a claim."""
    few = Estimate(0.3, 0.01, 0.0, 5, tally=Tally.of(5, 10))
    part = judged([Criterion("a", few, above=0)])["parts"][0]
    assert (part["verdict"], part["counted"], part["trained"]) == ("inconclusive", 5, 10)
    assert "5 of 10 networks count" in part["reason"]
    for of_all, outcome in ((-0.01, "inconclusive"), (0.2, "reproduced")):
        most = Estimate(0.3, 0.01, 0.0, 19, tally=Tally.of(19, 20), otherwise={"over all": of_all})
        assert Criterion("a", most, above=0).outcome() == outcome
    against = Estimate(-0.3, 0.01, 0.0, 19, tally=Tally.of(19, 20), otherwise={"over all": 0.1})
    assert judged([Criterion("a", against, above=0)])["verdict"] == "inconclusive"


def test_a_difference_counts_the_worse_side_and_all_networks_of_both():
    good = block(range(10), [0.1] * 5 + [0.12] * 5)
    bad = block(range(10), [0.2] * 7 + [0.05] * 3, ["fitted"] * 7 + ["unfitted"] * 2 + ["diverged"], depth=7)
    cells = cells_of([good, bad])
    gap = cells.error(depth=7, **AT) - cells.error(depth=1, **AT)
    assert (gap.tally.counted, gap.tally.trained, gap.tally.least) == (17, 20, 0.7)
    assert (gap + cells.error(depth=1, **AT)).tally.trained == 20  # a cell that enters twice counts once
    assert gap.value == pytest.approx(0.2 - 0.11)
    assert gap.by("over all networks that did not diverge") == pytest.approx((7 * 0.2 + 2 * 0.05) / 9 - 0.11)
    assert gap.fixed == {"data set"}


def test_one_data_set_and_one_rate_are_said():
    """Once intervals were over starts alone, and nothing said so."""
    search = search_of([0.1, 0.3, 1.0], [0.3, 0.2, 0.3], chosen=0.3)
    one = cells_of([block(range(3), [0.1, 0.2, 0.3])], [search]).error(depth=1, **AT)
    assert one.fixed == {"data set", "rate"}
    verdict = judged([Criterion("a", one - Estimate(9), below=0)])
    assert verdict["headline"] == "reproduced, for this data set and this rate"
    several = cells_of(
        [block(range(3), [0.1, 0.2, e], draw=i) for i, e in enumerate((0.3, 0.4))],
        [search.assign_coords(draw=i) for i in range(2)],
    ).error(depth=1, **AT)
    assert several.fixed == frozenset()
    assert judged([Criterion("a", several, below=9)])["parts"][0]["unit"] == "data sets"


def test_draws_are_paired():
    """The effect of a data set on both depths cancels from their difference."""
    shift = [0.0, 0.1, 0.2, 0.3]
    parts = [block([0, 1], [s + e + d, s + e - d], draw=i, depth=depth)
             for i, s in enumerate(shift) for depth, e, d in ((1, 0.2, 0.01), (7, 0.1, 0.02))]  # fmt: skip
    cells = cells_of(parts)
    gap = cells.error(depth=1, **AT) - cells.error(depth=7, **AT)
    assert gap.value == pytest.approx(0.1)
    assert gap.count == 4
    assert gap.spread == pytest.approx(0, abs=1e-12)
    assert cells.error(depth=1, **AT).spread == pytest.approx(np.std(shift, ddof=1) / 2)
    mean = average([gap, cells.error(depth=7, **AT)])
    assert mean.draws.keys() == {0, 1, 2, 3}
    ratio = cells.error(depth=1, **AT).over_value_of(cells.error(depth=7, **AT))
    assert ratio.value == pytest.approx(0.35 / 0.25)


def test_a_cell_of_one_data_set_is_compared_with_another_on_that_one_alone():
    """Once the error over several data sets was compared with that of one, whose own effect no spread shows."""
    deep = [block([0, 1], [0.1 * i + 0.2, 0.1 * i + 0.3], draw=i, depth=7) for i in range(4)]
    cells = cells_of([block([0, 1], [0.1, 0.2]), *deep])
    gap = cells.error(depth=7, **AT) - cells.error(depth=1, **AT)
    assert gap.value == pytest.approx(0.25 - 0.15)
    assert (gap.count, gap.fixed) == (2, {"data set"})
    assert gap.by("over all networks that did not diverge") == pytest.approx(0.1)


def search_of(tried, errors, *, chosen, status="fitted", draw=0):
    """Make a search of these rates; the errors are equal in all four folds but for a small wobble."""
    wobble = np.array([0.01, -0.01, 0.02, -0.02])
    counts = np.array([status if isinstance(status, str) else s for s in ([status] * len(tried))], dtype=object)
    cost = np.where(counts == "fitted", errors, rates.WORST)
    data = {
        "learning_rate": ((), chosen),
        "trial_rate": ("trial", np.array(tried, dtype=float)),
        "cost": ("trial", cost),
        "validation_error": (
            ("trial", "fold"),
            np.array(errors)[:, None] + wobble * np.arange(1, len(tried) + 1)[:, None],
        ),
        "status": (("trial", "fold"), np.repeat(counts[:, None], 4, axis=1)),
    }
    coords = {"task": "2-local", "protocol": "sgd", "depth": 1, "width": 10, "n_train": 50, "draw": draw}
    return xr.Dataset(data, coords={**coords, "trial": np.arange(len(tried)), "fold": np.arange(4)})


def test_a_search_that_found_no_rate_makes_its_cell_inconclusive():
    """Once the chosen rate was at the cap in 25 of 58 cells, and in one no trial counted."""
    networks = [block(range(3), [0.1, 0.2, 0.3])]
    nothing = search_of([0.1, 0.3, 1.0], [0.3] * 3, chosen=0.1, status="unfitted")
    edge = search_of([0.1, 1.0, 9.5], [0.5, 0.4, 0.2], chosen=9.5)
    flat = search_of([0.1, 1.0, 9.5], [0.4, 0.2005, 0.2], chosen=9.5)
    middle = search_of([0.1, 1.0, 9.5], [0.4, 0.1, 0.2], chosen=1.0)
    for search, why in ((nothing, "no trial"), (edge, "9.5 is the largest"), (flat, ""), (middle, "")):
        cells = cells_of(networks, [search])
        if why:
            with pytest.raises(Undetermined, match=rf"rate not found: .*{why}.* \(L = 1, H = 10, N = 50\)"):
                cells.error(depth=1, **AT)
        else:
            assert cells.error(depth=1, **AT).value == pytest.approx(0.2)
    lower = search_of([0.011, 1.0, 9.5], [0.1, 0.3, 0.4], chosen=0.011)
    assert "smallest" in rates.fault(lower)


def test_one_search_of_many_may_fail():
    ok, bad = (
        search_of([0.1, 1.0, 9.5], errors, chosen=c) for errors, c in (([0.4, 0.1, 0.2], 1.0), ([0.5, 0.4, 0.2], 9.5))
    )
    networks = [block(range(3), [0.1, 0.2, 0.3], draw=i) for i in range(10)]
    for count, raises in ((1, False), (2, True)):
        searches = [(bad if i < count else ok).assign_coords(draw=i) for i in range(10)]
        cells = cells_of(networks, searches)
        if raises:
            with pytest.raises(Undetermined, match="2 of 10 searches"):
                cells.error(depth=1, **AT)
        else:
            assert cells.error(depth=1, **AT).count == 10


def test_a_true_claim_of_twenty_parts_is_refuted_in_at_most_one_of_forty():
    """Once such a claim was refuted in 40 %, since one part against it decided."""
    rng = np.random.default_rng(1)
    verdicts = []
    for _ in range(1000):
        parts = []
        for i in range(20):
            x = rng.normal(0.0, 0.1, 8)  # the truth lies at the bound: as hard as a true claim can be
            parts.append(Criterion(str(i), Estimate.over_draws(dict(enumerate(x))), above=0.0))
        verdicts.append(judged(parts)["verdict"])
    assert verdicts.count("not reproduced") <= 50  # 5 %; 2.5 % are expected


@pytest.mark.parametrize(
    ("same", "value", "verdict"),
    [(True, 0.31, "reproduced"), (True, 0.5, "not reproduced"), (False, 0.5, "reproduced")],
)
def test_a_published_number_is_judged_at_the_size_of_the_source_alone(same, value, verdict):
    known = Published(value, "Fig. 2", 0.1, same)
    found = judged([Criterion("a", YES, above=0, published=known)])
    assert found["verdict"] == verdict
    assert found["parts"][0]["published"] == {"value": value, "place": "Fig. 2", "tolerance": 0.1, "same_size": same}
    assert [part["label"] for part in found["parts"]] == ["a", "a, as published in Fig. 2"][: 2 if same else 1]


def test_a_number_beside_one_of_another_size_is_shown_and_not_judged():
    part = Criterion("a", NO, above=0.7, published=Published(0.8, "Fig. 2", 0.1))
    found = judged([part.shown("other sizes")])
    assert found["verdict"] == found["headline"] == "not run"
    (shown,) = found["parts"]
    assert (shown["estimate"], shown["verdict"], shown["reason"]) == (NO.value, "not run", "other sizes")
    assert judged([part.shown("other sizes"), Criterion("b", YES, above=0)])["verdict"] == "reproduced"
    lost = Criterion("a", None, above=0.7, undetermined=True, reason="no rate")
    assert judged([lost.shown("other sizes")])["parts"][0]["reason"] == "other sizes; no rate"
