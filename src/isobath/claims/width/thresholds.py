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

# "Below N*": N* is at least this many times N.
BELOW = 1.5

# Relative tolerance of an exponent: as far as the free fits of Fig. 6 (-0.28, 2.5, 1.1, -0.42) are from theory.
TOLERANCE = 0.25

# "Nearly flat" (Fig. 2 A, orange): an ensemble's error falls by less than this share of what single networks' does.
FLAT = 0.5

# "Removes the peak" (Fig. 2 A, green): less than this share of its height is left.
LEFT_OF_PEAK = 0.5

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

# Half a decade of steps, as a factor.
HALF_DECADE = 3
