"""Kernels of dot products: how similar two inputs are, as a function of their norms and the cosine between them.

A kernel is a file ``kernels/<kind>.py`` with one function, ``profile(pairs, *, ...)``. ``pairs`` holds n x m pairs of
inputs (see ``regression.pairs.Pairs``): the norms ``pairs.x`` (n, 1) and ``pairs.y`` (1, m), the deficits ``pairs.e``
= 1 - u and ``pairs.f`` = 1 + u of the cosine u, (n, m), and ``pairs.dimension`` d. Pairs on the sphere have one shape
(k,) for all four, and norms 1. The formula starts from the deficit e, since 1 - u has lost its digits where u is near
1. Functions such as ``exp`` come from ``pairs.ops``, so that the same profile serves torch, NumPy and mpmath; it must
not import torch.

Kernels that depend on a depth have the keyword-only argument ``depth``, an increasing sequence of integers, and yield
an array (n, m) for each, which the next may overwrite. Kernels without it return one array. All other keyword-only
arguments are settings that a study may give, with types of ``isobath.settings``. ``regression.gram.gram`` makes
matrices of inputs from a profile; a kernel need not be normalised, but it has to be strictly positive definite: one of
finite rank, such as a linear one, fails the contract.

Optional functions: ``check(**settings)`` refuses settings that contradict each other, and ``accept(depth, **settings)``
depths that a kernel does not have. Both raise ValueError with one sentence. ``NEEDS = {setting: {other setting:
value}}`` refuses a setting that does nothing unless the other has that value; it is read, not imported.
``singularities(**settings)``, with the keyword-only argument ``depth``, an integer, for a kernel that has it, returns
the leading singularities of the kernel at u = 1 and -1 (``spectra.decay.Singularities``), on the sphere |x|^2 = d, or
on the unit sphere if it is |x||y| times a function of the cosine; they predict the decay of its eigenvalues.

Settings that mean the same in all kinds:

- ``beta``: strength of the biases
- ``input_variance``: factor of the first layer: 1 for eq. 12 of Mori & Ueda as printed, 2 for their initialisation
- ``first_bias``: whether the first layer has the bias of Bietti & Bach
"""

VERBS = ("profile",)
DEFAULT = "ntk"  # of regressions of the library that name no kernel; read, not imported
PROVIDED = ("depth",)  # by the caller of the verb: a study gives it on its grids, not as a setting
