"""The types that a setting can have: what the signature of a plug-in may be annotated with.

To Python they are int and float; to config.py they carry the allowed range, so that a wrong
value is refused before any job runs. ``Literal[...]``, ``bool``, ``str`` and ``tuple[..., ...]``
serve as well.
"""

from typing import Annotated

from annotated_types import Ge, Gt, Le, Lt

Count = Annotated[int, Ge(1), Le(10**12)]
Index = Annotated[int, Ge(0), Le(10**12)]
Positive = Annotated[float, Gt(0)]
NonNegative = Annotated[float, Ge(0)]
Fraction = Annotated[float, Ge(0), Lt(1)]
Open = Annotated[float, Gt(0), Lt(1)]
