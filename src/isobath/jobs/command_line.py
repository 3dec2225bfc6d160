"""The command line of a stage, built from the signature of its ``main``: paths, and the spec as JSON."""

import argparse
import contextlib
import inspect
import io
import json
import os
import re
import signal
import sys
import traceback
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from isobath import fingerprints, roots
from isobath.disk import logs, usage
from isobath.disk.logs import OutOfTime
from isobath.disk.store import CorruptedStore
from isobath.jobs import variables
from isobath.jobs.variables import VariableError

STAGES = "isobath.stages."
COLOURS = re.compile(r"\x1b\[[\d;]*m")  # of messages that Numba writes for a terminal
MENDABLE = (VariableError, fingerprints.CodeChanged, CorruptedStore)


def run(main: Callable[..., None]) -> None:
    """Call ``main`` with its arguments from the command line.

    ``spec`` is parsed from JSON; ``code`` must be the fingerprint of the code that this process runs. An argument of
    list type takes several values; one with a default is optional, and may be given without a value. With ``--log``
    everything that is printed goes to that file, with the usage of the job at its end, and the message of an error to
    the terminal as well; a log that can't be written fails no job. A damaged input is renamed to ``*.damaged``.
    """
    parser = argparse.ArgumentParser(description=inspect.getdoc(main))
    hints = typing.get_type_hints(main)
    for name, parameter in inspect.signature(main).parameters.items():
        required = parameter.default is inspect.Parameter.empty
        several = list in (typing.get_origin(hint) for hint in (hints[name], *typing.get_args(hints[name])))
        parser.add_argument(
            f"--{name.replace('_', '-')}",
            type=json.loads if name == "spec" else _single(hints[name]),
            required=required,
            default=None if required else parameter.default,
            nargs=("+" if required else "*") if several else (None if required else "?"),
        )
    parser.add_argument("--log", type=Path)
    arguments = vars(parser.parse_args())
    log, spec = arguments.pop("log"), usage.digest(arguments["spec"]) if "spec" in arguments else ""
    with _interruptible(), _printing_to(log, spec):
        variables.check()
        _require_code(arguments)
        try:
            main(**arguments)
        except CorruptedStore as error:  # the next run rebuilds a missing file, not a damaged one
            error.set_aside()
            raise


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """End the process by SIGINT if it was interrupted, as by Ctrl-C, without a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)


def _require_code(arguments: Mapping[str, Any]) -> None:
    """Refuse to run other code than was asked for: before any compute, and for good, since sources are read once."""
    module = getattr(sys.modules["__main__"].__spec__, "name", "")
    if "code" in arguments and module.startswith(STAGES):
        fingerprints.require(module.removeprefix(STAGES), arguments["spec"], arguments["code"])


@contextlib.contextmanager
def _printing_to(log: Path | None, spec: str) -> Iterator[None]:
    """Redirect the output of the process to ``log``; the message of an error goes to the terminal too.

    Without a log, an error that a user can mend is its sentence, and another one has its traceback.
    """
    if log is None:
        try:
            yield
        except MENDABLE as error:
            raise SystemExit(f"{type(error).__name__}: {error}") from None
        return
    terminal, meter = os.dup(sys.stderr.fileno()), usage.Meter(usage.read(log, "paused"), spec)
    log.parent.mkdir(parents=True, exist_ok=True)
    raw = logs.LogFile(log, "w")
    with _writing(raw, terminal) as file:  # the last line of a log is how its job ended
        try:
            yield
            file.write(str(meter.read()))
            logs.end(file, "finished")
        except Exception as error:
            sentence = COLOURS.sub("", f"{type(error).__name__}: {error}{_own_place(error)}")
            _tell(terminal, f"{log}: {sentence}")
            traceback.print_exc()
            file.write(str(meter.read()))
            logs.end(file, "paused" if isinstance(error, OutOfTime) else "failed", sentence)
            raise SystemExit(1) from None
        except KeyboardInterrupt:
            file.write(str(meter.read()))
            logs.end(file, "killed", "interrupted, as by Ctrl-C")
            raise
    if raw.refusal:
        _tell(terminal, f"{log}: the job finished, but its log could not be written: {raw.refusal.strerror}")


@contextlib.contextmanager
def _writing(raw: logs.LogFile, terminal: int) -> Iterator[TextIO]:
    """Write what this process and its libraries print to the file of a log, then to the ``terminal`` again."""
    numbers = sys.stdout.fileno(), sys.stderr.fileno()
    text = io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", line_buffering=True)
    with text as file, logs.heartbeat(file), contextlib.redirect_stdout(file), contextlib.redirect_stderr(file):
        for number in numbers:
            os.dup2(raw.fileno(), number)
        try:
            yield file
        finally:
            for number in numbers:
                os.dup2(terminal, number)


def _own_place(error: BaseException) -> str:
    """Return where in the user's own files an error arose, " (own/tasks/rings.py, line 34)"; "" if in none of them."""
    place = ""
    reason: BaseException | None = error
    while reason is not None:
        frames = traceback.extract_tb(reason.__traceback__)
        own = [frame for frame in frames if roots.is_own(frame.filename)]
        place = f" ({_nearby(own[-1].filename)}, line {own[-1].lineno})" if own else place
        reason = reason.__cause__
    return place


def _nearby(file: str) -> str:
    path = Path(file)
    return (path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path).as_posix()


def _tell(terminal: int, sentence: str) -> None:
    with contextlib.suppress(OSError):  # it may be a file on the same disk
        os.write(terminal, f"{sentence}\n".encode())


def _single(hint: Any) -> Any:
    """Return the type of one value: ``Path`` for ``Path | None``, ``list[Path]`` and ``list[Path] | None``."""
    inner = next((a for a in typing.get_args(hint) if a is not type(None)), None)
    return hint if inner is None else _single(inner)
