"""Bounds that turn the words of Jacot, Geiger et al. into numbers. Sizes N are in units of the jamming threshold N*.

Where the paper gives words alone, the numbers are choices of this package.
"""

# "Near N*": within this factor, on either side. Widths are whole numbers, so that no N need be nearer.
NEAR = 2.0

# "Beyond N*": at this many times N*.
BEYOND = 2.0

# "Just beyond N*": section 9 has "a few times N*".
JUST_BEYOND = 3.0

# "N >> N*": at least as many times N*, twice as far as "just beyond".
FAR = 6.0

# "N -> infinity", of the laws of section 5: from this many times N* on, where fluctuations are small. The study's laws
# are fitted from there (``beyond``).
ASYMPTOTIC = 10.0

# "Below N*": N* is at least this many times N.
BELOW = 1.5

# Relative tolerance of an exponent: as far as the free fits of Fig. 6 (-0.28, 2.5, 1.1, -0.42) are from theory.
TOLERANCE = 0.25

# The leading exponent of the test error (section 5); corrections make the apparent one smaller in size.
LEADING = -0.5

# "Nearly flat" (Fig. 2 A, orange): an ensemble's error moves by less than this share of the fall of single networks'.
FLAT = 0.5

# "Removes the peak" (Fig. 2 A, green): less than this share of its height is left.
LEFT_OF_PEAK = 0.5

# A law is rejected where a larger chi^2 has less than this probability. Such a fit decides nothing of its parameters.
LEAST_P = 0.01

# "A sharp phase transition" (section 1): from 10 % to 90 % of networks fit within what is "near N*", on either side.
SHARP = NEAR**2

# "The precise choice of the margin does not affect N*" (section 6): N* changes by less than this factor, which is what
# exponents are allowed as well.
SAME_THRESHOLD = 1 + TOLERANCE

# "Self-averaging: it lies close to its average" (section 3): networks scatter by less than this share of their mean.
CLOSE = 0.1

# "This residual term is negligible" (section 5): an order of magnitude less than the whole.
NEGLIGIBLE = 0.1

# Networks "fit" at a size or do not (Fig. 2 B) as more or less than this fraction of them does, which defines N*.
HALF = 0.5

# "The training error reaches zero" (Fig. 2 B): it is below this, one sample in two hundred.
ZERO_ERROR = 0.005

# "C1 much larger than C0" (Fig. 6 A): by this factor.
MUCH_LARGER = 10

# "The norm grows with t" near N* (Fig. 7 B): by more than this share over the last half decade of steps.
GROWS = 0.05

# "It does not" far from N* (Fig. 7 B): it grows by less than this share.
CONSTANT = 0.01

# The divergence of the norm (Fig. 7) is looked for up to this many times N*, as the study fits its law (``within``).
WITHIN = 4.0

# Widths that a slope needs: any slope fits two.
FEWEST = 3

# "The kernel predicts" (eq. 16): at least this correlation, a quarter of the variance.
PREDICTS = 0.5

# Half a decade of steps, as a factor.
HALF_DECADE = 3
