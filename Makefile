# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin
CORES ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
OF_STUDY := $(if $(STUDY), --config studies=[$(STUDY)])
PROFILE := --profile workflow/profiles/laptop --cores $(CORES)

.PHONY: archive demo estimate report test test-all test-slurm bench lint format lock schema clean status verify

.venv/ready: envs/lock.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "isobath needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement envs/lock.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	touch $@

demo: .venv/ready  ## every study of config.yaml at its smallest, then the verdicts; STUDY=locality for one
	$(BIN)/snakemake $(PROFILE) --config scale=demo $(if $(STUDY),studies=[$(STUDY)])
	$(BIN)/python -m isobath.operations.summary results/demo

estimate: .venv/ready  ## what a run would cost, and what is left of it: make estimate SCALE=paper
	OMP_NUM_THREADS=1 $(BIN)/python -m isobath.operations.estimate $(if $(SCALE),--scale $(SCALE))$(OF_STUDY)

status: .venv/ready  ## how far a run is, what failed and why: make status SCALE=paper
	OMP_NUM_THREADS=1 $(BIN)/python -m isobath.operations.status results/$(or $(SCALE),demo)$(OF_STUDY)

verify: .venv/ready  ## is every result whole, and the one that the config asks for? what is not is set aside
	OMP_NUM_THREADS=1 $(BIN)/python -m isobath.operations.verify results/$(or $(SCALE),demo) --set-aside$(OF_STUDY)

archive: .venv/ready  ## a zip that others can check, read, draw from and cite: make archive SCALE=demo; CELLS=1 adds all cells
	$(BIN)/python -m isobath.archive results/$(or $(SCALE),demo) $(if $(CELLS),--cells)$(OF_STUDY)

report: .venv/ready  ## Snakemake's report of a run, beside its page: make report SCALE=demo
	$(BIN)/snakemake $(PROFILE) --config scale=$(or $(SCALE),demo) --report results/$(or $(SCALE),demo)/report.html

test: .venv/ready  ## everything but what is marked slow
	$(BIN)/python -m pytest -n $(CORES) --dist loadfile --no-loadscope-reorder -m "not slow"

test-all: .venv/ready  ## everything
	$(BIN)/python -m pytest -n $(CORES) --dist loadfile --no-loadscope-reorder

test-slurm: .venv/ready  ## a real SLURM cluster of one node, installed by apt where it is missing (root, Debian)
	$(BIN)/python -m pytest -m slurm -rs

bench: .venv/ready  ## ratios against what one would write instead, into tests/benchmarks/benchmarks.json
	OMP_NUM_THREADS=1 $(BIN)/python tests/benchmarks/run.py

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/snakemake $(PROFILE) --lint

schema: .venv/ready  ## the tables of config/README.md and the JSON schemas for editors, from study/schema.py and the plug-ins
	$(BIN)/python -m isobath.study.reference

format: .venv/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/snakefmt Snakefile workflow

lock:  ## pin what pyproject.toml asks for, as installed in a fresh environment
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet torch==2.13.0
	.venv-lock/bin/python -m pip install --quiet --editable '.[dev,slurm]'
	(echo '# The pinned environment. `make lock` makes it anew.'; .venv-lock/bin/python -m pip freeze --exclude-editable | sed 's/+cpu//') > envs/lock.txt
	rm -rf .venv-lock

clean:  ## what the workflow has made
	rm -rf results logs checkpoints .snakemake
