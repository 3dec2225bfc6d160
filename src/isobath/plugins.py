"""Plug-ins: a file name is a kind, the signature of its verb is a schema, and its family says what it must have.

``tasks/k_local.py`` is the task of kind ``k_local``. A folder is a family if its ``__init__`` has ``VERBS``, the
functions of which a kind must have one, and ``PROVIDED``, the keyword-only arguments that the caller provides. All
others are settings: what a study file may say about a kind is read from there, without importing it (it may import
torch).
"""

import ast
import difflib
import importlib
import typing
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isobath import roots as overlays
from isobath import settings, sources
from isobath.binding import folder, load, named_by, parts

if TYPE_CHECKING:
    from isobath.tasks import Ends

PACKAGE = Path(__file__).parent


class PluginError(ValueError):
    """There is no such plug-in, or it does not have the shape of its family."""


def roots() -> list[Path]:
    """Return the folders in which plug-ins lie: the package, then those of the user's own."""
    return [PACKAGE, *overlays.own()]


def families() -> list[str]:
    """Return the names of all families, in the singular."""
    return _families(PACKAGE)


@cache
def _families(package: Path) -> list[str]:
    packages = sorted(package.glob("*/__init__.py"))
    return [singular(path.parent.name) for path in packages if "VERBS" in _functions(path)]


def singular(folder: str) -> str:
    """Return the family of a folder."""
    return folder.removesuffix("es") if folder.endswith("sses") else folder.removesuffix("s")


def contracts() -> list[str]:
    """Return the names of all folders that state a contract: families, and those whose files a study does not name."""
    return sorted([*families(), "claim", "result"])


def contract(family: str) -> str:
    """Return the contract of a family: the docstring of its folder."""
    return ast.get_docstring(tree(_contract(family))) or ""


def verbs(family: str) -> tuple[str, ...]:
    """Return the functions of a family: a kind has one of them."""
    return tuple(_constant(_contract(family), "VERBS"))


def provided(family: str) -> tuple[str, ...]:
    """Return the keyword-only arguments that the caller of a verb provides, and that a study therefore may not."""
    return tuple(_constant(_contract(family), "PROVIDED", ()))


def kinds(family: str) -> list[str]:
    """Return the names that ``kind:`` may have in a family."""
    files = (path for root in roots() for path in (root / folder(family)).glob("*.py"))
    return sorted({path.stem for path in files if path.stem != "__init__"})


def path(family: str, kind: str) -> Path:
    """Return the file of a plug-in, in the first root that has it; in the package if none has."""
    places = [root / folder(family) / f"{kind}.py" for root in roots()]
    return next((path for path in places if path.is_file()), places[0])


def file(family: str, kind: str) -> str:
    """Return the file of a plug-in as it lies in a clone, src/isobath/..., or in the user's own folder, own/..."""
    place = path(family, kind)
    return _as_it_lies(next(root for root in roots() if place.is_relative_to(root)), place)


def _as_it_lies(root: Path, file: Path) -> str:
    return (Path("src" if root == PACKAGE else "", root.name) / file.relative_to(root)).as_posix()


def module(family: str, kind: str) -> str:
    """Return the name of the module of a plug-in."""
    return f"isobath.{folder(family)}.{kind}"


def claims(study: str) -> dict[str, str]:
    """Return the claims, function -> module, of ``claims/<study>.py`` or of the files in ``claims/<study>/``."""
    return {name: _module(root, file) for name, (root, file) in _files_of_claims(study).items()}


def claim_module(study: str, name: str) -> str:
    """Return the module of a claim of a study; ``locality.name`` is a claim of the study ``locality``."""
    of, _, function = name.rpartition(".")
    return claims(of or study)[function]


def claim_file(study: str, name: str) -> str:
    """Return the file of a claim as it lies in a clone, src/isobath/..., or in the user's own folder, own/..."""
    of, _, function = name.rpartition(".")
    return _as_it_lies(*_files_of_claims(of or study)[function])


def claims_beside(study: str, name: str) -> list[str]:
    """Return the claims of a study; for a ``name`` such as ``locality.x`` also those of that other study."""
    of = name.rpartition(".")[0]
    return [*claims(study), *(f"{of}.{other}" for other in (claims(of) if of else ()))]


def _files_of_claims(study: str) -> dict[str, tuple[Path, Path]]:
    """Return the root and the file of each claim of a study. Raises PluginError for one that two files have."""
    found: dict[str, tuple[Path, Path]] = {}
    for root in roots():
        place = root / "claims" / study
        for file in sorted(place.glob("*.py")) if place.is_dir() else [place.with_name(f"{study}.py")]:
            for name in _claims(file):
                if "." in study:
                    raise PluginError(f"{file}: a module can't have a dot in its name; rename the study {study} and it")
                if name in found:
                    raise PluginError(f"{file}: the study {study} has a claim {name} in {found[name][1]}; rename one")
                found[name] = root, file
    return found


def studies_with_claims() -> list[Path]:
    """Return the files and folders with claims, each named as its study."""
    found = (path for root in roots() for path in (root / "claims").glob("[!_.]*"))
    entries = (path.with_name(path.name.removesuffix(".py")) for path in found)
    return sorted({path.name: path for path in entries}.values(), key=lambda path: path.name)


def load_claim(study: str, name: str) -> Any:
    """Import a claim (see ``analysis.verdicts``)."""
    return getattr(importlib.import_module(claim_module(study, name)), name.rpartition(".")[2])


def schema(family: str, kind: str) -> dict[str, tuple[Any, Any]]:
    """Return the settings of a plug-in, name -> (type, default or ...), from the signature of its verb."""
    names = {**vars(typing), **vars(settings)}
    found = {}
    for name, (written, default) in declared(family, kind).items():
        try:
            found[name] = (eval(written, {**names}), default)  # noqa: S307 (our own source)
        except NameError as error:
            raise PluginError(f"{path(family, kind)}: {name}: {error}; the types of settings.py can be used") from None
    return found


def declared(family: str, kind: str) -> dict[str, tuple[str, Any]]:
    """Return the settings of a plug-in with their types as they are written."""
    verb, found = _verb(family, kind), {}
    for argument, default in zip(verb.args.kwonlyargs, verb.args.kw_defaults, strict=True):
        if argument.arg in provided(family):
            continue
        if argument.annotation is None:
            raise PluginError(f"{path(family, kind)}: {argument.arg} of {verb.name} has no type")
        found[argument.arg] = (ast.unparse(argument.annotation), ... if default is None else ast.literal_eval(default))
    return found


def about(family: str, kind: str) -> tuple[str, str]:
    """Return the first sentence of a plug-in's module, and the docstring of its verb."""
    return summary(family, kind), ast.get_docstring(_verb(family, kind)) or ""


def summary(family: str, kind: str) -> str:
    """Return the first line of the docstring of a plug-in's module."""
    return (ast.get_docstring(tree(path(family, kind))) or "").partition("\n")[0]


def verb_of(family: str, kind: str) -> str:
    """Return which of its family's verbs a plug-in has; the first if none."""
    return _verb_of(path(family, kind), _contract(family))


@cache
def _verb_of(path: Path, contract: Path) -> str:
    functions, known = _functions(path), _constant(contract, "VERBS")
    return str(next((verb for verb in known if verb in functions), known[0]))


def literal(family: str, kind: str, name: str, default: Any = None) -> Any:
    """Return a constant of a plug-in, such as the ``FILES`` of a task; it is read, not imported."""
    return _constant(path(family, kind), name, default)


def files(kind: str) -> tuple[str, ...]:
    """Return the data files that a task reads."""
    return tuple(literal("task", kind, "FILES", ()))


def check(family: str, kind: str, values: dict[str, Any]) -> None:
    """Refuse settings that contradict each other (ValueError): by a plug-in's table ``NEEDS`` and its ``check``.

    ``NEEDS`` is read, not imported: setting -> {other setting: the value without which the first does nothing}.
    ``check`` is called with those settings that it names.
    """
    for name, needed in literal(family, kind, "NEEDS", {}).items():
        for other, value in needed.items():
            if values[other] != value and values[name] != schema(family, kind)[name][1]:
                raise ValueError(f"{name} is {values[name]}; it needs {other}: {value}")
    if "check" in _functions(path(family, kind)):
        function = load(family, kind).check
        function(**named_by(function, values))


def accept(family: str, plugin: Mapping[str, Any], subject: Any) -> None:
    """Let a plug-in (its kind and settings) with a function ``accept`` refuse its use on a subject (ValueError).

    For a construction that is a task, for a kernel its depths.
    """
    kind, values = parts(plugin)
    if "accept" in _functions(path(family, kind)):
        load(family, kind).accept(subject, **values)


def takes(family: str, kind: str, argument: str) -> bool:
    """Tell whether the verb of a plug-in has a keyword-only argument of this name, as ``depth`` of a kernel."""
    return argument in {keyword.arg for keyword in _verb(family, kind).args.kwonlyargs}


def ends(task: Mapping[str, Any]) -> "Ends":
    """Return the numbers of features and outputs of a task (its kind and settings), and the nature of the outputs."""
    kind, values = parts(task)
    if "ends" not in _functions(path("task", kind)):
        raise PluginError(f"{path('task', kind)} has no function ends, which says how many features and outputs it has")
    known = {name: values.get(name, default) for name, (_, default) in declared("task", kind).items()}
    found: Ends = load("task", kind).ends(**{name: value for name, value in known.items() if value is not ...})
    return found


def nearest(word: str, words: typing.Collection[str]) -> str:
    """Return 'did you mean ...?' where a word is near, and the allowed words."""
    near = difflib.get_close_matches(word, words, n=1)
    return (f"did you mean {near[0]!r}? " if near else "") + f"allowed: {', '.join(sorted(words)) or 'none'}"


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(sources.text(path), str(path))


def _contract(family: str) -> Path:
    return PACKAGE / folder(family) / "__init__.py"


def _verb(family: str, kind: str) -> ast.FunctionDef:
    """Return the function that makes a plug-in one of its family."""
    if kind not in kinds(family):
        raise PluginError(f"there is no {family} of kind {kind!r}; {nearest(kind, kinds(family))}")
    verb = _functions(path(family, kind)).get(verb_of(family, kind))
    if not isinstance(verb, ast.FunctionDef):
        raise PluginError(f"{path(family, kind)} has no function {' or '.join(verbs(family))}; a {family} has one")
    return verb


def _constant(path: Path, name: str, default: Any = None) -> Any:
    node = _functions(path).get(name)
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    return default if value is None else ast.literal_eval(value)


def _functions(path: Path) -> dict[str, ast.FunctionDef | ast.Assign | ast.AnnAssign]:
    """Return top-level functions, and names that are assigned (``check = other.check``)."""
    return _of_file(path) if path.is_file() else {}


@cache
def _of_file(path: Path) -> dict[str, ast.FunctionDef | ast.Assign | ast.AnnAssign]:
    body = tree(path).body
    plain = {t.id: n for n in body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    typed = {n.target.id: n for n in body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    return {**plain, **typed, **{n.name: n for n in body if isinstance(n, ast.FunctionDef)}}


def _claims(file: Path) -> list[str]:
    """Return the functions that are decorated with ``@claim``."""
    functions = {name: f for name, f in _functions(file).items() if isinstance(f, ast.FunctionDef)}
    marks = {n: [getattr(getattr(d, "func", None), "id", "") for d in f.decorator_list] for n, f in functions.items()}
    return [name for name, found in marks.items() if "claim" in found]


def _module(root: Path, file: Path) -> str:
    return ".".join(("isobath", *file.relative_to(root).with_suffix("").parts))
