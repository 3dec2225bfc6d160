"""The library: what the workflow computes, of one's own arrays, and what it has computed, as labelled data.

``isobath`` names its functions and loads them when they are called. Nothing is computed here: each function checks its
arguments, calls what the stages call, and labels what comes back.
"""
