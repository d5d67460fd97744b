# `make play` and `make test` need Python 3.11, gcc and make, and a Rust toolchain for the fast core. Everything they
# install is below this folder. A stamp file in .venv records what is done, so that the next run is quick.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
CARGO ?= cargo
VENV := .venv
BIN := $(VENV)/bin

# --- The native core: required if cargo is new enough, left out if there is none ---

RUST_NEEDED := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' rust/Cargo.toml)
RUST_FOUND := $(shell $(CARGO) --version 2>/dev/null | cut -d' ' -f2)
NODEALER_NATIVE ?= $(shell printf '%s\n' '$(RUST_NEEDED)' '$(RUST_FOUND)' | sort -V -C && echo require || echo skip)
NATIVE := $(filter require,$(NODEALER_NATIVE))
export NODEALER_NATIVE
# The build and clippy use one interpreter; otherwise each would undo the other's work.
export PYO3_PYTHON := $(abspath $(BIN)/python)

# Folders too, because a deleted file changes only its folder. Not rust/ itself, where cargo puts target/.
RUST := $(shell find rust -mindepth 1 -name target -prune -o \( -type d -o -name '*.rs' -o -name 'Cargo.*' \) -print)
CORE := $(wildcard src/nodealer/group/_core*.so)
STAMP := $(VENV)/.nodealer-$(or $(NATIVE),reference)
CARGO_HERE := cd rust && $(CARGO)
# Programs among the tests of the lab use helpers of both folders.
LAB_TESTS := PYTHONPATH=$(abspath tests):$(abspath lab/tests) $(BIN)/python

# $(call metered,what) command: prints the CPU seconds it took. Pytest has a table of its own.
metered = TIMEFORMAT='CPU seconds of the $(1): %U, and %S in the system'; time

.PHONY: help
help: ## Print this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1 \t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

.PHONY: play
play: build ## Set up everything and play hold'em: in the browser if there is one, else in the terminal, else bots play
	@$(BIN)/nodealer play --seats 4 --hands 3 || [ $$? = 130 ] # 130: the player left, and was shown how to resume

.PHONY: test
test: check rust-test browser tab second ## Set up everything, run all checks and tests (a sample of the large ones), and print what they cost
	@$(call need,PATH=$$PATH:/usr/sbin nats-server --version,nats-server)
	@$(BIN)/pytest -n auto --dist worksteal

# The second verifier, written in another language from the specification alone, must agree on the golden logs.
.PHONY: second
second:
	@$(call need,{ command -v node && command -v npm; },nodejs npm)
	@cd verifier && { [ package-lock.json -ot node_modules/.package-lock.json ] || npm ci --silent --ignore-scripts --no-audit --no-fund; }
	@cd verifier && $(call metered,second verifier) node --test test.mjs >/dev/null || { node --test test.mjs; exit 1; }

# The page is tested in a real browser, and checked by axe-core, which npm installs.
.PHONY: browser
browser:
	@$(call need,{ command -v chromium || command -v chromium-browser || command -v google-chrome; },chromium)
	@$(call need,{ command -v node && command -v npm; },nodejs npm)

.PHONY: web
web: build ## Build the page that runs in a browser tab, with nothing installed, into dist/web
	@echo "nodealer: building the page into dist/web; this takes a few minutes, mostly for compression" >&2
	@$(BIN)/python -m nodealer.web.bundle.build

# If the Rust target cannot be installed, the tab is not tested, unless NODEALER_WEB=require.
.PHONY: tab
tab: build
	@$(BIN)/python -m nodealer.web.bundle.build --if-old || { [ $$? = 4 ] && [ "$${NODEALER_WEB:-}" != require ]; }

.PHONY: sheet
sheet: build browser ## Retake the screenshots of the page in docs/
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
bench: build browser tab ## Run every benchmark against its yardstick (about ten minutes), as JSON in build/bench
	@rm -rf build/bench && mkdir -p build/bench
	@start=$$SECONDS; for suite in $(SUITES); do $(BIN)/nodealer bench $$suite --save build/bench/$$suite.json; done; \
	echo "nodealer: measured in $$((SECONDS - start)) s"

.PHONY: figures
figures: bench ## Run every benchmark and update figures and plots in docs/; takes longer than bench
	@$(BIN)/nodealer bench tables --save build/bench/tables.json
	@$(BIN)/nodealer lab sim --games 1000 --cores 2 --json > build/bench/simulator.json
	@cd tests && ../$(BIN)/python figures.py ../build/bench/*.json

.PHONY: pictures
pictures: build ## Play a hand and update the picture of the terminal in docs/
	@cd tests && ../$(BIN)/python picture.py

.PHONY: diagrams
diagrams: build ## Update the diagrams in docs/ from the code
	@cd tests && ../$(BIN)/python diagrams.py && ../$(BIN)/python attack_table.py && ../$(BIN)/python layers_picture.py

.PHONY: docs
docs: build ## Build the documentation site into build/site; a broken link fails
	@$(call need,{ command -v node && command -v npm; },nodejs npm)
	@[ pyproject.toml -ot $(VENV)/.docs ] || { $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]' && touch $(VENV)/.docs; }
	@cd docs/site && { [ package-lock.json -ot node_modules/.package-lock.json ] || npm ci --silent --ignore-scripts --no-audit --no-fund; }
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict && echo "build/site/index.html"

.PHONY: stamp
stamp: build tab ## Write the hash of dist/web into the package; the last commit before `make release`
	@$(BIN)/python deploy/release.py --stamp

.PHONY: release
release: build tab ## Build wheel and source distribution of the current commit, reproducibly, into dist/release
	@$(BIN)/python deploy/release.py

.PHONY: lock
lock: ## Pin the newest versions of all Python tools in constraints.txt
	@rm -rf build/lock && $(PYTHON) -m venv build/lock && NODEALER_NATIVE=skip build/lock/bin/python -m pip install --quiet --disable-pip-version-check '.[dev,docs,fuzz,coverage]' './lab[plot]'
	@{ sed -n 1p constraints.txt; build/lock/bin/python -m pip freeze --disable-pip-version-check | grep -v '^nodealer'; } > build/constraints.txt && mv build/constraints.txt constraints.txt

.PHONY: notices
notices: ## Update the licence notices of the core after a change of rust/Cargo.lock
	@$(PYTHON) deploy/notices.py

.PHONY: plots
plots: build ## Update the uniformity plot of shuffles and dice in docs/
	@$(LAB_TESTS) -m uniformity

.PHONY: attacks
attacks: build ## Carry out every attack on every protocol and mode, and update docs/internals/attacks.json; takes minutes
	@cd tests && ../$(BIN)/python attack_table.py --carry-out

.PHONY: deep
deep: build browser tab second ## Run all tests in full, with every case and many more examples, and an hour of fuzzing; takes hours
	@$(call need,PATH=$$PATH:/usr/sbin nats-server --version,nats-server)
	@failed=; start=$$SECONDS; \
	NODEALER_SIM_SEED=$${NODEALER_SIM_SEED:-$$(od -An -N6 -tx1 /dev/urandom | tr -d ' ')} HYPOTHESIS_PROFILE=deep $(BIN)/pytest -n auto --dist worksteal -m '' --timeout 1800 || failed="$$failed tests"; \
	for part in timing fuzz; do $(MAKE) --no-print-directory $$part SECONDS=3600 || failed="$$failed $$part"; done; \
	echo "nodealer: $$((SECONDS - start)) s; failed:$${failed:- nothing}"; [ -z "$$failed" ]

# Coverage-guided if atheris can be installed, else a plain loop.
.PHONY: fuzz
fuzz: SECONDS = 300
fuzz: build ## Fuzz every parser of untrusted bytes, for about SECONDS in all
	@$(BIN)/python -c 'import atheris' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[fuzz]' \
		|| echo "nodealer: atheris is not available for this Python; fuzzing with a plain loop" >&2
	@mkdir -p build/trials
	@$(LAB_TESTS) -m fuzz $(SECONDS) --json > build/trials/fuzz.json

.PHONY: timing
timing: build ## Measure whether running times depend on secrets; needs a quiet machine
	@mkdir -p build/trials
	@$(LAB_TESTS) -m timing --json > build/trials/timing.json

.PHONY: trials
trials: build ## Update docs/ with the last fuzzing, timing and coverage results
	@cd tests && ../$(BIN)/python trials.py

.PHONY: coverage
coverage: build ## Run the tests with coverage and list unreached lines by module
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[coverage]'
	@cd tests && ../$(BIN)/python coverage_table.py $(FOLDERS)

.PHONY: walk
walk: build ## Print which functions and files handle one shuffle, sent and received
	@$(BIN)/python tests/walk.py

.PHONY: vectors
vectors: build ## Update the test vectors in docs/ after a change of what is hashed or proven
	@cd tests && ../$(BIN)/python vectors_made.py

.PHONY: golden
golden: build ## Make the golden logs that are missing; existing ones are never replaced
	@cd tests && ../$(BIN)/python -m golden.make

.PHONY: doors
doors: ## Clone the current commit into a fresh folder; run play and test there, twice
	@folder=$$(mktemp -d); echo "doors: using $$folder, which is kept if something fails"; \
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
echo "nodealer: NO NATIVE CORE, only the slow reference implementation. The core is built if cargo is $(RUST_NEEDED) or newer (here: $(or $(RUST_FOUND),none); https://rustup.rs) and NODEALER_NATIVE is not skip." >&2
endef

# If the core is missing, the stamp does not count.
ifneq ($(NATIVE),)
ifeq ($(CORE),)
$(STAMP): FORCE
endif
endif

$(STAMP): $(VENV)/.made pyproject.toml lab/pyproject.toml constraints.txt setup.py MANIFEST.in $(RUST)
	@echo "nodealer: installing into $(VENV) ($(if $(NATIVE),with the native core: a minute or two,without the native core))" >&2
	@rm -f $(VENV)/.nodealer-*
	@NODEALER_YARDSTICK=1 $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]' --editable ./lab
	@touch $@

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "nodealer: Python 3.11 or newer is needed, and '$(PYTHON)' is not; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(call need,$(PYTHON) -c 'import ensurepip',python3-venv)
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# $(call need,command that works once installed,Debian package): installs it as root on Debian, else says what to do.
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
	@$(CARGO_HERE) clippy --quiet --locked --workspace --all-targets --all-features -- -D warnings
	@$(CARGO_HERE) clippy --quiet --locked --workspace -- -D warnings
rust-test: build
	@$(call metered,Rust tests) bash -c '$(CARGO_HERE) test --quiet --locked --workspace --all-features'
else
rust-check rust-test: build
endif

.PHONY: FORCE
FORCE:
