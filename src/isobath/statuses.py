"""Status of a network, the words of the variable ``status``: the outcome of its training, or why there was none."""

FITTED = "fitted"  # it learned every training sample
UNFITTED = "unfitted"  # it ran out of epochs, or can learn no more
DIVERGED = "diverged"  # its outputs are not finite
UNTRIED = "untried"  # a fold on which a search did not try the rate
MISSING = "missing"  # no job was to train it
FAILED = "failed"  # the job that was to train it failed

FINITE = (FITTED, UNFITTED)  #: networks whose outputs can be used
TRAINED = (FITTED, UNFITTED, DIVERGED)
UNTRAINED = (MISSING, FAILED)
