# `make play` and `make test` need Python 3.11, gcc and make, and for the fast core a Rust toolchain. All they set up is
# below this folder. A stamp file in .venv says what is done, so that the second time is quick.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
CARGO ?= cargo
VENV := .venv
BIN := $(VENV)/bin

# --- The native core: required where a new enough cargo is, left out where none is ---

RUST_NEEDED := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' rust/Cargo.toml)
RUST_FOUND := $(shell $(CARGO) --version 2>/dev/null | cut -d' ' -f2)
NODEALER_NATIVE ?= $(shell printf '%s\n' '$(RUST_NEEDED)' '$(RUST_FOUND)' | sort -V -C && echo require || echo skip)
NATIVE := $(filter require,$(NODEALER_NATIVE))
export NODEALER_NATIVE
# One interpreter for the build and for clippy, or each would undo the other's work.
export PYO3_PYTHON := $(abspath $(BIN)/python)

# Folders too: when a file goes away, only its folder changes. Not rust/ itself: cargo puts target/ there.
RUST := $(shell find rust -mindepth 1 -name target -prune -o \( -type d -o -name '*.rs' -o -name 'Cargo.*' \) -print)
CORE := $(wildcard src/nodealer/group/_core*.so)
STAMP := $(VENV)/.nodealer-$(or $(NATIVE),reference)
CARGO_HERE := cd rust && $(CARGO)
# Programs among the tests of the lab use helpers of both folders.
LAB_TESTS := PYTHONPATH=$(abspath tests):$(abspath lab/tests) $(BIN)/python

# $(call metered,what) command: says afterwards what it cost. Pytest has a table of its own.
metered = TIMEFORMAT='CPU seconds of the $(1): %U, and %S in the system'; time

.PHONY: help
help: ## Print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1 \t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

.PHONY: play
play: build ## Set up everything and play hold'em: in the browser, or in the terminal where none is; else bots play
	@$(BIN)/nodealer play --seats 4 --hands 3 || [ $$? = 130 ] # 130: the person left, and was told how to go on

.PHONY: test
test: check rust-test browser tab second ## Set up everything, run all checks and tests (a sample of the many), and say what they cost
	@$(call need,PATH=$$PATH:/usr/sbin nats-server --version,nats-server)
	@$(BIN)/pytest -n auto --dist worksteal

# The page is tested in a real browser, and judged by axe-core, which npm brings.
# Another program, in another language, from the specification alone: it must say the same of the golden logs.
.PHONY: second
second:
	@$(call need,{ command -v node && command -v npm; },nodejs npm)
	@cd verifier && { [ package-lock.json -ot node_modules/.package-lock.json ] || npm ci --silent --ignore-scripts --no-audit --no-fund; }
	@cd verifier && $(call metered,second verifier) node --test test.mjs >/dev/null || { node --test test.mjs; exit 1; }

.PHONY: browser
browser:
	@$(call need,{ command -v chromium || command -v chromium-browser || command -v google-chrome; },chromium)
	@$(call need,{ command -v node && command -v npm; },nodejs npm)

.PHONY: web
web: build ## Build the page for players with nothing installed into dist/web
	@echo "nodealer: building the page into dist/web: some minutes, most of them to compress it" >&2
	@$(BIN)/python -m nodealer.web.bundle.build

# Where the Rust target cannot be had, a seat in a tab is not tested, unless NODEALER_WEB says that it must be.
.PHONY: tab
tab: build
	@$(BIN)/python -m nodealer.web.bundle.build --if-old || { [ $$? = 4 ] && [ "$${NODEALER_WEB:-}" != require ]; }

.PHONY: sheet
sheet: build browser ## Take the contact sheets of the page in docs/ again
	@cd tests && ../$(BIN)/python -m web.sheet

.PHONY: check
check: build rust-check ## Lint, format, spelling, prose and types only
	@$(BIN)/ruff check --quiet src tests lab conftest.py setup.py deploy docs/site
	@$(BIN)/ruff format --quiet --check src tests lab conftest.py setup.py deploy docs/site
	@$(BIN)/codespell README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md Makefile docs src lab tests rust verifier deploy
	@$(BIN)/python tests/habits.py --check
	@$(call metered,types) $(BIN)/mypy
	@$(if $(NATIVE),$(BIN)/stubtest --mypy-config-file pyproject.toml nodealer.group._core)

SUITES := core proofs cards log hand game seat recovery npm relay page web

.PHONY: bench
bench: build browser tab ## Measure: every figure against its yardstick, about ten minutes; build/bench has them as JSON
	@rm -rf build/bench && mkdir -p build/bench
	@start=$$SECONDS; for suite in $(SUITES); do $(BIN)/nodealer bench $$suite --save build/bench/$$suite.json; done; \
	echo "nodealer: measured in $$((SECONDS - start)) s"

.PHONY: figures
figures: bench ## Measure everything, and write figures and plots in docs/ again; some longer than bench
	@$(BIN)/nodealer bench tables --save build/bench/tables.json
	@$(BIN)/nodealer lab sim --games 1000 --cores 2 --json > build/bench/simulator.json
	@cd tests && ../$(BIN)/python figures.py ../build/bench/*.json

.PHONY: pictures
pictures: build ## Play a hand and write the picture of the screen in docs/ again
	@cd tests && ../$(BIN)/python picture.py

.PHONY: diagrams
diagrams: build ## Write the diagrams and tables in docs/ again, from what the code says
	@cd tests && ../$(BIN)/python diagrams.py && ../$(BIN)/python attack_table.py && ../$(BIN)/python layers_picture.py

.PHONY: docs
docs: build ## Build the documentation as a site into build/site; a link that leads nowhere fails
	@$(call need,{ command -v node && command -v npm; },nodejs npm)
	@[ pyproject.toml -ot $(VENV)/.docs ] || { $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]' && touch $(VENV)/.docs; }
	@cd docs/site && { [ package-lock.json -ot node_modules/.package-lock.json ] || npm ci --silent --ignore-scripts --no-audit --no-fund; }
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict && echo "build/site/index.html"

.PHONY: stamp
stamp: build tab ## Write the hash of the page in dist/web into the package: the last commit before `make release`
	@$(BIN)/python deploy/release.py --stamp

.PHONY: release
release: build tab ## Build the wheel and the source distribution of what is committed, reproducibly, into dist/release
	@$(BIN)/python deploy/release.py

.PHONY: lock
lock: ## Take the newest versions of all Python tools, and write down which they are
	@rm -rf build/lock && $(PYTHON) -m venv build/lock && NODEALER_NATIVE=skip build/lock/bin/python -m pip install --quiet --disable-pip-version-check '.[dev,docs,fuzz,coverage]' './lab[plot]'
	@{ sed -n 1p constraints.txt; build/lock/bin/python -m pip freeze --disable-pip-version-check | grep -v '^nodealer'; } > build/constraints.txt && mv build/constraints.txt constraints.txt

.PHONY: notices
notices: ## Write the notices of what is linked into the core again, after a change of rust/Cargo.lock
	@$(PYTHON) deploy/notices.py

.PHONY: plots
plots: build ## Draw the plot of orders and dice in docs/ again
	@$(LAB_TESTS) -m uniformity

.PHONY: attacks
attacks: build ## Carry out every attack on every protocol and mode, and update docs/internals/attacks.json; takes minutes
	@cd tests && ../$(BIN)/python attack_table.py --carry-out

.PHONY: deep
deep: build browser tab second ## Run all tests in full: every case, many more examples; an hour of fuzzing; takes hours
	@$(call need,PATH=$$PATH:/usr/sbin nats-server --version,nats-server)
	@failed=; start=$$SECONDS; \
	NODEALER_SIM_SEED=$${NODEALER_SIM_SEED:-$$(od -An -N6 -tx1 /dev/urandom | tr -d ' ')} HYPOTHESIS_PROFILE=deep $(BIN)/pytest -n auto --dist worksteal -m '' --timeout 1800 || failed="$$failed tests"; \
	for part in timing fuzz; do $(MAKE) --no-print-directory $$part SECONDS=3600 || failed="$$failed $$part"; done; \
	echo "nodealer: $$((SECONDS - start)) s; failed:$${failed:- nothing}"; [ -z "$$failed" ]

# Guided by what the code does with its input where atheris can be had, else by a plain loop.
.PHONY: fuzz
fuzz: SECONDS = 300
fuzz: build ## Fuzz every reader of what others write, for about SECONDS in all
	@$(BIN)/python -c 'import atheris' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[fuzz]' \
		|| echo "nodealer: no atheris for this Python: fuzzing by a plain loop" >&2
	@mkdir -p build/trials
	@$(LAB_TESTS) -m fuzz $(SECONDS) --json > build/trials/fuzz.json

.PHONY: timing
timing: build ## Measure whether times hang on secrets; wants a quiet machine
	@mkdir -p build/trials
	@$(LAB_TESTS) -m timing --json > build/trials/timing.json

.PHONY: trials
trials: build ## Write the figures of the last fuzzing, timing and coverage into docs/ again
	@cd tests && ../$(BIN)/python trials.py

.PHONY: coverage
coverage: build ## Run the tests of this process once more and say which lines no test reaches, by module
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[coverage]'
	@cd tests && ../$(BIN)/python coverage_table.py $(FOLDERS)

.PHONY: vectors
vectors: build ## Write the test vectors in docs/ again, after a change of what is hashed or proven
	@cd tests && ../$(BIN)/python vectors_made.py

.PHONY: golden
golden: build ## Make the golden logs that are not there yet; what was made once stays
	@cd tests && ../$(BIN)/python -m golden.make

.PHONY: doors
doors: ## Clone what is committed into a fresh folder; play and test there, twice
	@folder=$$(mktemp -d); echo "doors: in $$folder, which stays if something fails"; \
	git clone --quiet . "$$folder/nodealer"; \
	for round in first second; do for door in play test; do \
		start=$$SECONDS; \
		env -u MAKEFLAGS -u MAKELEVEL -u NODEALER_NATIVE -u PYO3_PYTHON $(MAKE) --no-print-directory \
			-C "$$folder/nodealer" $$door PYTHON='$(PYTHON)' >"$$folder/$$round-$$door.txt" 2>&1 \
			|| { tail -n 40 "$$folder/$$round-$$door.txt"; echo "doors: make $$door failed the $$round time"; exit 1; }; \
		echo "doors: make $$door, the $$round time: $$((SECONDS - start)) s"; \
		if [ $$round$$door = secondplay ] && [ $$((SECONDS - start)) -gt 30 ]; then \
			echo "doors: the second make play set things up again"; exit 1; \
		fi; \
	done; done; \
	rm -rf "$$folder"

.PHONY: build
build: $(STAMP) ## Set up the virtual environment and the native core below this folder
	@$(if $(NATIVE),:,$(SLOW))

.PHONY: clean
clean: ## Remove everything that was set up or built here
	rm -rf $(VENV) build dist rust/target tests/npm/node_modules tests/web/npm/node_modules docs/site/node_modules verifier/node_modules src/nodealer.egg-info lab/build lab/src/nodealer_lab.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -f src/nodealer/group/_core*.so
	find src tests lab -name __pycache__ -prune -exec rm -rf {} +

# --- Set-up ---

define SLOW
echo "nodealer: NO NATIVE CORE, only the slow reference. It is built where cargo is $(RUST_NEEDED) or newer (here: $(or $(RUST_FOUND),none); https://rustup.rs) and NODEALER_NATIVE is not skip." >&2
endef

# Gone, or never built: then the stamp counts for nothing.
ifneq ($(NATIVE),)
ifeq ($(CORE),)
$(STAMP): FORCE
endif
endif

$(STAMP): $(VENV)/.made pyproject.toml lab/pyproject.toml constraints.txt setup.py MANIFEST.in $(RUST)
	@echo "nodealer: installing into $(VENV) ($(if $(NATIVE),with the native core: a minute or two,without the native core))" >&2
	@rm -f $(VENV)/.nodealer-*
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]' --editable ./lab
	@touch $@

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "nodealer: Python 3.11 or newer is needed, and '$(PYTHON)' is not; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(call need,$(PYTHON) -c 'import ensurepip',python3-venv)
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# $(call need,command that works once it is there,Debian package): installs it as root on Debian, else says what to do.
define need
$(1) >/dev/null 2>&1 || { \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "nodealer: installing $(2)" >&2; \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(2) >/dev/null; } || true; \
	fi; \
	$(1) >/dev/null 2>&1 || { echo "nodealer: $(2) is missing; on Debian: apt-get install $(2)" >&2; exit 1; }; }
endef

# --- Rust ---

.PHONY: rust-check rust-test
ifneq ($(NATIVE),)
rust-check: build
	@$(call need,$(CARGO) fmt --version,rustfmt)
	@$(call need,$(CARGO) clippy --version,rust-clippy)
	@$(CARGO_HERE) fmt --all --check
	@$(CARGO_HERE) clippy --quiet --locked --workspace --all-targets -- -D warnings
rust-test: build
	@$(call metered,Rust tests) bash -c '$(CARGO_HERE) test --quiet --locked --workspace'
else
rust-check rust-test: build
endif

.PHONY: FORCE
FORCE:
