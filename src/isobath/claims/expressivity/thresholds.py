"""Bounds that turn the words of the lecture notes into numbers.

They were fixed before the runs that they judge; where a criterion was changed after a run, the changelog says so.
Exact counts and proved bounds have bounds of their own. Where a source has words alone, or where a claim is ours, the
numbers are choices of this package.
"""

import math

# A whole number that is 0 lies within this of it.
WHOLE = 0.5

# A number that is zero, or one, but for quadrature or rounding.
TINY = 1e-8

# The printed number of triangles, (2 t)^l, is twice the counted one.
HALF = 0.5

# "More per parameter": the folding network is exact, and one layer of as many parameters has a ceiling of 0.6 at six
# folds; more than 3/4 of what that leaves.
MORE_PER_PARAMETER = 0.3

# The expressed functions are compared at six folds, to which that ceiling belongs.
EXPRESSED = 6

# Folds that one hidden layer learns about as well as three: what depth gains is told from the next on.
LEARNED_BY_ONE = 3
# The claim on learning is made at that next number; fewer and more are shown beside.
SEPARATING = LEARNED_BY_ONE + 1
# Depth learns more folds if it adds a tenth of the possible gain over guessing, 1/2.
MORE_FOLDS = 0.05

# Networks of the construction's own size are claimed not to learn this many folds and more: in trials before the
# study most of them learned one, almost none two, and none three.
FEW = 3
# A network of the construction's own size has found the folds above this accuracy: the last kinks have a width.
FOUND = 0.98
# It is not learned if fewer than one of five networks find it.
RARELY = 0.2
# The same training finds a single fold in most networks: else that it finds no others says nothing.
MOSTLY = 0.5

# An accuracy halfway between that of the exact network and guessing.
HALFWAY = 0.75
# The noise at which it falls to that shrinks by a power of two per fold if slopes double; by more than half of that.
SHRINKS = -0.5
# A number of folds has that noise if nine of ten networks fall so far within the noise that was tried; a slope over the
# folds takes three of them: through two a line always passes.
FALLEN, FEWEST_FOLDS = 0.9, 3
# Training from the exact network comes to guessing, 1/2, if less than a tenth of the gain over it is left.
LEFT = 0.55
# It is claimed at eight folds, where Adam's steps are larger than the basin of the exact network.
MANY = 8
# It is claimed at this rate, at which such networks learn few folds; smaller rates are judged apart.
LEAVING = 0.003

# A radial profile is expressed if a construction has it right but for the samples beside its steps.
PROFILE = 0.95

# A mass that is not one, where the printed ball has it: it is off by more than any quadrature.
NOT_ONE = 0.1

# A gain of depth in the accuracy on shells: three standard errors of a test set of 5000 samples.
SHELLS = 0.02
# It is claimed from this dimension on, the least in which it showed in trials before the study.
HIGH = 5

# A ball "needs no second layer" if one more spares less than a quarter of the error.
SPARED = 0.25

# Tubes "cover little" of a shell: less than this share in the largest of the dimensions.
LITTLE = 1e-3
# Energy of a network's transform outside of its tubes that aliasing in the discrete transform may cause.
ALIASED = 0.01
# Energy that other functions, such as shells, have there: ten times more.
OFF_TUBES = 0.1

# Dimensions that a slope needs: through two a line always passes.
FEWEST_DIMENSIONS = 3
# A width polynomial in d: at most its third power (by the worst case it is d^(3/2)).
CUBIC = 3.0

# Deviations of first order in eta have the slope 1 in logarithms, those of second order 2, within this.
SLOPE = 0.05
# A rule that fails is off by more than this share of the step.
FAILS = 0.1
# The weighted sum of past gradients is w but for the start and second orders: within a tenth.
WEIGHTED = 0.1

# "Accelerates": at least 30 % fewer steps.
FASTER = 1.3
# "No acceleration": less than 20 % fewer.
NOT_FASTER = 1.2
# A list of rates is dense enough if one of twice its step moves ln of an acceleration by less than half of the step,
# which is a quarter octave: by a whole step it moves where the list decides which rate is best.
OF_A_STEP = math.log(2) / 8
# The gaps (L - L*) / (L_0 - L*) at which steps are counted. Which method is faster depends on the gap, so two of them,
# half a decade apart, have to agree.
GAPS = (1e-3, 3e-3)

# An architecture that is easier to optimise closes at least half of the gap between deep and shallow networks.
CLOSED = 0.5

# Numbers of parameters count as equal within a tenth: whole units of one layer can't match those of five exactly.
EQUAL_SIZES = 1.1
