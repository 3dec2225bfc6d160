"""Sizes of networks, counted without torch: a module per kind of architecture, named by the ``SIZE`` of a network."""
