"""The types that a setting can have: what the signature of a plug-in may be annotated with.

To Python they are int, float and Any; to the check of a study they carry what is allowed, so that a wrong value is
refused before any job runs. ``Literal[...]``, ``bool``, ``str`` and ``tuple[..., ...]`` serve as well. A setting of the
type ``Initialisation`` holds a plug-in of that family: a kind, or a mapping of ``kind`` and settings. A tuple may hold
several, if the setting is called as their folder: ``initialisations: tuple[tuple[str, Initialisation], ...]``.
"""

from typing import Annotated, Any, NamedTuple

from annotated_types import Ge, Gt, Le, Lt

Count = Annotated[int, Ge(1), Le(10**12)]
Index = Annotated[int, Ge(0), Le(10**12)]
Positive = Annotated[float, Gt(0)]
NonNegative = Annotated[float, Ge(0)]
Fraction = Annotated[float, Ge(0), Lt(1)]


class Family(NamedTuple):
    """The mark of a setting that holds a plug-in."""

    name: str


Network = Annotated[Any, Family("network")]
Initialisation = Annotated[Any, Family("initialisation")]
Loss = Annotated[Any, Family("loss")]
Kernel = Annotated[Any, Family("kernel")]
