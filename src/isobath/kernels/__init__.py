"""Kernels for regression.

A kernel is a file ``kernels/<kind>.py`` with a function

    gram(x, y, *, depth, diagonal=None, <settings>) -> iterator of K(x, y)     (n, m) float64, for each of ``depth``

Optional: ``check(*, <settings>)``, which refuses settings that contradict each other (ValueError).
"""

VERBS = ("gram",)
PROVIDED = ("depth", "diagonal")
