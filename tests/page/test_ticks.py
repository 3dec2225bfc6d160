"""Ticks of the page: round numbers, each with the digits by which it differs from the others."""

import pytest

from isobath.page.numbers import MINUS
from isobath.page.ticks import MOST, ticks


@pytest.mark.parametrize(
    ("first", "last", "texts"),
    [
        (0, 1, ["0", "0.5", "1.0"]),
        (-0.3, 0.3, ["\u22120.2", "0", "0.2"]),
        (120_000, 185_000, ["1.2e+05", "1.4e+05", "1.6e+05", "1.8e+05"]),
        (0, 1.6e-40, ["0", "5e\u221241", "1e\u221240", "1.5e\u221240"]),
        (0.00115, 0.00119, ["0.00116", "0.00117", "0.00118", "0.00119"]),
    ],
)
def test_ticks_have_the_digits_that_tell_them_apart(first, last, texts):
    """Once four ticks were all 1e+05, or 0.001."""
    assert [text for _, text in ticks(first, last)] == texts


@pytest.mark.parametrize("size", [1e-12, 1e-5, 0.3, 1.0, 77.0, 1e4, 1e9])
@pytest.mark.parametrize("at", [-1.0, 0.0, 0.49, 1.0, 40.0])
def test_texts_are_the_values_and_none_stands_twice(size, at):
    found = ticks(at * size, at * size + size)
    assert 1 < len(found) <= MOST
    assert len({text for _, text in found}) == len(found)
    for value, text in found:
        assert float(text.replace(MINUS, "-")) == pytest.approx(value, abs=1e-6 * size)
