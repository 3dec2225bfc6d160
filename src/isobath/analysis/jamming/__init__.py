"""The jamming transition: the threshold N*, and the steps that fitting takes (Jacot, Geiger et al., sections 2 and 6).

The source calls N* the smallest N whose training reaches zero loss within t*. Near N* some networks
of a size do and some do not, so N* is taken as the N at which half of them do: the probability is
a logistic in ln N, fitted by maximum likelihood. N* drifts with t*, which has to be quoted with it. A network that did
not fit within t* is a censored observation: it counts, in both.
"""
