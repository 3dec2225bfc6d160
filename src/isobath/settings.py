"""Types of settings: the annotations that the arguments of a plug-in's function may have.

To Python they are int, float and str. The check of a study reads their ranges and tables, so a wrong value is refused
before any job runs. ``Literal[...]``, ``bool``, ``str`` and ``tuple[..., ...]`` can be used as well.
"""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Gt, Le, Lt


@dataclass(frozen=True)
class Names:
    """Marks a setting as the name of an entry of a table of the study, such as ``tasks``."""

    table: str


Count = Annotated[int, Ge(1), Le(10**12)]
Index = Annotated[int, Ge(0), Le(10**12)]
Positive = Annotated[float, Gt(0)]
NonNegative = Annotated[float, Ge(0)]
Fraction = Annotated[float, Ge(0), Lt(1)]
Open = Annotated[float, Gt(0), Lt(1)]

TaskName = Annotated[str, Names("tasks")]
ProtocolName = Annotated[str, Names("protocols")]
KernelName = Annotated[str, Names("kernels")]
ConstructionName = Annotated[str, Names("constructions")]
CalculationName = Annotated[str, Names("calculations")]
LawName = Annotated[str, Names("laws")]
