"""Status of a network, the words of the variable ``status``: what its training came to, or why there was none."""

FITTED = "fitted"  # it learned every training sample
UNFITTED = "unfitted"  # it ran out of epochs, or can learn no more
DIVERGED = "diverged"  # its outputs are not finite
UNTRIED = "untried"  # a fold of a search that did not come to its turn
MISSING = "missing"  # no job was to train it
FAILED = "failed"  # the job that was to train it failed

FINITE = (FITTED, UNFITTED)  # networks whose outputs can be used
TRAINED = (FITTED, UNFITTED, DIVERGED)
UNTRAINED = (MISSING, FAILED)
