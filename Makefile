# Every target does its own set-up in .venv. Exact versions: constraints.txt.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# What an installation depends on: the kernels are compiled by it.
INSTALLED := pyproject.toml setup.py constraints.txt $(shell find src -name '*.c' -o -name '*.h')
INSTALL := $(PIP) install --quiet --constraint constraints.txt --editable

# Images of containers often set it; then every process that a test starts would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-all setup check audit format fuzz sanitise attack bench clean
.DELETE_ON_ERROR:

help:  ## what there is to make
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16

demo: .venv/.demo  ## play: a world of pictures learnt from, described, scored and shown, in demo/
	$(BIN)/limner demo demo

# -rfEs names what was skipped, and why, in the last lines.
test: .venv/.dev .venv/.browser  ## run the tests
	$(BIN)/python -m pytest -n auto -rfEs

test-all: .venv/.dev .venv/.browser  ## run all tests: heavy training, kills, fuzz, sanitisers and attacks too
	$(BIN)/python -m pytest -n auto -rfEs -m '' --hypothesis-profile thorough
	@$(MAKE) --no-print-directory fuzz sanitise attack

setup: .venv/.dev .venv/.browser  ## install everything, development needs and a browser too

check: .venv/.dev  ## lint, format, types, the import rules, the dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_rooms.py tests/test_dependencies.py
	$(PIP) check
	@$(MAKE) --no-print-directory audit

# Some indexes tell nothing about some packages: those are counted, whatever is known to be unsafe fails.
audit: .venv/.dev  ## look for known vulnerabilities in what is installed
	@$(BIN)/pip-audit --skip-editable --local --progress-spinner off > .venv/audit.txt 2>&1 || { cat .venv/audit.txt; exit 1; }
	@echo "audit: nothing known; $$(grep -c 'could not be audited' .venv/audit.txt) packages could not be audited"

format: .venv/.dev  ## put the code in its form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

fuzz: .venv/.dev  ## give every reader ten thousand broken files
	$(BIN)/python -m pytest -n auto tests/fuzz --mutations 10000

# Python itself is not built with the sanitisers: their library is loaded first, and Python's own leaks are not looked for.
SANITISED_TESTS := tests/fuzz/test_kernels.py tests/score/test_ngrams.py tests/score/meteor/test_kernels.py \
	tests/score/meteor/test_meteor_search.py tests/score/meteor/test_meteor_sentences.py
sanitise: .venv/.dev  ## run the kernels' tests, and a fuzz of them, with every memory access and operation checked
	@built=$$(mktemp -d); trap 'rm -rf "$$built"' EXIT; \
	tar -c --exclude='*.so' --exclude='__pycache__' src setup.py pyproject.toml README.md LICENSE | tar -x -C "$$built" && \
	(cd "$$built" && CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all' \
		$(abspath $(BIN))/python setup.py --quiet build_ext --inplace) && \
	test "$$(find "$$built/src" -name '_*.c' | wc -l)" = "$$(find "$$built/src" -name '_*.so' | wc -l)" && \
	LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONPATH="$$built/src" PYTHONMALLOC=malloc \
		$(BIN)/python -m pytest -n 0 -p no:cacheprovider $(SANITISED_TESTS) --mutations 2000

attack: .venv/.dev  ## give every command broken and hostile files, odd arguments and signals at any moment
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m attacks
	OPENBLAS_NUM_THREADS=1 $(BIN)/python tests/kill_runs.py --kills 30 --interrupts 30

bench: .venv/.dev  ## time Limner against what people use now
	$(BIN)/python -m benchmarks

clean:  ## remove what was installed and made
	rm -rf .venv demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Limner needs Python 3.11 or newer; try: make PYTHON=python3.11 ..." >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.demo: $(INSTALLED) | .venv/bin/python
	$(INSTALL) '.[plots,train]'
	@touch $@

.venv/.dev: $(INSTALLED) | .venv/bin/python
	$(INSTALL) '.[dev]'
	@touch $@ .venv/.demo

# Tests of pages need Chromium. Without it they are skipped, and `make test` says so in its last lines.
HAS_BROWSER := command -v chromium || command -v chromium-browser || command -v google-chrome
.venv/.browser: | .venv/bin/python
	@if $(HAS_BROWSER); then :; \
	elif command -v apt-get && [ "$$(id -u)" = 0 ]; then \
		echo "Installing Chromium, for the tests of pages (some 100 MB) ..." >&2; \
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >.venv/browser.txt 2>&1 || \
			echo "Chromium could not be installed (see .venv/browser.txt): tests of pages will be skipped." >&2; \
	else echo "No Chromium, and no right to install it: tests of pages will be skipped." >&2; fi >/dev/null
	@if $(HAS_BROWSER); then touch $@; fi >/dev/null
