"""The archive as a Workflow Run RO-Crate: which workflow made which files of it from which.

Profiles: Process Run Crate and Workflow Run Crate 0.5, Workflow RO-Crate 1.0, on RO-Crate 1.1. There are no persons in
it and no time but the day of the release, so that equal archives have equal crates.
"""

import fnmatch
import json
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

from isobath.archive import zips
from isobath.archive.zips import Content

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
FORMATS = {
    "csv": "text/csv",
    "html": "text/html",
    "js": "text/javascript",
    "json": "application/json",
    "md": "text/markdown",
    "pdf": "application/pdf",
    "png": "image/png",
    "py": "text/x-python",
    "svg": "image/svg+xml",
    "yaml": "application/yaml",
    "zip": "application/zip",
}
TERMS = "https://w3id.org/ro/terms/workflow-run/context"  # has sha256, which RO-Crate 1.1 lacks
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
ENGINE = "https://snakemake.github.io"
WORKFLOW = "Snakefile"


def metadata(
    members: Mapping[str, Content], citation: Mapping[str, Any], *, scale: str, complete: bool, licence: str
) -> bytes:
    """Return ro-crate-metadata.json for an archive of ``members``; ``citation`` is CITATION.cff.

    ``licence`` is that of the data, an SPDX identifier; the workflow has its own. The crate says that the workflow made
    the files in ``results/`` from config.yaml and the study files, and that the run is complete if ``complete``.
    """
    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(TERMS)
    files = {member: _file(crate, member, members[member]) for member in sorted(members)}
    _describe_workflow(crate, files[WORKFLOW], citation)
    files["README.md"]["about"] = crate.root_dataset
    run = _entity(crate, "#run", "CreateAction", name="Run of isobath", description=f"All jobs of the scale {scale}")
    run["instrument"] = files[WORKFLOW]
    run["actionStatus"] = f"http://schema.org/{'Completed' if complete else 'Failed'}ActionStatus"
    run["object"] = [files[member] for member in ("config.yaml", *fnmatch.filter(files, "*/studies/*.yaml"))]
    run["result"] = [file for member, file in files.items() if member.startswith("results/")]
    root = crate.root_dataset
    root["name"] = f"isobath: results of scale {scale}{'' if complete else ', incomplete'}"
    root["description"] = "Cubes, figures, tables and verdicts of what depth does to learning. README.md says more."
    root["datePublished"] = str(citation["date-released"])
    root["license"], root["mentions"], root["citation"] = _license(crate, licence), run, _sources(crate, citation)
    root["conformsTo"] = [_entity(crate, uri, "CreativeWork", name=n, version=v) for uri, (n, v) in PROFILES.items()]
    return f"{json.dumps(crate.metadata.generate(), indent=1, sort_keys=True, ensure_ascii=False)}\n".encode()


def _file(crate: ROCrate, member: str, content: Content) -> Any:
    properties = {"name": member, "contentSize": str(zips.size(content)), "sha256": zips.digest(content)}
    properties["encodingFormat"] = FORMATS.get(member.rsplit(".", 1)[-1], "text/plain")
    if member != WORKFLOW:
        return crate.add_file(dest_path=member, properties=properties)
    return crate.add_workflow(
        dest_path=member, properties=properties, main=True, lang="snakemake", lang_version=version("snakemake")
    )


def _describe_workflow(crate: ROCrate, workflow: Any, citation: Mapping[str, Any]) -> None:
    engine = {"name": "Snakemake", "version": version("snakemake"), "url": ENGINE}
    workflow["name"], workflow["version"] = citation["title"], str(citation["version"])
    workflow["license"] = _license(crate, str(citation["license"]))
    workflow["conformsTo"] = _entity(crate, BIOSCHEMAS, "CreativeWork", name="Bioschemas ComputationalWorkflow")
    workflow["softwareRequirements"] = _entity(crate, ENGINE, "SoftwareApplication", **engine)


def _license(crate: ROCrate, name: str) -> Any:
    return _entity(crate, f"https://spdx.org/licenses/{name}", "CreativeWork", name=name, identifier=name)


def _sources(crate: ROCrate, citation: Mapping[str, Any]) -> list[Any]:
    """Return the works that are reproduced, by DOI or address."""
    works = []
    for number, work in enumerate(citation["references"], start=1):
        place = f"https://doi.org/{work['doi']}" if "doi" in work else work.get("url", f"#source{number}")
        works.append(_entity(crate, place, "CreativeWork", name=work["title"], datePublished=str(work["year"])))
    return works


def _entity(crate: ROCrate, uri: str, kind: str, /, **properties: str) -> Any:
    return crate.add(ContextEntity(crate, uri, properties={"@type": kind, **properties}))
