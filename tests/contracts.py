"""What the contract tests of all families share."""

from isobath import plugins


def required(family, kind, **known):
    """Return settings that a kind takes: those without default, ``known`` or 2, and no others."""
    schema = plugins.schema(family, kind)
    return {name: known.get(name, 2) for name, (_, default) in schema.items() if default is ...}


def check_documented(family, kind):
    """Assert that a kind's module and its verb say what they are."""
    assert all(len(text.split()) > 3 for text in plugins.about(family, kind)), kind
