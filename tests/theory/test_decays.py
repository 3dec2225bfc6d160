"""Fitted decays of eigenvalues: the degrees that they take, and the width of their intervals."""

import numpy as np
import pytest

from isobath.calculations import zonal_spectra
from isobath.spectra import decay

ROOT = decay.Singularities(0.5, 1.0, 0.0)


def test_an_interval_spans_the_windows_and_their_largest_distance_again():
    k = np.arange(50.0, 151, 2)
    bent = decay.fit(k, 3 * k**-10.0, 10, ROOT)
    x, logs = np.log(decay.effective_degrees(k, 10, 0.5)), -10 * np.log(k)
    slopes = [np.polyfit(*part, 1)[0] for part in zip(np.array_split(x, 3), np.array_split(logs, 3), strict=True)]
    widest = max(abs(slope - bent.value) for slope in slopes)
    assert bent.low == pytest.approx(min(*slopes, bent.value) - widest)
    assert bent.high == pytest.approx(max(*slopes, bent.value) + widest)


def test_a_fit_begins_at_a_third_of_the_last_degree():
    mu = decay.of_power(0.5, 4, 150)[None, None]
    even, odd = zonal_spectra._fits(mu, np.zeros((1, 1, 2)), [ROOT], (4,))
    assert (even.first_degree, odd.first_degree, even.last_degree, odd.last_degree) == (50, 51, 150, 149)
