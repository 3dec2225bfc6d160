"""Numbers, intervals and words of a page, as print sets them."""

import pytest
from page_parts import part

from isobath.page import intervals, numbers
from isobath.page.document import heading, prose


def test_numbers_have_the_digits_they_deserve():
    assert [numbers.significant(x) for x in (0.123456, -2.0, 1e-7, float("nan"), "word", 52319)] == [
        *("0.1235", "−2", "1e−07", "", "word", "52319"),
    ]
    assert [numbers.significant(x) for x in (float("inf"), -float("inf"))] == ["∞", "−∞"]
    assert numbers.estimate(part(1234.5, 1200, 1269)) == "1234"
    assert numbers.estimate(part(-0.0001, -0.1, 0.1)) == "0.00"
    assert (numbers.estimate(part(0.5, None, None)), numbers.interval(part(0.5, None, None))) == ("0.500", "–")
    assert numbers.interval(part(0.0, 0.0, 0.0)) == "[0, 0]"
    assert [numbers.region(part(above=a, below=b)) for a, b in ((0, None), (None, 0.5), (-1, 1), (None, None))] == [
        *("> 0", "< 0.5", "−1 to 1", "–"),
    ]
    assert numbers.region(part(above=0.5 - 1e-9, below=0.5 + 1e-9)) == "0.5 ± 1e−09"


def test_intervals_are_drawn_to_one_scale():
    first, second, third, absent = intervals.place(
        [part(0.1, 0.05, 0.15), part(0.2, 0.15, 0.25), part(0.1, -50, 50), part(None, None, None)]
    )
    assert absent is None
    assert first.estimate == third.estimate < second.estimate
    assert first.high == second.low
    assert first.left == second.left > 0
    assert first.right == intervals.WIDTH
    assert (third.low, third.high) == (None, None)  # goes on beyond the drawing
    at = first.left + (second.estimate - first.left) / 2
    assert at == pytest.approx(first.estimate, abs=0.2)
    assert intervals.place([part(0.0, 0.0, 0.0, 0.0)])[0].estimate == intervals.WIDTH / 2


def test_words_are_set_as_in_print():
    assert prose("||f|| >= N^-1/4 - x^2 & <b>") == "‖f‖ ≥ N<sup>−1/4</sup> − x<sup>2</sup> &amp; &lt;b&gt;"
    assert prose("k^(-d + 1 - 2^(2 - L))") == "k<sup>−d + 1 − 2<sup>2 − L</sup></sup>"
    assert prose("d^(k +- 0.3), H^(-1/2), N -> 0") == "d<sup>k ± 0.3</sup>, H<sup>−1/2</sup>, N → 0"
    assert [heading(name) for name in ("figure12", "equal_dimension")] == ["Figure 12", "Equal dimension"]


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (3e-9, 1e-9, "3.0e-09 [2.0e-09, 4.0e-09]"),
        (0.5, 1e-9, "0.500000 [0.500000, 0.500000]"),
        (0.0123, 0.001, "0.01230 [0.01130, 0.01330]"),
        (-2e-8, 0.0, "-2.0e-08 [-2.0e-08, -2.0e-08]"),
    ],
)
def test_a_small_number_is_not_shown_as_none(value, half, text):
    """Once the largest difference from a theorem, 3e-9, stood there as 0.000000."""
    part = {"estimate": value, "low": value - half, "high": value + half}
    assert f"{numbers.estimate(part)} {numbers.interval(part)}" == text.replace("-", numbers.MINUS)


def test_a_published_number_that_lies_far_away_is_in_the_drawing():
    known = {"value": 5.0, "place": "Fig. 2", "tolerance": 0.1, "same_size": True}
    (at,) = intervals.place([part() | {"published": known}])
    assert at.published is not None
    assert at.estimate < at.published < intervals.WIDTH
