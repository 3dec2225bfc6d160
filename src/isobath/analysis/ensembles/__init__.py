"""Averages of networks: their errors, fluctuations and distances (Jacot, Geiger et al., sections 3 to 5, appendix A).

The R networks of a cell differ in their start alone. Their outputs f (R, T, K) on T test samples are float64; networks
that diverged are left out by the caller. ``members`` (S, R) says which networks make up each of S ensembles, whose
output is the mean of theirs. fbar is the mean of all R, which is not the mean over starts <f>: a quantity that is
measured against fbar is called biased.

Networks are independent. Estimates that are no mean over networks come with pseudo-values, one per network, whose
mean is the estimate: resampling them resamples networks, and their spread over the root of R is the standard error.
"""
