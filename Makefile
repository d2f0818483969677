# Every command of this project. Each target first installs what it needs into this tree, once.
# ARGS goes to the command that a target ends in: make demo ARGS=--no-open, make unit ARGS="-k csp".
.DEFAULT_GOAL := help
.PHONY: help demo test setup check format unit browser interop coverage bench clean \
        app dev mcp1 peers chromium nginx lint types contracts js generated

BIN := .venv/bin
PARALLEL := -n auto --maxprocesses 4 --dist loadgroup
NODE_BIN := tests/interop/node/node_modules/.bin

help: ## list these targets
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile | expand -t 12

demo: app ## open the workbench on the built-in demo server
	$(BIN)/fanlight demo $(ARGS)

test: setup check ## everything: check, then all tests
	$(BIN)/pytest $(PARALLEL) $(ARGS)

setup: dev mcp1 peers chromium nginx ## make the environment only
	@echo "==> Ready: make demo, make test, or .venv/bin/pytest"

check: lint types contracts js generated ## lint, types, import contracts, generated docs

format: dev ## repair what ruff can repair
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

unit: dev mcp1 ## tests that need neither Chromium nor Node
	$(BIN)/pytest $(PARALLEL) -m "not browser and not interop" $(ARGS)

browser: dev peers chromium nginx ## tests in a real Chromium
	$(BIN)/pytest $(PARALLEL) -m browser $(ARGS)

interop: dev peers chromium ## tests against the published npm peers
	$(BIN)/pytest $(PARALLEL) -m interop $(ARGS)

coverage: dev mcp1 ## unit tests with branch coverage
	$(BIN)/pytest $(PARALLEL) -m "not browser and not interop" --cov --cov-report=term $(ARGS)

bench: dev peers chromium ## every benchmark, the browser ones beside a peer
	@tools/setup/bench.sh
	@set -e; for file in $(wildcard bench/[a-z]*.py); do echo "==> $$file"; $(BIN)/python "$$file" $(ARGS); done

clean: ## remove everything that make put into this tree
	rm -rf .venv .venv-mcp1 .venv-mcp-cli tests/interop/node/node_modules test-results htmlcov .coverage* dist \
	    .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# The environment, in parts.

app:
	@tools/setup/python.sh app

dev:
	@tools/setup/python.sh dev

mcp1:
	@tools/setup/python.sh mcp1

peers: dev
	@tools/setup/node.sh

chromium: dev
	@tools/setup/chromium.sh

nginx: dev
	@tools/setup/nginx.sh

# The parts of `check`; the pre-commit hooks call them one by one.

lint: dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: dev
	$(BIN)/mypy --no-error-summary

contracts: dev
	$(BIN)/lint-imports --no-logo

js: peers
	PATH="$(CURDIR)/$(BIN):$$PATH" $(NODE_BIN)/tsc --project tsconfig.json

generated: dev
	@set -e; for tool in $(wildcard tools/draw_*.py tools/gen_*.py); do echo "$$tool --check"; $(BIN)/python $$tool --check; done
