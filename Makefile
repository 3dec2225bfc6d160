# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin
SNAKEFMT := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakefmt# it calls shfmt, of the same environment
ISOBATH := OMP_NUM_THREADS=1 $(BIN)/python -m isobath
CORES ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
RESULTS := results/$(or $(SCALE),demo)
OF_STUDY := $(if $(STUDY), --config studies=[$(STUDY)])
PROFILE := --profile workflow/profiles/laptop --cores $(CORES)

.PHONY: archive demo estimate findings report test test-all test-slurm bench bench-gpu lint format lock schema clean status verify

.venv/ready: envs/lock.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "isobath needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement envs/lock.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

demo: .venv/ready  ## run every study of config.yaml at its smallest scale and print the verdicts; STUDY=locality runs one
	$(BIN)/snakemake $(PROFILE) --config scale=demo $(if $(STUDY),studies=[$(STUDY)])
	$(ISOBATH) summary results/demo

estimate: .venv/ready  ## the cost of a run and of the jobs that are left: make estimate SCALE=paper
	$(ISOBATH) estimate$(if $(SCALE), --config scale=$(SCALE))$(OF_STUDY)

status: .venv/ready  ## the progress of a run and the jobs that failed: make status SCALE=paper
	$(ISOBATH) status $(RESULTS)$(OF_STUDY)

verify: .venv/ready  ## compare every result with its checksum and the config, and rename faulty ones: make verify SCALE=paper
	$(ISOBATH) verify $(RESULTS) --set-aside$(OF_STUDY)

archive: .venv/ready  ## a zip of the results for publication: make archive SCALE=demo; CELLS=1 adds a zip of all cells
	$(ISOBATH) archive $(RESULTS)$(if $(CELLS), --cells)$(OF_STUDY)

FROM ?= $(if $(wildcard docs/findings/provenance.json),,results/laptop)
findings: .venv/ready  ## docs/findings: make findings FROM="results/laptop ../seed1/results/laptop"; its pages alone without FROM
	$(ISOBATH) findings $(FROM)

report: .venv/ready  ## Snakemake's report of a run, beside its page: make report SCALE=demo
	$(BIN)/snakemake $(PROFILE) --config scale=$(or $(SCALE),demo) --report $(RESULTS)/report.html

test: .venv/ready  ## all tests but the slow ones
	$(BIN)/python -m pytest -n $(CORES) --dist loadfile --no-loadscope-reorder -m "not slow"

test-all: .venv/ready  ## all tests
	$(BIN)/python -m pytest -n $(CORES) --dist loadfile --no-loadscope-reorder

test-slurm: .venv/ready  ## a real SLURM cluster of one node, installed by apt where it is missing (root, Debian); test-all makes it fail as well
	$(BIN)/python -m pytest -m "slurm and not fault" -rs

bench: .venv/ready  ## speed beside rivals, into docs/speed.md (an hour); PART=kernels measures one part
	-test -x .venv-bench/bin/python || ($(PYTHON) -m venv .venv-bench && .venv-bench/bin/pip install --quiet -r envs/bench.txt)
	-test -x .venv-bench-kernels/bin/python || ($(PYTHON) -m venv .venv-bench-kernels && .venv-bench-kernels/bin/pip install --quiet -r envs/bench-kernels.txt)
	OMP_NUM_THREADS=1 $(BIN)/python tests/benchmarks/run.py $(PART)

bench-gpu: .venv/ready  ## a GPU, the first time: agreement, determinism, speed, and a verdict (a minute)
	OMP_NUM_THREADS=1 $(BIN)/python tests/benchmarks/gpu.py

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(SNAKEFMT) --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/snakemake $(PROFILE) --lint

schema: .venv/ready  ## the tables of config/README.md and the JSON schemas for editors, from study/schema.py and the plug-ins
	$(BIN)/python -m isobath.study.reference

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(SNAKEFMT) Snakefile workflow

lock:  ## pin the dependencies of pyproject.toml as a fresh environment installs them
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet torch==2.13.0
	.venv-lock/bin/python -m pip install --quiet --editable '.[dev,slurm]'
	(echo '# The pinned environment. `make lock` makes it anew.'; .venv-lock/bin/python -m pip freeze --exclude-editable | sed 's/+cpu//') > envs/lock.txt
	rm -rf .venv-lock

clean:  ## remove everything that the workflow made
	rm -rf results logs checkpoints .snakemake
