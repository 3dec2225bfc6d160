"""Contracts of the families as tests: ``pytest --pyargs isobath.contracts``, or ``isobath test`` for one's own kinds.

They run over every kind of the package, and where folders of the user's own are laid over it over the kinds in these.
"""
