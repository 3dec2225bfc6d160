"""New work of one's own: a file that works as it stands, and its test, in the folder of the user's own."""

import json
import re
from pathlib import Path

import click

from isobath import binding, claim_files, plugins
from isobath.findings import FindingsError, page_of
from isobath.operations import arguments
from isobath.study import places, yaml
from isobath.study.json_schema import study_schema
from isobath.study.loading import config_file
from isobath.study.schema import ConfigError

TEMPLATES = Path(__file__).parents[1] / "templates"
KINDS = ("study", *(name for name in plugins.contracts() if name != "result"))
SCHEMAS = {"study.schema.json": False, "scale.schema.json": True}  # whether it is that of an overlay
USUAL = (r"[a-z][a-z0-9_]{0,99}", "lower-case letters, digits and _, a letter first, 100 characters at most")
ALLOWED = {"study": (r"[A-Za-z][A-Za-z0-9_]{0,63}", "letters, digits and _, a letter first, 64 characters at most")}
Files = dict[Path, str]


def files(family: str, name: str, *, extends: str | None = None) -> Files:
    """Return the files of a new kind, claim or study, by their paths in the folder of the user's own."""
    test = {Path(f"tests/test_{family}_{name}.py"): _filled(f"tests/{family}.txt", name, family)}
    test[Path("tests/conftest.py")] = _filled("conftest.txt", name)
    if family != "study":
        return {Path(binding.plural(family), f"{name}.py"): _filled(f"{family}.py", name)} | test
    place = Path("studies", name)
    if extends:
        return {place / places.STUDY_FILE: _filled("extending.txt", name, base=extends)} | test
    return {
        place / places.STUDY_FILE: _filled("study.txt", name),
        place / "smoke.yaml": _filled("smoke.txt", name),
    } | test


def _filled(template: str, name: str, family: str = "", base: str = "") -> str:
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    words = {"FAMILY": family, "NAME": name, "BASE": base}
    return re.sub(r"\b(FAMILY|NAME|BASE)\b", lambda match: words[match[0]], text)  # once: a name may contain BASE


def write(folder: Path, contents: Files) -> list[Path]:
    """Write files that are not there into a folder, and return their paths.

    Raises ConfigError for a file that is there, except for the one that all tests share.
    """
    shared = Path("tests/conftest.py")
    existing = next((folder / name for name in contents if name != shared and (folder / name).exists()), None)
    if existing:
        raise ConfigError(f"{existing} is there already; take another name, or remove it")
    written = [name for name in contents if not (folder / name).exists()]
    for name in written:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(contents[name], encoding="utf-8")
    return [folder / name for name in written]


def write_schemas(folder: Path) -> None:
    """Write the schemas of studies with all kinds there are, for editors."""
    (folder / "studies").mkdir(exist_ok=True)
    for name, overlay in SCHEMAS.items():
        text = json.dumps(study_schema(overlay=overlay), ensure_ascii=False)
        (folder / "studies" / name).write_text(f"{text}\n", encoding="utf-8")


def require_free(family: str, name: str, names: list[str]) -> None:
    """Refuse a name that is no name, or is taken. Raises ConfigError."""
    allowed, rule = ALLOWED.get(family, USUAL)
    if not re.fullmatch(allowed, name):
        raise ConfigError(f"{name!r} can't be the name of a {family}; it must be {rule}")
    if not isinstance(yaml.parse(name, name), str):
        raise ConfigError(f"{name!r} can't be the name of a {family}: in YAML it is no word; take another name")
    if family == "study":
        _require_page_of_findings(name)
    if name in names and family == "claim":
        raise ConfigError(
            f"the study {name} is not of this folder, so its claims can't be written into it; `isobath new study mine "
            f"--extends {name}` makes a study that can name claims of both, and `isobath new claim mine` writes its own"
        )
    if alike := next((taken for taken in names if taken.lower() == name.lower()), None):
        raise ConfigError(f"there is a {family} {alike} already; take another name")


def _require_page_of_findings(study: str) -> None:
    """Refuse a name whose page of findings would be another page of theirs."""
    try:
        page_of(study)
    except FindingsError as error:
        raise ConfigError(f"{study!r} can't be the name of a study; {error}") from None


def taken(family: str, folder: Path) -> list[str]:
    """Return the names that a new kind or study can't have; of a claim, the studies that lie outside of ``folder``."""
    studies = places.studies(Path())
    if family == "claim":
        files = {file.name: file for file in claim_files.studies_with_claims()}
        return [name for name, place in (files | studies).items() if not place.is_relative_to(folder.resolve())]
    return [*studies] if family == "study" else plugins.kinds(family)


@click.command(cls=arguments.Command)
@click.argument("family", type=click.Choice(KINDS), metavar="FAMILY")
@click.argument("name")
@click.option(
    "--extends",
    metavar="STUDY",
    help="The study that a new study extends: it equals that one, except for its own keys.",
)
def command(family: str, name: str, extends: str | None) -> None:
    """Write a new study, claim or kind of one's own, and its test.

    FAMILY is study, claim (NAME is then its study), or a family that isobath kinds lists. The files go into the folder
    that config.yaml names as own, or into own. The first study gets a config.yaml as well.
    """
    folder = arguments.lay_own()
    require_free(family, name, taken(family, folder))
    studies = places.studies(Path())
    if family == "claim" and name not in studies:
        raise ConfigError(f"there is no study {name} to have claims; `isobath new study {name}` writes one")
    if extends and family != "study":
        raise ConfigError(f"--extends is {extends!r}; a {family} extends nothing, a study can")
    if extends and extends not in studies:
        raise ConfigError(f"--extends is {extends!r}; of a study, {plugins.nearest(extends, studies)}")
    for path in write(folder, files(family, name, extends=extends)):
        print(path)
    config = config_file(Path())
    if family == "study" and not config.exists():
        config.write_text(f"scale: smoke\nstudies: [{name}]\n", encoding="utf-8")
        print(config)
    arguments.lay_own()
    write_schemas(folder)
