"""Modules as they are written: read from their syntax, without running them; and their errors where they are run."""

import ast
import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isobath import roots, sources


class PluginError(ValueError):
    """Raised for a plug-in that does not exist, or that does not have the shape of its family."""


@roots.cached
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file. Raises PluginError, with the line, for what is no Python."""
    try:
        return ast.parse(sources.text(path), str(path))
    except (SyntaxError, UnicodeDecodeError) as error:
        line = getattr(error, "lineno", None)
        raise PluginError(f"{path}{f', line {line}' if line else ''}: {getattr(error, 'msg', error)}") from None


def functions(path: Path) -> dict[str, ast.FunctionDef | ast.Assign | ast.AnnAssign]:
    """Return top-level functions, and names that are assigned (``check = other.check``); none if there is no file."""
    try:
        return _of_file(path)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        return {}


@roots.cached
def _of_file(path: Path) -> dict[str, ast.FunctionDef | ast.Assign | ast.AnnAssign]:
    body = tree(path).body
    plain = {t.id: n for n in body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    typed = {n.target.id: n for n in body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    return {**plain, **typed, **{n.name: n for n in body if isinstance(n, ast.FunctionDef)}}


def constant(path: Path, name: str, default: Any = None) -> Any:
    """Return a constant of a file, or the default where it has none. Raises PluginError."""
    node = functions(path).get(name)
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return default if value is None else value_of(value, f"{path}: {name}")


def value_of(node: ast.expr, subject: str) -> Any:
    """Return the value of an expression. Raises PluginError, which begins with ``subject``, for one to be run."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        raise PluginError(
            f"{subject} is {ast.unparse(node):.80}, and is read without running the file; write its value out: "
            "numbers, words, or tuples, lists and mappings of them"
        ) from None


def type_of(argument: ast.arg, subject: str) -> str:
    """Return the type of an argument as it is written. Raises PluginError, which begins with ``subject``."""
    if argument.annotation is None:
        raise PluginError(f"{subject} has no type")
    if isinstance(argument.annotation, ast.Constant) and isinstance(argument.annotation.value, str):
        raise PluginError(f"{subject} has its type in quotes; write {argument.annotation.value} without them")
    return ast.unparse(argument.annotation)


def refuse_quoted_types(module: ast.Module, file: Path) -> None:
    """Refuse (PluginError) a module whose types are all in quotes, which no setting may be."""
    imports = (node for node in module.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
    if any(name.name == "annotations" for node in imports for name in node.names):
        raise PluginError(f"{file}: from __future__ import annotations puts its types in quotes; leave that line out")


@contextlib.contextmanager
def plugin_errors(subject: str, *, refusals: tuple[type[Exception], ...] = (PluginError,)) -> Iterator[None]:
    """Raise PluginError, one sentence that begins with ``subject``, for an error in the code of a plug-in.

    Exceptions of the types ``refusals`` pass as they are.
    """
    try:
        yield
    except refusals:
        raise
    except (Exception, SystemExit) as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise PluginError(f"{subject}: {reason:.300}") from error
