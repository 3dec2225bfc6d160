"""Bounds that turn the words of Malach & Shalev-Shwartz into numbers.

Their theorems have bounds of their own; where section 5 has words alone, the numbers are choices of this package.
"""

# "Almost zero error" is below this; theirs is .0076 (Fig. 4).
NEARLY = 0.05

# A "drastic degradation" is above this; theirs is .21 (Fig. 5).
DRASTIC = 0.05

# "No effect" is within this.
HARDLY = 0.05

# "Slightly more than" one half is within this of it.
CHANCE = 0.05

# A "good approximation" has this share of what the best network gains over chance.
GOOD = 0.5

# An error of zero is below this: as far as a test set of thousands can tell.
EXACT = 0.001

# A number that is zero but for rounding is below this.
TINY = 1e-12

# Excess of a network that knows some levels over the bound of Theorem 3, within the error of its test set.
SAMPLING = 0.01

# Error of guessing on the ten classes of CIFAR-10.
GUESSING = 0.9
