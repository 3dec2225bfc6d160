"""Answers to the questions that Snakemake asks of each job several times in a row: they are cached for a while."""

from functools import cached_property, lru_cache
from typing import Any

from isobath import results
from isobath.study.run import Run, canonical
from isobath.study.schema import ConfigError
from isobath.workflow import job_costs, plan


class Answers:
    """A job as Snakemake names it, by its rule and the values of its wildcards."""

    def __init__(self, run: Run, rule: str, names: dict[str, str]) -> None:
        self.run, self.rule, self.names = run, rule, names

    @cached_property
    def inputs(self) -> results.Inputs:
        """Return the files that the job reads, by name."""
        return plan.inputs(self.run, self.rule, self.names)

    @cached_property
    def spec(self) -> dict[str, Any]:
        """Return exactly what matters to the result, as plain data."""
        return plan.spec(self.run, self.rule, self.names)

    @cached_property
    def text(self) -> str:
        """Return the spec of the result as JSON."""
        return canonical(self.spec)

    @cached_property
    def minutes(self) -> int:
        """Return the time limit of the job's first attempt, in minutes."""
        return job_costs.minutes(self.run, self.rule, self.names)

    @cached_property
    def memory(self) -> int:
        """Return the memory that the job's first attempt asks for, in MB."""
        part = plan.part(self.run, self.rule, self.names)
        return int(results.option(self.rule, "memory")(part, self.names))


@lru_cache(maxsize=1000)
def answers(run: Run, rule: str, names: tuple[tuple[str, str], ...]) -> Answers:
    """Return the job with these names and values of its wildcards, from the cache if it was asked for lately.

    Raises ConfigError for one of another scale or study, of a task, protocol or grid that the study does not have, or
    of seeds that end before they begin: somebody has asked for its result by name.
    """
    asked = dict(names)
    if asked.get("scale", run.config.scale) != run.config.scale:
        raise ConfigError(
            f"{plan.outputs(rule, asked)[0]} is asked for, and the scale is {run.config.scale}; "
            f"add --config scale={asked['scale']}"
        )
    if (study := asked.get("study")) not in (None, *run.studies):
        raise ConfigError(
            f"{plan.outputs(rule, asked)[0]} is asked for, and the studies are {', '.join(run.studies)}; "
            f"add --config studies=[{study}], if that is its name"
        )
    seeds = [int(seed) for seed in asked.get("seeds", "0-0").split("-")]
    if seeds != sorted(seeds):
        raise ConfigError(f"{plan.outputs(rule, asked)[0]} is asked for; its first seed must not be above its last")
    found = Answers(run, rule, asked)
    try:
        _ = found.inputs, found.spec
    except KeyError as unknown:
        what = ", ".join(map(str, unknown.args[0])) if isinstance(unknown.args[0], tuple) else str(unknown)
        raise ConfigError(f"{plan.outputs(rule, asked)[0]} is asked for, and the study has no {what}") from None
    return found
