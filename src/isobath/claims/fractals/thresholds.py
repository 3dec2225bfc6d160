"""Bounds that turn the words of Malach & Shalev-Shwartz into numbers.

Their theorems have bounds of their own; where section 5 has words alone, the numbers are choices of this package. Where
the same grid has a control, an effect is held against that and not against a number.
"""

# "Almost zero error" is below a tenth of the error of guessing, 1/2; theirs is .0076 (Fig. 5, on curve 1).
NEARLY = 0.05

# A "drastic degradation" loses at least this share of what the networks gain over guessing on the coarse curve, a
# quarter; theirs is 44 % (Fig. 5).
DRASTIC = 0.25

# "No effect" is within this share of the smallest effect on the other fractals of the same grid, on either side: below
# half of it the effect is closer to none than to that.
NO_EFFECT = 0.5

# "Slightly more than 0.5", and a benefit of depth that "is not noticeable", are within a tenth of the possible gain
# over guessing, 1/2.
CHANCE = 0.05

# A "good approximation" has this share of what the best network gains over chance.
GOOD = 0.5

# An error of zero is below this: as far as a test set of thousands can tell.
EXACT = 0.001

# A whole number that is at most 0 lies below this, and one of at least 1 above it.
WHOLE = 0.5

# A number that is zero but for rounding is below this.
TINY = 1e-12

# Excess of a network that knows some levels over the bound of Theorem 3, within the error of its test set.
SAMPLING = 0.01

# Error of guessing on two classes that are balanced.
HALF = 0.5

# Error of guessing on the ten classes of CIFAR-10.
GUESSING = 0.9

# Adam's rate in the authors' code, where no other is given.
USUAL_RATE = 0.005

# Norms of one constant over two samples differ by rounding in float32, those of outputs that vary by about 1 %.
SAME_NORM = 1e-5

# A linear region holds both classes "approximately alike" if one has at most a hundredth more of all samples there.
ALIKE = 0.01

# Accuracies agree with those of one network each on 5000 test samples within three standard errors of the smallest.
AGREES = 0.02

# One "cannot be learned if not approximated": the ranks of both errors agree strongly, which the usual scale of rank
# correlations says of this and more.
STRONG = 0.8

# Of the curves behind a correlation this share has its best rate inside of those that were offered: the rank of a curve
# says nothing where its rate was not found, and one in ten may lack it, as of the searches behind any error.
LEAST_RATES = 0.9

# A rank correlation needs this many curves: of ten, one of 0.63 can be told from none at 95 %; of fewer, larger ones.
FEWEST_CURVES = 10
