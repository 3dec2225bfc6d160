"""Checks of a study that a schema can't make: names that refer to each other, blocks that lack an axis."""

import json
from collections.abc import Iterable

from isobath import claim_files, plugins
from isobath.study import schedules
from isobath.study.schema import SENTENCES, Block, ConfigError, LearningRateSearch, Protocol, Study
from isobath.study.yaml import written

TABLES = [entry for entry in Block.model_fields if entry in Study.model_fields]  # of the study, which blocks name
TRAINED = [table for table in TABLES if table != "tasks"]  # of these a block needs one
MOST = 10**6  # networks and regressions of a block, which are listed before limits.jobs can be asked
MOST_RATES = 1000  # learning rates that a search tries


def check_study(study: Study, origin: str) -> None:
    """Raise ConfigError, one sentence, for the first contradiction in a study."""
    texts = {"title": study.title, "source": study.source}
    texts |= {f"figures.{n}.caption": figure.caption for n, figure in study.figures.items()}
    for key, text in texts.items():
        if not text.strip():
            raise ConfigError(f"{origin}: {key} is {text!r}; it must be a text that can be printed")
    for word in study.works:
        if not word.strip():
            raise ConfigError(f"{origin}: works has {word!r}; the word that names a work must not be empty")
    for key in SENTENCES:
        for i, text in enumerate(getattr(study, key)):
            if not text.strip():
                raise ConfigError(f"{origin}: {key}[{i}] is {text!r}; it must be a sentence, or be left out")
    for n, protocol in study.protocols.items():
        _check_rates(protocol, origin, f"protocols.{n}.learning_rate")
        _check_records(protocol, origin, f"protocols.{n}")
    for n, blocks in study.grids.items():
        if not blocks and n not in {calculation.grid for calculation in study.calculations.values()}:
            raise ConfigError(f"{origin}: grids.{n} is empty; it needs a block, or a calculation whose grid it is")
        for i, block in enumerate(blocks):
            _check_block(block, study, origin, f"grids.{n}[{i}]")
            _check_size(block, origin, f"grids.{n}[{i}]")


def distinct(names: Iterable[str], origin: str, key: str) -> None:
    """Raise ConfigError for names of ``key`` in the file ``origin`` that differ in upper and lower case alone."""
    spellings: dict[str, str] = {}
    for name in names:
        if name.lower() in spellings:
            raise ConfigError(
                f"{origin}: {key} has {spellings[name.lower()]!r} and {name!r}, which some file systems take for one"
            )
        spellings[name.lower()] = name


def require_name(name: str, names: Iterable[str], origin: str, key: str) -> None:
    """Raise ConfigError where ``key`` of the file ``origin`` has a name that is not among ``names``."""
    if name not in names:
        raise ConfigError(f"{origin}: {key} is {written(name)}; {plugins.nearest(name, list(names))}")


def require_claims(names: Iterable[str], study: str, origin: str, key: str) -> None:
    """Raise ConfigError where ``key`` of the file ``origin`` has a claim that neither this study nor another has."""
    beside: dict[str, list[str]] = {}  # the claims that can be named, by the study that a name begins with
    for i, name in enumerate(names):
        other_study = name.rpartition(".")[0]
        if other_study not in beside:
            beside[other_study] = claim_files.claims_beside(study, name)
        try:
            require_name(name, beside[other_study], origin, f"{key}[{i}]")
        except ConfigError as error:
            why = claim_files.lacking(study, name)
            raise ConfigError(f"{error}; {why}" if why else str(error)) from None


def _check_records(protocol: Protocol, origin: str, key: str) -> None:
    if protocol.records and protocol.record_every:
        raise ConfigError(
            f"{origin}: {key} has records {protocol.records} and record_every {protocol.record_every}; it can have one"
        )
    last, setting = protocol.max_epochs, "record_every" if protocol.record_every else "records"
    count = schedules.counted(last, per_decade=protocol.records, every=protocol.record_every)
    if count > schedules.MOST:
        excess = f"{key}.{setting} is {getattr(protocol, setting)}, which makes {count} recordings of {last} epochs"
        raise ConfigError(f"{origin}: {excess}; allowed are {schedules.MOST} at most")


def _check_rates(protocol: Protocol, origin: str, key: str) -> None:
    rate = protocol.learning_rate
    if isinstance(rate, LearningRateSearch) and rate.minimum >= rate.maximum:
        raise ConfigError(
            f"{origin}: {key}.minimum is {rate.minimum}; it must be less than maximum, which is {rate.maximum}"
        )
    tried = rate.initial + rate.rounds * rate.suggestions if isinstance(rate, LearningRateSearch) else 0
    if tried > MOST_RATES:
        raise ConfigError(
            f"{origin}: {key} tries {tried} rates, initial + rounds * suggestions; allowed are {MOST_RATES} at most"
        )
    if isinstance(rate, list) and len(set(rate)) != len(rate):
        raise ConfigError(f"{origin}: {key} is {rate}; a value stands twice")
    if isinstance(rate, list) and rate != sorted(rate):
        raise ConfigError(f"{origin}: {key} is {rate}; the rates must increase")


def _check_block(block: Block, study: Study, origin: str, key: str) -> None:
    for axis, values in block:
        if not isinstance(values, list):
            continue
        if len(set(values)) != len(values):
            raise ConfigError(f"{origin}: {key}.{axis} is {json.dumps(values)}; a value stands twice")
        for name in values if axis in TABLES else ():
            require_name(name, getattr(study, axis), origin, f"{key}.{axis}")
    if not any(getattr(block, table) for table in TRAINED):
        raise ConfigError(f"{origin}: {key} has neither {' nor '.join(TRAINED)}; one of them is needed")
    for axis, users in (("depth", block.protocols), ("n_train", block.protocols or block.kernels)):
        if users and not getattr(block, axis):
            word = "empty" if axis in block.model_fields_set else "missing"
            raise ConfigError(f"{origin}: {key}.{axis} is {word}; protocols and kernels need it")


def _check_size(block: Block, origin: str, key: str) -> None:
    cells = len(block.tasks) * len(block.n_train) * block.draws
    networks = cells * len(block.protocols) * block.shapes() * block.seeds
    others = cells * (len(block.kernels) + len(block.constructions))
    if networks + others > MOST:
        amount = f"{networks} networks and {others} regressions{' or constructions' if block.constructions else ''}"
        raise ConfigError(f"{origin}: {key} has {amount}; allowed are {MOST} at most")
