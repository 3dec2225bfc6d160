"""Keys that every entry of a table has besides the settings of its kind, whose names no setting can have."""

from isobath import plugins
from isobath.study.plugin_models import nested, tables
from isobath.study.schema import Plugin
from isobath.study.shorthand import Shorthand


def keys_of(family: str) -> list[str]:
    """Return the keys that every plug-in of a family has, whatever its kind, in their order."""
    model = next((model for model in [*tables().values(), *nested()] if model.family == family), Plugin)
    shorthand = Shorthand.model_fields if model in tables().values() else ()
    return [*model.model_fields, *shorthand]


def require_free_names(family: str, kind: str) -> None:
    """Refuse a kind with a setting that has the name of a key of its family, which no study could set (PluginError).

    A kind with a dot in its name is refused as well: it would be taken for a module in a package.
    """
    keys = keys_of(family)
    clash = next((name for name in plugins.declared(family, kind) if name in keys), None)
    if "." in kind:
        raise plugins.PluginError(f"{plugins.path(family, kind)}: Python can't import a name with a dot; rename it")
    if clash:
        verb = plugins.verb_of(family, kind)
        raise plugins.PluginError(
            f"{plugins.path(family, kind)}: the setting {clash} of {verb} must have another name: {', '.join(keys)} "
            f"are keys of every {family}, and never reach {verb}"
        )
