"""Logger of Snakemake for isobath: one line per finished job with the time to go, and the totals at the end.

All else, errors first, is said by Snakemake's own handler. Snakemake imports this module before it knows the workflow,
so nothing of isobath is imported: a workflow of isobath has begun its ``progress``, which is looked up.
"""

import logging
import sys
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

PROGRESS = "isobath.workflow.progress"
TOLD = {LogEvent.JOB_INFO, LogEvent.GROUP_INFO, LogEvent.JOB_STARTED, LogEvent.JOB_FINISHED, LogEvent.PROGRESS}
CHATTER = "Select jobs to execute"


class LogHandler(LogHandlerBase):
    """The handler that Snakemake calls with every record, in a thread of its own."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def __post_init__(self) -> None:
        """Make the handler that Snakemake would have used."""
        from snakemake.logging import ColorizingTextHandler, DefaultFilter, DefaultFormatter  # noqa: PLC0415 (a cycle)

        settings: Any = self.common_settings
        stream = sys.stdout if settings.stdout else sys.stderr
        self._theirs = ColorizingTextHandler(nocolor=settings.nocolor, stream=stream)
        self._theirs.setFormatter(DefaultFormatter(settings.quiet, settings.show_failed_logs))
        self._theirs.addFilter(
            DefaultFilter(
                settings.quiet, settings.debug_dag, settings.verbose, settings.dryrun, settings.printshellcmds
            )
        )
        self._ended = False

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line of ours, or leave the record to Snakemake's handler."""
        progress, event = getattr(sys.modules.get(PROGRESS), "current", None), getattr(record, "event", None)
        if progress is None or self.common_settings.verbose or not (event in TOLD or _is_chatter(record)):
            self._theirs.handle(record)
        if progress is None:
            return
        info: Any = record
        if event == LogEvent.JOB_INFO:
            progress.begin(info.jobid, info.rule_name, info.wildcards, info.log[0] if info.log else "")
        elif event == LogEvent.JOB_FINISHED:
            line = progress.finish(info.job_id)
            if self._theirs.filter(record):
                self._say(line)
        elif event == LogEvent.JOB_ERROR:
            self._say(progress.fail(info.jobid, grouped=info.indent), logging.ERROR)

    def close(self) -> None:
        """Write the totals of a run, once."""
        progress = getattr(sys.modules.get(PROGRESS), "current", None)
        if progress and not self._ended and (progress.done or progress.failed or progress.silent):
            self._say(progress.totals())
        self._ended = True
        super().close()

    def _say(self, line: str | None, level: int = logging.INFO) -> None:
        if line:
            fields = {"msg": line, "levelno": level, "levelname": logging.getLevelName(level)}
            self._theirs.handle(logging.makeLogRecord(fields))


def _is_chatter(record: logging.LogRecord) -> bool:
    return getattr(record, "event", None) is None and str(record.msg).startswith(CHATTER)
