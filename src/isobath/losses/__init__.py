"""Losses: what is minimised, which samples training still has to satisfy, and which error is reported.

A loss is a file ``losses/<kind>.py`` with the constant

    TAKES = ("labels",) or ("labels", "targets")     class indices (n,), and real targets (n, K) as well

and the functions, all of torch tensors, with outputs (R, n, K) of R networks on n samples,

    value(outputs, targets, *, <settings>) -> (R, n)            per sample
    derivative_(outputs, targets, *, <settings>) -> (R, n, K)   of the value, written over the outputs
    encoded(labels, classes) -> (n, K)                          the targets of class indices; real targets are taken as
                                                                they are
    unsatisfied(outputs, truth, *, <settings>) -> bool (R, n)   whether training still has to satisfy a sample
    error(outputs, truth) -> (R, n)                             the error that is reported: whether a sample is
                                                                misclassified, or the squared error of real targets

Targets have the dtype of the outputs: what ``encoded`` returns is converted. With one output for two classes
(``TWO_CLASSES = 1``) class 1 is f > 0, and its target is +1 by the convention of ``squared_hinge``; with more, the
class is that of the largest output (``isobath.classes``).

The ``truth`` is what a data set has: labels (n,) or targets (n, K). The first, second and fourth function take the
settings that the signature of ``value`` declares. A network trains until no sample of its own is unsatisfied, as in the
papers on jamming. Real targets are in practice never met exactly, and with them it trains to the last epoch. The
derivative is that of a sample: it is divided by the size of the minibatch by its caller, who scales it anyway. Where an
output is NaN or infinite it is not finite either, at one output of the sample at least, since training tells by it that
a network has diverged: a bounded derivative takes ``torch.where(outputs.isfinite(), derivative, torch.nan)``. Minus
infinity beside finite outputs may stand for a class of no probability, as in cross-entropy.

Optional, for the speed of compiled code: ``Compiled``, a NamedTuple of the settings as floats, and

    fill_derivative(loss, outputs, targets, into)   writes the derivative into ``into``; all (B, K), of one network

in the subset of Python and NumPy that Numba compiles; ``loss`` is a ``Compiled``, and the arguments have these names.
Without it networks train at the speed of torch. It agrees with ``derivative_``: ``isobath test`` compares the two. On a
GPU the same function is compiled, sample by sample, if it takes its functions from ``math`` and makes no arrays; else
``derivative_`` is called there.

Optional: ``TWO_CLASSES = 1``, the number of outputs for two classes where that is not two; ``check(*, <settings>)``,
which refuses settings that contradict each other (ValueError); ``NEEDS = {setting: {other setting: value}}``, which
refuses a setting that does nothing unless the other has that value. Constants are read, not imported.

Settings that mean the same in all kinds:

- ``margin``: margin m from which on a sample costs nothing
"""

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from torch import Tensor

VERBS = ("value",)
PROVIDED = ()
DEFAULT = "cross_entropy"  # of protocols that name no loss; read, not imported


@runtime_checkable
class LossModule(Protocol):
    """A module of this family."""

    TAKES: tuple[str, ...]

    def value(self, outputs: "Tensor", targets: "Tensor") -> "Tensor":
        """Return the loss per sample, (R, n)."""

    def derivative_(self, outputs: "Tensor", targets: "Tensor") -> "Tensor":
        """Return the derivative with respect to the outputs, (R, n, K), written over them."""

    def encoded(self, labels: "Tensor", classes: int) -> "Tensor":
        """Return the targets (n, K) of class indices (n,)."""

    def unsatisfied(self, outputs: "Tensor", truth: "Tensor") -> "Tensor":
        """Return which samples training still has to satisfy, bool (R, n)."""

    def error(self, outputs: "Tensor", truth: "Tensor") -> "Tensor":
        """Return the error per sample that is reported, (R, n)."""
