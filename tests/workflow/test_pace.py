"""Snakemake's scheduler rests while jobs run."""

import subprocess
import sys
from types import SimpleNamespace

import pytest
from snakemake.cli import get_argument_parser
from snakemake.scheduling.job_scheduler import JobRateLimiter
from snakemake.settings.types import MaxJobsPerTimespan

from isobath.hooks import pace

WORKFLOW = """
import threading
from isobath.hooks import pace

rule all:
    input: expand("made/{i}", i=range(40))

rule one:
    output: "made/{i}"
    shell: "touch {output}"

onstart:
    if config["rest"]:
        pace.rest(workflow.scheduler)

onsuccess:
    print("threads", threading.active_count())
"""


def limited(limit):
    return SimpleNamespace(job_rate_limiter=JobRateLimiter(MaxJobsPerTimespan.parse_choice(limit)))


def test_the_limit_that_nobody_has_given_is_taken():
    scheduler = limited(get_argument_parser().get_default("max_jobs_per_timespan"))
    pace.rest(scheduler)
    assert scheduler.job_rate_limiter is None


@pytest.mark.parametrize("limit", ["10/1s", "100/1m"])
def test_a_limit_of_the_user_stays(limit):
    scheduler = limited(limit)
    pace.rest(scheduler)
    assert scheduler.job_rate_limiter is not None


@pytest.mark.slow
def test_threads_do_not_multiply_with_the_jobs_that_have_ended(tmp_path):
    (tmp_path / "Snakefile").write_text(WORKFLOW, encoding="utf-8")
    threads = {}
    for rest in (0, 1):
        command = ["snakemake", "--cores", "2", "--quiet", "all", "--forceall", "--config", f"rest={rest}"]
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        threads[rest] = int(done.stdout.partition("threads ")[2].split()[0])
    assert threads[1] < 8 < threads[0]
