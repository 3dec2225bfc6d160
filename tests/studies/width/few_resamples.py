"""Laws of made-up cubes by few resamples, as their figures and planted truths need no more."""

from functools import partial
from unittest import mock

from isobath.analysis import fits

RESAMPLES = 200


def fitted_laws(groups, laws, *, generators):
    """Return what ``isobath.analysis.fits.fitted_laws`` returns, with intervals by RESAMPLES resamples."""
    with mock.patch.object(fits, "fit", partial(fits.fit, bootstraps=RESAMPLES)):
        return fits.fitted_laws(groups, laws, generators=generators)
