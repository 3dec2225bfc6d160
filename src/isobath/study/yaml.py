"""A strict reader of YAML: a refusal, with the line, of all that could surprise.

Words that are none are null, true, false and decimal numbers, as in YAML 1.2. ``1e-3`` is a number; ``no``, ``1:30``
and dates are strings. Refused are ``010``, duplicate keys, anchors, tags, merge keys, ``.nan`` and ``.inf``.
"""

import json
import math
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer

MAX_BYTES = 1_000_000
MAX_NESTING = 20
LONGEST = 80  # characters of a value that a sentence quotes


class YamlError(ValueError):
    """One sentence that names the file, the line and what is wrong."""


class _Loader(Composer, yaml.CSafeLoader):
    """Read events by libyaml, five times as fast as by Python, and compose nodes of them here."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 (PyYAML's own interface)
    nesting = 0

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        event = self.peek_event()
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _refused("anchors and aliases are not allowed", event)
        if tag := getattr(event, "tag", None):
            raise _refused(f"the tag {tag} is not allowed", event)
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise _refused(f"more than {MAX_NESTING} levels of nesting", event)
        node = super().compose_node(parent, index)
        self.nesting -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag not in _KEYS:
                raise _refused("a key must be a word", key)
            if key.value in keys:
                raise _refused(f"the key {key.value!r} stands twice", key)
            keys.add(key.value)
        return {key.value: self.construct_object(value, deep=True) for key, value in node.value}


class _Refusal(Exception):
    """A refusal with its line, which still lacks the name of the file."""


def _refused(reason: str, node: Any) -> _Refusal:
    return _Refusal(f"line {node.start_mark.line + 1}: {reason}")


def _number(loader: _Loader, node: yaml.ScalarNode) -> float:
    if re.fullmatch(r"[-+]?0\d.*", node.value):
        raise _refused(f"{shortened(node.value)} could be octal; write it without the leading zero", node)
    value = math.nan if "n" in node.value.lower() else float(node.value)  # .nan and .inf
    if not math.isfinite(value):
        raise _refused(f"{shortened(node.value)} is not a finite number", node)
    return int(node.value) if re.fullmatch(r"[-+]?\d+", node.value) else value


_PREFIX = "tag:yaml.org,2002:"
_KEYS = {_PREFIX + "str", _PREFIX + "int", _PREFIX + "float", _PREFIX + "bool"}
for _tag, _pattern, _first in (
    ("null", r"(?:~|null|)", ["~", "n", ""]),
    ("bool", r"(?:true|false)", list("tf")),
    (
        "float",
        r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
):
    _Loader.add_implicit_resolver(_PREFIX + _tag, re.compile(f"^(?:{_pattern})$"), _first)
_Loader.add_constructor(_PREFIX + "float", _number)


def load(path: Path) -> dict[str, Any]:
    """Return the mapping in a YAML file; an empty one is an empty mapping. Raises YamlError, in one sentence."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise YamlError(f"{path}: larger than {MAX_BYTES} bytes")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise YamlError(f"{path}: there is no such file") from None
    except OSError as error:
        raise YamlError(f"{path}: can't be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise YamlError(f"{path}: {error}") from None
    content = parse(text, str(path))
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise YamlError(f"{path}: must be a mapping of keys to values")
    return content


def written(value: Any) -> str:
    """Return a value as a file has it, on one line, to be quoted in a sentence: null and true, not None and True."""
    return shortened(repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))


def shortened(text: str) -> str:
    """Return a text of at most LONGEST characters, the last of which are dots where it was longer."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


@lru_cache(maxsize=256)
def _as_json(text: str) -> str:
    """Return what a text says as JSON: a file is read for each scale and each check, and JSON is read far faster."""
    return json.dumps(yaml.load(text, _Loader))  # noqa: S506 (a SafeLoader)


def parse(text: str, origin: str) -> Any:
    """Return what a text says, such as a file or a value of the command line. Raises YamlError, in one sentence."""
    try:
        return json.loads(_as_json(text))
    except _Refusal as refusal:
        raise YamlError(f"{origin}, {refusal}") from None
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise YamlError(f"{origin}{line}: {error.problem}") from None
    except yaml.YAMLError as error:
        raise YamlError(f"{origin}: {' '.join(str(error).split())}") from None
