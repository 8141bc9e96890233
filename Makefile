# The two commands of the README are `make run` and `make test`; each does its own set-up in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
PEERS := $(VENV)/peers

.PHONY: run test check lint bench docs verify clean help

help:            ## What can be made
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(STAMP): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Hornbook needs Python 3.11 or newer; try make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

run: $(STAMP)    ## The main job, on an example that everybody knows
	@$(BIN)/python examples/relations/run.py
	@echo; echo "Next: source $(BIN)/activate; hornbook --help"

test: $(STAMP)   ## The whole test suite
	$(BIN)/python -m pytest -n auto

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check: lint test ## What CI calls: format, lint, types, tests

$(PEERS)/.ready: $(STAMP) bench/peers.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(PEERS) -r bench/peers.txt
	@touch $@

bench: $(PEERS)/.ready ## Ratios against peers, and question counts
	PYTHONPATH=$(PEERS) $(BIN)/python -m bench

verify: $(STAMP) ## Every closure system on five attributes through ClH (resumes)
	$(BIN)/python -m bench.verify

docs: $(STAMP)   ## Run every command that the docs show and compare what it prints
	$(BIN)/python -m pytest -n 0 tests/test_docs.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
