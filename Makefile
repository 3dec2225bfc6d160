# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
BIN := .venv/bin
SNAKEFMT := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/snakefmt# it calls shfmt, of the same environment
ISOBATH := OMP_NUM_THREADS=1 $(BIN)/python -m isobath
PIP := $(BIN)/python -m pip install --quiet
TORCH ?= --requirement envs/torch.txt# what pip installs as torch: docs/reuse.md chooses its build
CORES ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
WORKERS := $(shell expr $(CORES) + 2)# of the tests that wait for runs which they start
BUSY := $(shell expr $(CORES) + 1)# of the others, of which some wait for a process
RESULTS := results/$(or $(SCALE),demo)
SETTINGS := $(if $(STUDY),studies=[$(STUDY)]) $(if $(SEED),seed=$(SEED)) $(if $(DATA),data=$(DATA))
OF_STUDY := $(if $(STUDY)$(SEED)$(DATA), --config $(SETTINGS))
PROFILE := --profile workflow/profiles/laptop --cores $(CORES)

.PHONY: archive demo docs estimate findings report test test-all test-runs test-slurm bench bench-gpu lint format lock schema clean status verify

.venv/ready: envs/lock.txt envs/torch.txt pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "isobath needs Python 3.11 or later")'
	$(PYTHON) -m venv .venv
	$(PIP) --no-deps --require-hashes --requirement envs/lock.txt
	$(PIP) $(TORCH)
	$(PIP) --no-deps --editable .
	touch $@

.venv/ready-dev: .venv/ready envs/lock-dev.txt  # tests, types, style
	$(PIP) --no-deps --require-hashes --requirement envs/lock-dev.txt
	touch $@

demo: .venv/ready  ## run every study of config.yaml at its smallest scale and print the verdicts; STUDY=locality runs one, SCALE=smoke tries that all runs
	$(BIN)/snakemake $(PROFILE) --config scale=$(or $(SCALE),demo) $(SETTINGS)
	$(ISOBATH) summary $(RESULTS)

estimate: .venv/ready  ## the cost of a run and of the jobs that are left: make estimate SCALE=paper
	$(ISOBATH) estimate$(if $(SCALE), --config scale=$(SCALE))$(OF_STUDY)

status: .venv/ready  ## the progress of a run and the jobs that failed: make status SCALE=paper
	$(ISOBATH) status $(RESULTS)$(OF_STUDY)

verify: .venv/ready  ## compare every result with its checksum and the config, and rename faulty ones: make verify SCALE=paper
	$(ISOBATH) verify $(RESULTS) --set-aside$(OF_STUDY)

archive: .venv/ready  ## a zip of the results for publication: make archive SCALE=demo; CELLS=1 adds a zip of all cells
	$(ISOBATH) archive $(RESULTS)$(if $(CELLS), --cells)$(OF_STUDY)

FROM ?= $(if $(wildcard docs/findings/provenance.json),,results/laptop)
FILL := $(if $(shell grep -s '^<!-- numbers' README.md),--fill README.md )# whose tables of numbers are of the findings
findings: .venv/ready  ## docs/findings: make findings FROM="results/laptop ../seed1/results/laptop"; its pages alone without FROM; KEEP=1 keeps other runs
	$(ISOBATH) findings $(if $(KEEP),--keep )$(FILL)$(FROM)

report: .venv/ready  ## Snakemake's report of a run, beside its page: make report SCALE=demo
	$(BIN)/snakemake $(PROFILE) --config scale=$(or $(SCALE),demo) $(SETTINGS) --report $(RESULTS)/report.html

test: .venv/ready-dev  ## the tests of the code, and of one run of the workflow
	$(BIN)/python -m pytest -n $(BUSY) --dist loadfile --no-loadscope-reorder -m "not slow and not runs"

test-runs: .venv/ready-dev  ## the tests that break, move, edit or archive a run of the workflow
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "runs and not slow"

test-all: .venv/ready-dev  ## all tests
	$(BIN)/python -m pytest -n $(CORES) --dist loadfile --no-loadscope-reorder

test-slurm: .venv/ready-dev  ## a real SLURM cluster of one node, installed by apt where it is missing (root, Debian); test-all makes it fail as well
	$(BIN)/python -m pytest -m "slurm and not fault" -rs

bench: .venv/ready-dev  ## speed beside rivals, into docs/speed.md (an hour); PART=kernels measures one part
	-test -x .venv-bench/bin/python || ($(PYTHON) -m venv .venv-bench && .venv-bench/bin/pip install --quiet -r envs/bench.txt)
	-test -x .venv-bench-kernels/bin/python || ($(PYTHON) -m venv .venv-bench-kernels && .venv-bench-kernels/bin/pip install --quiet -r envs/bench-kernels.txt)
	OMP_NUM_THREADS=1 $(BIN)/python tests/benchmarks/run.py $(PART)

PACKAGES := import site; print(site.getsitepackages()[0])
# .venv-docs sees the packages of .venv, and has those of the site alone.
.venv-docs/ready: envs/docs.txt .venv/ready-dev
	$(BIN)/python -m venv .venv-docs
	$(BIN)/python -c '$(PACKAGES)' > "$$(.venv-docs/bin/python -c '$(PACKAGES)')/main.pth"
	.venv-docs/bin/python -m pip install --quiet --requirement envs/docs.txt
	touch $@

docs: .venv-docs/ready  ## the site, docs/_build/html/index.html; warnings are errors, and the cells of the tutorial are run
	OMP_NUM_THREADS=1 PYTHONPATH="$(CURDIR)/src" .venv-docs/bin/python -m sphinx -W --keep-going -q -c docs -d docs/_build/doctrees . docs/_build/html
	@echo "docs/_build/html/index.html"

bench-gpu: .venv/ready  ## a GPU, the first time: agreement, determinism, speed, and a verdict (a minute)
	OMP_NUM_THREADS=1 $(BIN)/python tests/benchmarks/gpu.py

lint: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(SNAKEFMT) --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/snakemake $(PROFILE) --lint

schema: .venv/ready-dev  ## the tables of config/README.md and the JSON schemas for editors, from study/schema.py and the plug-ins
	$(BIN)/python -m isobath.study.reference

format: .venv/ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(SNAKEFMT) Snakefile workflow

lock: OF := pyproject.toml --extra slurm --python-version 3.11 --python-platform linux
lock: HOW := --no-emit-package torch --generate-hashes --no-annotate --custom-compile-command 'make lock' --quiet
lock:  ## pin what pyproject.toml asks for, with hashes; what is pinned stays, unless UPGRADE=--upgrade
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet uv
	.venv-lock/bin/uv pip compile $(OF) $(HOW) $(UPGRADE) --constraint envs/torch.txt --output-file envs/lock.txt
	.venv-lock/bin/uv pip compile $(OF) --extra dev $(HOW) $(UPGRADE) --constraint envs/torch.txt --constraint envs/lock.txt --output-file envs/lock-dev.txt
	(sed '/^      - /d' envs/environment.yaml; sed -n 's/^\([^ #]*==[^ ]*\).*/      - \1/p' envs/lock.txt envs/torch.txt) > .venv-lock/environment.yaml
	mv .venv-lock/environment.yaml envs/environment.yaml
	rm -rf .venv-lock

clean:  ## remove everything that the workflow made, and compiled code
	rm -rf results logs checkpoints .snakemake src/isobath/__pycache__/numba-*
