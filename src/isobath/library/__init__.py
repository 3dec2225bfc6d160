"""The library: computations of the workflow on arrays of one's own, and its results as labelled data.

``isobath`` names its functions and loads them when they are called. Nothing is computed here: each function checks its
arguments, calls the functions that the stages call, and labels their results.
"""
