from isobath.library import plot as plot
from isobath.library.intervals import interval as interval
from isobath.library.jamming import jamming_threshold as jamming_threshold
from isobath.library.laws import fit_law as fit_law
from isobath.library.regression import regress as regress
from isobath.library.results import contents as contents
from isobath.library.results import open_results as open_results
from isobath.library.training import train as train

__all__: list[str]
__version__: str
