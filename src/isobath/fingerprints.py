"""Fingerprints of code: digests of the syntax trees of a stage, of its plug-ins and of all that they import.

A fingerprint ignores comments, docstrings and layout. Modules that only carry data are left out. A module of the user's
own stands for the files that it reads as well: those of its root whose names are in its strings.
"""

import ast
import contextlib
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from importlib import util
from pathlib import Path, PurePath
from typing import Any

from isobath import binding, claim_files, plugins, roots, sources

# Packages and modules that carry data and decide nothing about them: their meaning is in specs and inputs.
GLUE = (
    *(
        ".binding",
        ".plugins",
        ".claim_files",
        ".roots",
        ".fingerprints",
        ".sources",
        ".store_metadata",
        ".paths",
        ".syntax",
    ),
    *(".study", ".results", ".disk"),
    *(".data.downloads", ".jobs.command_line", ".jobs.provenance", ".jobs.time_limits", ".jobs.variables"),
    ".data.unzipping",
)
TABLES = ("studies", "grids", "laws")  # of specs, beside those of the families


def fingerprint(stage: str, spec: Mapping[str, Any]) -> str:
    """Return a digest of the code that a stage runs for ``spec``: 16 hexadecimal digits."""
    return _of_modules(*modules(stage, spec))


def modules(stage: str, spec: Mapping[str, Any]) -> list[str]:
    """Return the module of a stage, and those of the plug-ins and claims that ``spec`` names."""
    return [f"isobath.stages.{stage}", *sorted({*named(spec)})]


def files(modules: Iterable[str]) -> set[Path]:
    """Return the files of modules, of all that they import or name, of the packages around these, and what they read.

    Python runs the ``__init__.py`` of a package before a module in it. A network names the module of its size.
    """
    all_modules: set[str] = set()
    todo = {*modules}
    while todo:
        all_modules |= (reached := {*todo}.union(*map(_closure, todo)))
        around = {name.rpartition(".")[0] for name in reached}
        todo = around.union(text.partition(":")[0] for name in reached for text in _strings(name)) - {"", *all_modules}
    return {path for name in all_modules for path in (_file(name), *_read_by(name)) if path}


def read_ahead() -> Iterator[str]:
    """Yield the modules of the package, each when it has been read: later fingerprints, of forks too, are quick."""
    for family in plugins.families():  # read from their contracts, as settings from the plug-ins, and remembered
        for file in (plugins.PACKAGE / binding.plural(family)).glob("[!_.]*.py"):
            plugins.schema(family, file.stem)
    for path in sorted(plugins.PACKAGE.rglob("*.py")):
        parts = path.relative_to(plugins.PACKAGE.parent).with_suffix("").parts
        module = ".".join(parts).removesuffix(".__init__")
        _imports(module)
        if not _is_glue(module):
            _meaning(module)
        yield module


@roots.cached
def _of_modules(*modules: str) -> str:
    digest = hashlib.sha256()
    for module in sorted(set().union(*map(_closure, modules))):
        if _is_glue(module):
            continue
        digest.update(f"{module}\0{_meaning(module)}\0".encode())
    return digest.hexdigest()[:16]


class CodeChanged(RuntimeError):
    """A job would run other code than it was asked for, and its result would bear the wrong label."""


def require(stage: str, spec: Mapping[str, Any], code: str) -> None:
    """Raise CodeChanged unless ``code`` is the fingerprint of the stage in this process."""
    actual = fingerprint(stage, spec)
    if actual != code:
        raise CodeChanged(
            f"the stage {stage} of {plugins.PACKAGE} is code {actual}, and code {code} was asked for: it was edited "
            "while the run went on, or it is another copy of isobath; run again"
        )


def _is_glue(module: str) -> bool:
    places = [f"isobath{place}" for place in GLUE]
    within = module == "isobath" or any(module == place or module.startswith(f"{place}.") for place in places)
    return within and not ((path := _file(module)) and roots.is_own(str(path)))


def named(spec: Any) -> Iterator[str]:
    """Yield the modules of the plug-ins that a spec names, at any depth, and of the claims of a study.

    A plug-in is ``{family: {"kind": ...}}``; those among its settings are what the types of these say.
    """
    if not isinstance(spec, Mapping):
        return
    tables = {*map(binding.plural, plugins.families()), *TABLES}
    for key, value in spec.items():
        if key in tables and isinstance(value, Mapping):  # its keys are names of the user's
            yield from (module for entry in value.values() for module in named(entry))
        elif key in plugins.families() and isinstance(value, Mapping) and "kind" in value:
            yield from _of_plugin(key, value)
        elif key == "claims" and isinstance(value, list):
            yield from (claim_files.claim_module(spec["study"], name) for name in value)
        else:
            yield from named(value)


def _of_plugin(family: str, plugin: Any) -> Iterator[str]:
    """Yield the module of a plug-in, and those of the plug-ins that its settings and its other keys name."""
    kind, settings = binding.parts(plugin)
    yield plugins.module(family, kind)
    types, inner = plugins.schema(family, kind), []
    for name in settings.keys() & types.keys():
        binding.over_nested(types[name][0], settings[name], lambda f, p, _: inner.append((f, p)))
    yield from (module for found in inner for module in _of_plugin(*found))
    yield from named({name: value for name, value in settings.items() if name not in types})


def _file(module: str) -> Path | None:
    first, *rest = module.split(".")
    places = plugins.roots() if first == "isobath" else [roots.packages()[first]] if first in roots.packages() else []
    bases = [place.joinpath(*rest) for place in places]
    return next((p for base in bases for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


@roots.cached
def _closure(module: str) -> frozenset[str]:
    """Return a module and all modules of isobath and of own roots that it imports, directly or not."""
    closure: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        if name not in closure and (imported := _imports(name)) is not None:
            closure.add(name)
            todo += imported
    return frozenset(closure)


@roots.cached
def _imports(module: str) -> tuple[str, ...] | None:
    """Return the modules that a module imports; None for one that is not of isobath or of own roots."""
    path = _file(module)
    if path is None:
        return None
    names: dict[str, None] = {}  # the tree is not kept: all trees together take as much as a thousand jobs
    if module.partition(".")[0] in roots.packages() and "." in module:
        names[module.rpartition(".")[0]] = None  # an own package, which Python imports first
    for node in ast.walk(ast.parse(sources.text(path), str(path))):
        if isinstance(node, ast.Import):
            names.update(dict.fromkeys(alias.name for alias in node.names))
        elif isinstance(node, ast.ImportFrom):
            # from ..x import y: as many packages up as there are dots
            above = (module if path.stem == "__init__" else module.rpartition(".")[0]).split(".")
            package = above[: len(above) - node.level + 1] if node.level else []
            origin = ".".join([*package, *([node.module] if node.module else [])])
            names.update(dict.fromkeys([origin, *(f"{origin}.{alias.name}" for alias in node.names)]))
        elif isinstance(node, ast.Call) and roots.is_own(str(path)) and (called := _called(node, module)):
            names[called] = None  # the package names its library so, that no job depends on it
    return tuple(names)


def _called(node: ast.Call, module: str) -> str:
    """Return the module that a call of ``import_module`` or ``__import__`` names in words; "" for any other call.

    A name that begins with dots is relative to the package that is named beside it, or to that of the ``module``.
    """
    function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if function not in ("import_module", "__import__"):
        return ""
    given = dict(zip(("name", "package"), node.args, strict=False)) | {word.arg: word.value for word in node.keywords}
    name, package = (getattr(given.get(key), "value", "") for key in ("name", "package"))
    if not isinstance(name, str) or not name.startswith("."):
        return name if isinstance(name, str) else ""
    with contextlib.suppress(ImportError):  # more dots than packages
        return util.resolve_name(name, package if isinstance(package, str) and package else module.rpartition(".")[0])
    return ""


@roots.cached
def _meaning(module: str) -> str:
    """Return the source without comments, docstrings and layout; that of a package has its templates and stylesheets.

    A module of the user's own comes with the digests of the files that it reads.
    """
    path = _file(module)
    beside = path.parent.iterdir() if path and path.stem == "__init__" else ()
    words = [sources.text(file) for file in sorted(beside) if file.suffix in (".html", ".css", ".js")]
    for file in _read_by(module):
        with file.open("rb") as content:
            words.append(f"{file.name}\0{hashlib.file_digest(content, 'sha256').hexdigest()}")
    return "\0".join([written(_bare(path)), *words])


def written(node: Any) -> str:
    """Return a syntax tree in words that are the same in all versions of Python, as those of ``ast`` are not."""
    if isinstance(node, list):
        return f"[{' '.join(map(written, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = ((name, value) for name, value in ast.iter_fields(node) if value is not None and value != [])
    return f"({' '.join([type(node).__name__, *(f'{name}={written(value)}' for name, value in fields)])})"


def _bare(path: Path | None) -> ast.Module:
    """Return the syntax tree of a file without docstrings."""
    tree = ast.parse(sources.text(path) if path else "")
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:] or [ast.Pass()]
    return tree


@roots.cached
def _read_by(module: str) -> tuple[Path, ...]:
    """Return the files that a module of the user's own reads: those of its root that one of its strings ends with."""
    names = {PurePath(text).name for text in _strings(module)}
    path = _file(module)
    folders = [folder for folder in roots.own() if names and path and path.is_relative_to(folder)]
    return tuple(file for folder in folders[:1] for file in roots.data(folder) if file.name in names)


@roots.cached
def _strings(module: str) -> frozenset[str]:
    """Return the strings in a module of the user's own, but for docstrings; none of a module of ours."""
    path = _file(module)
    nodes = ast.walk(_bare(path)) if path and roots.is_own(str(path)) else ()
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return frozenset(value for value in constants if isinstance(value, str))
