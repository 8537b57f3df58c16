# One word a task. `make demo` and `make test` need only Python 3.11 or later, git and make.
# `make demo` and `make try` install what they need, in an environment of their own; the others all.

VENV := .venv
BIN := $(VENV)/bin
LOCKED := $(VENV)/locked
READY := $(VENV)/ready
DEMO := .venv-demo
GAMES := examples/international_football_results.csv.gz
JOBS ?= 3
SHARED = -n $(JOBS) --dist worksteal# a worker that has nothing left takes half of what another has

# The first interpreter that really runs, is recent enough and can make an environment: a name on
# the path proves nothing, since version managers leave names behind that only fail.
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3.14 python3 python; do \
	"$$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
	>/dev/null 2>&1 && { echo "$$name"; break; }; done)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSTALL := $(PIP) install --no-compile --no-deps --require-hashes

.PHONY: demo serve try test quick laws lint types docs docs-site readme house surface kernels dist bench benchmark lock clean
.DELETE_ON_ERROR:

demo: $(if $(wildcard $(READY)),$(READY),$(DEMO)/ready) ## rate every men's international football match and print the leaderboard
	@PYTHONPATH=src $(<D)/bin/python -m prowess rate $(GAMES) --min-games 100 --top 20

serve: $(READY) ## a live ladder with sample games at http://127.0.0.1:8000
	@mkdir -p .cache
	@$(BIN)/prowess serve --sample --store .cache/sample.db

try: $(if $(wildcard $(READY)),$(READY),$(DEMO)/linker) ## build the page into which one drops a file, and serve it at http://127.0.0.1:8001
	@PYTHONPATH=src $(<D)/bin/python docs/try/build.py
	@PYTHONPATH=src $(<D)/bin/python -m prowess try

# Collected once before, tests have bytecode: each worker would make its own beside the others.
test: $(READY) ## everything that has to hold before a change is handed in; format and types beside the tests
	@{ $(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy; } & checks=$$!; \
	$(BIN)/python -m pytest -q --collect-only >/dev/null; \
	$(BIN)/python -m pytest -q $(SHARED); tests=$$?; \
	wait $$checks && exit $$tests

quick: $(READY) ## all tests that are not slow (tests/slow.txt), laws with fewer examples; CHANGED=1: what a change can reach
	@QUICK=1 $(BIN)/python -m pytest -q $(SHARED) -m "not slow" \
		$(if $(CHANGED),$$($(BIN)/python tests/changed.py))

laws: $(READY) ## laws over the catalogue, with fewer examples, the compiler, and programs from end to end
	@QUICK=1 $(BIN)/python -m pytest -q $(SHARED) -m "not slow" tests/compile tests/live/ladder \
		$(wildcard tests/test_every_*.py tests/test_kernel*.py tests/test_end_to_end*.py)

lint: $(READY) ## format and house style
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: $(READY)
	@$(BIN)/mypy

docs: $(READY) ## run what the documents show
	@$(BIN)/python -m pytest -q tests/test_contributing.py $(wildcard tests/test_docs.py)

docs-site: $(READY) ## build the documentation site into build/site
	@$(BIN)/python docs/build_site.py && echo "open build/site/index.html"

readme: $(READY) ## write the README's table of systems from their declarations
	@$(BIN)/python docs/systems.py
	@$(BIN)/python docs/signatures.py
	@$(BIN)/python docs/errors.py
	@$(BIN)/python docs/words.py

house: $(READY) ## count what may only fall (tests/house.toml), and the functions that a row and a result pass
	@$(BIN)/python tests/house.py --trace

surface: $(READY) ## write what programs and scripts rely on into tests/surface.txt
	@$(BIN)/python tests/surface.py --write

kernels: $(READY) ## compile the loops of every system for all processors, into build/kernels
	@$(BIN)/python -m wheels.kernels

dist: kernels ## build wheels and sdist, and try them in fresh environments with and without extras
	@$(BIN)/python -m wheels.check

bench: $(READY) ## measure speed and memory; takes minutes
	@for script in benchmarks/*.py; do \
		echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

benchmark: $(READY) ## judge the default beside tuned systems on all examples, into docs/peers.md; minutes
	@$(BIN)/python benchmarks/forecasts.py --write

lock: $(READY) ## resolve every dependency again, for all supported interpreters and systems
	@$(PIP) install uv
	@$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
		--upgrade --generate-hashes --no-emit-index-url --no-annotate --no-header \
		--quiet --output-file $(VENV)/lock.txt
	@{ grep '^#' constraints.txt; cat $(VENV)/lock.txt; } > $(VENV)/constraints.txt
	@mv $(VENV)/constraints.txt constraints.txt
	@$(BIN)/uv pip compile pyproject.toml --extra fast --constraint constraints.txt --universal \
		--python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
		--quiet --output-file $(VENV)/lock.txt
	@{ grep '^#' demo-constraints.txt; cat $(VENV)/lock.txt; } > $(VENV)/constraints.txt
	@mv $(VENV)/constraints.txt demo-constraints.txt

clean: ## remove everything that the other words made
	rm -rf $(VENV) $(DEMO) .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# $(call set_up,ENVIRONMENT,HOW LONG): make an empty environment, or say that there is no interpreter
define set_up
	@python="$(PYTHON)"; \
	if [ -z "$$python" ]; then \
		echo "make: no Python 3.11 or later that has venv was found;" \
			"name one with: make $(or $(MAKECMDGOALS),demo) PYTHON=/path/to/python3" >&2; \
		exit 1; \
	fi; \
	echo "Setting up $(1) with $$("$$python" --version) (once, $(2)) ..." >&2; \
	"$$python" -m venv --clear $(1)
endef

$(DEMO)/ready: demo-constraints.txt
	$(call set_up,$(DEMO),about half a minute)
	@$(DEMO)/bin/python -m pip --disable-pip-version-check --quiet install --no-compile \
		--require-hashes -r demo-constraints.txt
	@touch $@

$(DEMO)/linker: $(DEMO)/ready constraints.txt # links the kernels of the page
	@sed -n '/^ziglang==/,/[^\\]$$/p' constraints.txt > $(DEMO)/linker.txt
	@$(DEMO)/bin/python -m pip --disable-pip-version-check --quiet install --no-compile \
		--require-hashes -r $(DEMO)/linker.txt
	@touch $@

# The pip of an interpreter may be old: those before 23.3 need twice the time, since they compare each
# file of an index with all tags of the interpreter one by one. pip works on one core, so two of them
# install half of the packages each: the lock names each package with all that it needs, and pip looks
# at the end whether anything is missing.
$(LOCKED): constraints.txt
	$(call set_up,$(VENV),some minutes)
	@sed -n '/^pip==/,/[^\\]$$/p' constraints.txt > $(VENV)/pip.txt
	@$(INSTALL) -r $(VENV)/pip.txt
	@awk '/^[^ #]/ { half = !half } /^[^#]/ { print > ("$(VENV)/half" half + 0 ".txt") }' constraints.txt
	@$(INSTALL) -r $(VENV)/half0.txt & first=$$!; \
	$(INSTALL) -r $(VENV)/half1.txt; second=$$?; \
	wait $$first && exit $$second
	@$(PIP) check
	@touch $@

$(READY): $(LOCKED) pyproject.toml
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@
