"""Types of settings: the annotations that the arguments of a plug-in's function may have.

To Python they are int, float, str and Any. The check of a study reads their ranges, tables and families, so a wrong
value is refused before any job runs. ``Literal[...]``, ``bool``, ``str``, ``tuple[..., ...]`` and ``dict[str, ...]``
can be used as well. ``Values[...]`` is a tuple whose values name the places of a dim: one or more, none twice. It may
hold several plug-ins, if the setting is called as their folder:
``initialisations: Values[tuple[str, Initialisation]]``.
"""

import json
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from annotated_types import Ge, Gt, Le, Lt, MinLen


class Names(NamedTuple):
    """Marks a setting as the name of an entry of a table of the study, such as ``tasks``."""

    table: str


class Family(NamedTuple):
    """Marks a setting as a plug-in of a family: a kind, or a mapping of ``kind`` and settings."""

    name: str

    def __get_pydantic_json_schema__(self, _core_schema: Any, _handler: Any) -> dict[str, str]:
        """Return the JSON schema of the setting; json_schema.py gives the definition that it refers to."""
        return {"family": self.name}


class Distinct:
    """Marks a setting as a list in which nothing stands twice; of entries that are lists the first value, a name."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the check of the list, once its entries have been checked."""
        from pydantic_core import PydanticCustomError, core_schema  # noqa: PLC0415 (plans alone need it)

        def distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
            if len({_known_by(value) for value in values}) < len(values):
                raise PydanticCustomError("stands_twice", "a value stands twice")
            return values

        return core_schema.no_info_after_validator_function(distinct, handler(source))


def _known_by(value: Any) -> Any:
    """Return what tells an entry of a list from the others: of a list its first value, of a mapping all that it has."""
    first = value[0] if isinstance(value, tuple) else value
    return json.dumps(first, sort_keys=True) if isinstance(first, dict) else first


class Exact(NamedTuple):
    """Marks a setting as one of ``choices``, none of which is true or false, though Python takes these for 1 and 0."""

    choices: tuple[Any, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the check of a value, before it is compared with the choices."""
        from pydantic_core import PydanticCustomError, core_schema  # noqa: PLC0415 (plans alone need it)

        def exact(value: Any) -> Any:
            if isinstance(value, bool):
                raise PydanticCustomError("choice", f"input should be {' or '.join(map(repr, self.choices))}")
            return value

        return core_schema.no_info_before_validator_function(exact, handler(source))


class ExactLiteral:
    """The type ``Literal`` as the check of a study reads it: see Exact."""

    def __getitem__(self, choices: Any) -> Any:
        """Return the type of a setting that is one of some words and numbers, or of ``True`` and ``False``."""
        literal: Any = Literal
        listed = choices if isinstance(choices, tuple) else (choices,)
        plain = literal[listed]
        return plain if any(isinstance(choice, bool) for choice in listed) else Annotated[plain, Exact(listed)]


T = TypeVar("T")
Values = Annotated[tuple[T, ...], MinLen(1), Distinct()]

Count = Annotated[int, Ge(1), Le(10**12)]
Index = Annotated[int, Ge(0), Le(10**12)]
Positive = Annotated[float, Gt(0)]
NonNegative = Annotated[float, Ge(0)]
Fraction = Annotated[float, Ge(0), Lt(1)]
Open = Annotated[float, Gt(0), Lt(1)]
Depths = Annotated[tuple[Count, ...], Distinct()]  # of a kernel; none of one without depth

TaskName = Annotated[str, Names("tasks")]
ProtocolName = Annotated[str, Names("protocols")]
KernelName = Annotated[str, Names("kernels")]
ConstructionName = Annotated[str, Names("constructions")]
CalculationName = Annotated[str, Names("calculations")]
LawName = Annotated[str, Names("laws")]

Network = Annotated[Any, Family("network")]
Initialisation = Annotated[Any, Family("initialisation")]
Loss = Annotated[Any, Family("loss")]
Kernel = Annotated[Any, Family("kernel")]
