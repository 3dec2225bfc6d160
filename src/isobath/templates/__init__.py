"""Templates of plug-ins, each of which works as it stands, and of their tests: ``isobath new`` copies them."""
