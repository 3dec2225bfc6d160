"""Bounds that turn the words of Bietti & Bach into numbers.

The source has exponents and says that kernels of different depth are "equal"; the bounds are choices of this package.
Some were fixed after a first look at the results that they judge: the changelog says which.
"""

# "The same decay": exponents within this of the theorem. Windows of 200 to 600 degrees leave .003 at d = 3 to 10; .02
# is the least difference that a reader would call one.
SAME_EXPONENT = 0.02

# A depth that changes the exponent of the decay changes it by more than this.
OTHER_EXPONENT = 0.02

# The constant is predicted up to terms of order K^-2, which at 600 degrees are 1e-4; a wrong constant is off by more.
SAME_CONSTANT = 0.005

# The last degree from which on terms of order K^-2 are at most a tenth of SAME_CONSTANT, with a coefficient of 5 as at
# d = 10.
LARGE_DEGREE = 100

# The constant of a gamma-exponential kernel, whose next terms are of order K^(-2 gamma), 1e-3.
SAME_CONSTANT_OF_EXPONENTIAL = 0.01

# A gap that falls as K^-2: its exponent between half of the degrees and all of them is within this of -2.
FALL, SAME_FALL = (0.5, 1.0), 0.2

# A constant that grows with depth: by more than this factor from two layers to eight. (L - 1)-fold growth gives 3 to 7.
GROWS = 2.0

# What vanishes is stored as 0; anything else is larger than this.
VANISHES = 1e-100

# "Deep equals shallow": |log of the ratio of errors|. 5 % for the NTK, whose spectra differ least, 10 % for random
# features.
EQUAL_ERRORS = {"ntk": 0.05, "rf": 0.1}

# Images that "do not ask for depth": accuracies that differ by less than a per cent.
EQUAL_ACCURACY = 0.01

# The least number of samples: errors of fewer points say little about a kernel.
MANY_SAMPLES = 500

# Equal learning rates: slopes of log error against log n that differ by less, a sixth of the slope, -1/3.
EQUAL_SLOPES = 0.05

# The slope is fitted from this number of samples on, where the cap is resolved.
SLOPE_FROM = 200

# A difference that would be taken for a gain of depth: errors that differ by more than half of one.
LOOKS_LIKE_DEPTH = 1.5

# A theory that predicts a regression: |log of measured over predicted error|.
PREDICTED = 0.1

# Where the theory applies: smaller ridges leave the least eigenvalues of the Gram matrix alone, which it averages.
LEAST_RIDGE = 1e-5

# Gram spectra are judged where the harmonics of larger eigenvalues are at most this share of the points.
FEW_HARMONICS = 1 / 40

# At so few harmonics the mean eigenvalue of a degree is that of the kernel within this share.
SAME_EIGENVALUE = 0.05

# A ridge at an end of the list in more than this share of the draws: the list is too short to say which is best.
AT_EDGE = 0.5

# Predicted errors of labels are those of the regression within this: a twenty-fifth of the error of guessing.
EQUAL_ERROR = 0.02

# A prediction of errors explains what a kernel learns if it misses at most this share of the gain over guessing.
EXPLAINED = 0.5

# The error of guessing on two classes.
GUESSING = 0.5

# Lazy networks are their own tangent kernel: errors that differ by less, a twenty-fifth of that of guessing.
EQUAL_TO_KERNEL = 0.02

# A gain of depth that has vanished: less than the difference that is taken for none above.
VANISHED = 0.02

# The alpha of the crossover falls as H^-1/2: its exponent is within this of -1/2.
SAME_CROSSOVER = 0.2

# The slope of the crossover is compared with that of the larger half of the widths from this number of widths on: a
# slope takes two of them.
HALVED_WIDTHS = 4

# A crossover is one if the errors of its two ends differ by more than this, two of what counts as none.
CROSSES = 0.04

# A plateau at the smallest alphas: of the rise of the error to the largest, less than a tenth lies between the first
# two. What is halfway moves by half of that.
PLATEAU = 0.1

# The error at which sample sizes are compared: half of that of guessing.
HALF_LEARNED = 0.25

# Dimensions that an exponent needs: any exponent fits two.
FEWEST_DIMENSIONS = 3

# A tangent kernel learns a polynomial of degree k from about d^k samples, the number of harmonics of that degree.
SAME_SAMPLES = 0.3

# Networks that learn a local label in fewer have an exponent below this, of k = 2.
FEWER_SAMPLES = 1.5

# Tangent kernels of finite networks deviate from their limit by H^-1/2: the exponent is within this of -1/2.
SAME_DEVIATION = 0.15

# The exponent of networks with biases is within a closer bound of -1/2: a fifth of it.
CLOSE_DEVIATION = 0.1
