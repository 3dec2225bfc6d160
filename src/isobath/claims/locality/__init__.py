"""Claims of Mori & Ueda (2020), "Is deeper better? It depends on locality of relevant features".

Two statements are not judged, because no grid has what it takes: that inputs with |x| = 1 and He starts change nothing,
and that the conclusions on the tangent kernel repeat for other losses and starts (footnotes of section 2.3): He starts
are judged with inputs of unit variance, and kernels with the start of the paper. The kernels ``ntk_stated`` and
``nngp``, with the input variance that the text states, are computed for comparison.
"""
