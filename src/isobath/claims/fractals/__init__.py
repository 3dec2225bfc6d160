"""Claims of Malach & Shalev-Shwartz (2019), "Is deeper better only when shallow is good?".

Two statements are not judged, because no grid has what it takes: that the noise of stochastic gradients does not help
where the gradient vanishes (after Theorem 5), for which networks would have to be trained on fine curves with all
samples at once beside those with batches; and that depth is worth less on Sierpinsky's triangle since a network divides
it into few linear regions, whose number in two dimensions is not counted.
"""
