"""The objective of a training: a loss plug-in together with its settings."""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from isobath.classes import is_real
from isobath.plugin_arrays import shaped
from isobath.training import fused


@dataclass(frozen=True)
class Loss:
    """A loss plug-in (see losses) together with its settings.

    Outputs are (R, n, K), targets (n, K) or (R, n, K), and the truth of a data set is labels (n,) or targets (n, K).
    """

    module: Any
    settings: dict[str, Any] = field(default_factory=dict)

    def value(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the loss of each sample, (R, n)."""
        losses: Tensor = self.module.value(outputs, targets, **self.settings)
        return shaped(self.module.value, losses, outputs.shape[:-1], "losses")

    def derivative_(self, outputs: Tensor, targets: Tensor) -> Tensor:
        """Return the derivative with respect to the outputs, (R, n, K), which may be written over."""
        if fused.fuses(outputs.device) and (settings := self.compiled()) is not None:
            delta = fused.loss_derivative(self.module.fill_derivative, settings, outputs, targets)
            if delta is not None:
                return delta
        return self.module.derivative_(outputs, targets, **self.settings)  # type: ignore[no-any-return]

    def unsatisfied(self, outputs: Tensor, truth: Tensor) -> Tensor:
        """Return which samples training still has to satisfy, bool (R, n)."""
        return self.module.unsatisfied(outputs, truth, **self.settings)  # type: ignore[no-any-return]

    def error(self, outputs: Tensor, truth: Tensor) -> Tensor:
        """Return the error of each sample, (R, n): whether it is misclassified (bool), or the squared error."""
        return self.module.error(outputs, truth)  # type: ignore[no-any-return]

    def targets(self, truth: Tensor, dtype: torch.dtype) -> Tensor:
        """Return the targets (n, K) of labels (n,), at least two classes, or real targets as they are."""
        self.require(is_real(truth))
        if is_real(truth):
            return truth.to(dtype)
        encoded: Tensor = self.module.encoded(truth, max(2, int(truth.max()) + 1))
        return encoded.to(dtype)

    def compiled(self) -> Any:
        """Return the settings of the derivative in compiled code (see training.compiled); None if there is none."""
        settings = getattr(self.module, "Compiled", None)
        values = (self.module.value.__kwdefaults__ or {}) | self.settings
        return settings(**{name: float(value) for name, value in values.items()}) if settings else None

    def require(self, real: bool) -> None:
        """Refuse a data set of real targets, or of classes, that the loss does not take (ValueError)."""
        kind, truth = self.module.__name__.rpartition(".")[2], "targets" if real else "labels"
        if truth not in self.module.TAKES:
            needs = " or ".join(_NATURES[takes] for takes in self.module.TAKES)
            raise ValueError(f"the loss {kind} takes {needs}; the data set has {_NATURES[truth]}")


_NATURES = {"labels": "classes", "targets": "real targets"}
