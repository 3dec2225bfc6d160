"""Models of the plug-ins that a study names: those of its tables, and those inside their entries."""

from typing import Any, TypeGuard, get_args

from isobath.study.schema import Plugin, Study


def tables() -> dict[str, type[Plugin]]:
    """Return the tables of plug-ins in a study: key -> model of an entry."""
    values = {key: get_args(field.annotation)[-1:] for key, field in Study.model_fields.items()}
    return {key: model for key, models in values.items() for model in models if is_plugin(model)}


def nested() -> list[type[Plugin]]:
    """Return the models of the plug-ins that an entry holds, as a protocol holds a network."""
    fields = [field.annotation for model in tables().values() for field in model.model_fields.values()]
    return [annotation for annotation in fields if is_plugin(annotation)]


def is_plugin(annotation: Any) -> TypeGuard[type[Plugin]]:
    return isinstance(annotation, type) and issubclass(annotation, Plugin)
