"""Bounds that turn the words of Mori & Ueda into numbers, and the settings that their claims name.

The paper gives words and curves, no bounds: the numbers are choices of this package.
"""

# "Less than half" of a variance.
HALF = 0.5

# The error of guessing on two classes that are balanced.
CHANCE = 0.5

# "Shallow" and "deep": the hidden layers L of the networks in all figures but Fig. 3, which has the depths between.
SHALLOW, DEEP = 1, 7

# A slope of the error per layer needs this many depths: through two a line always passes.
FEWEST_DEPTHS = 3

# Another depth at which gains on labels of m terms are looked at.
BETWEEN = 3

# "Almost completely fails to classify" (Fig. 2): an error above this, four fifths of that of chance.
FAILS = 0.40

# "Comparable" (Figs 1, 2 (c) and 4): errors that differ by less than this share of the other.
COMPARABLE = 0.25

# "No important difference" between labels (Fig. 1): less than this fraction of the error, which varies much with N.
ALIKE = 0.15

# "Almost perfectly" (section 4 and footnote 3): an error below this, a tenth of that of chance.
PERFECT = 0.05

# Width of the largest of the networks of "10 to 100" units (footnote 3).
NARROW = 100

# A gain in error that counts as learning, in claims that say "fails", "far more", "strongly" or "learns": a tenth of
# chance.
LEARNS = 0.05

# Networks that "widen" do so by this factor at least: the paper's widths are 100 and 500. Twice as wide, networks
# whose distance from the NTK falls as fast as H^-1/2 keep 0.7 of it.
WIDENS = 4

# "Not too large" an error of nonlinear networks, against the perceptron's (Fig. 1): less than this many times.
TOO_LARGE = 2

# A dependence that is "captured", and a distance that is "approached": this share of it at least.
SHARE = 0.5

# Zero training error, "which is possible in an overparameterized regime" (section 2.3): reached by more than this
# fraction of the networks.
ALWAYS = 0.9

# A gain of depth that a rotation of the inputs leaves as it is changes by less than this share of that at m = 1.
SAME_GAIN = 0.25

# "Far below d": the number of terms at which the gain of depth has changed its sign is at most this share of d.
FAR_BELOW = 0.25

# Bias beta of the NTK of the paper; the claim on parity is about larger ones.
PAPER_BIAS = 0.1
