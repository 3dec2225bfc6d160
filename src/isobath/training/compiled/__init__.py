"""Compiled training: the epochs of a perceptron on a CPU, one network after the other, by Numba and SciPy's BLAS.

A stack of small networks trains at the speed of the interpreter and of memory. Here an epoch is one call, and a
network stays in the cache from its first step of an epoch to its last; its weights cannot depend on its stack.

Numba keeps what it compiled on disk, in a folder that is named by the code which was compiled: Numba itself looks only
at the date of one file, and would go on with the old derivative of a loss that was edited.
"""

import numba

from isobath.compilation import cache_of

# Numba reads this when a function is declared, so before any is imported.
numba.config.CACHE_DIR = cache_of("numba", "training/compiled", "losses", "protocols")
