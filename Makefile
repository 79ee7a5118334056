# make run · test · lint · e2e · bench · record · soak · check · lock. Each installs by itself what it needs, into .venv.
#
#   make run PORT=8001           another port (any other setting: ALOUD_<NAME>, see docs/self-hosting.md)
#   make run SPEECH=1            with speech to text, too: 550 MB more, a model of 75 MB among them
#   make run TORCH_INDEX=<url>   take torch from this index, too, e.g. one that holds CPU builds
#   make test ARGS="-k queue"    hand arguments to pytest
#   make test JOBS=0             in one process, for a debugger; by default two share the test files
#   make run PYTHON=python3.12   the Python that .venv is made with, the first time
#   make gpu-check               tests, times and records on a GPU; installs nothing (scripts/gpu_check.py)

PYTHON ?= python3
JOBS ?= 2
# By file, in the order of tests/conftest.py: by itself xdist would put files of few tests, the browser's, last.
SHARE := -n $(JOBS) --dist loadfile --no-loadscope-reorder
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
NEEDS := pyproject.toml constraints.txt

.DEFAULT_GOAL := run
.PHONY: run test lint e2e bench record soak check gpu-check lock web worker speech dev

run: web
	@$(if $(PORT),ALOUD_PORT=$(PORT)) $(if $(SPEECH),SPEECH=1) exec $(BIN)/python scripts/run.py

test: dev worker speech
	$(BIN)/python -m pytest $(SHARE) $(ARGS)

lint: dev worker speech
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

e2e: dev worker speech
	$(BIN)/python -m pytest $(SHARE) -m e2e $(ARGS)

bench: dev worker speech
	$(BIN)/python scripts/bench.py
	$(BIN)/python scripts/speech_bench.py

record: dev worker
	$(BIN)/python scripts/card_lines.py
	$(BIN)/aloud demo record $(ARGS)

soak: dev worker
	SOAK=$(or $(SOAK),500) $(BIN)/python -m pytest tests/soak $(ARGS)

check: web
	$(BIN)/aloud check

# On a machine with a GPU: it takes the Python that is there, and installs nothing.
gpu-check:
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here; name one: make gpu-check PYTHON=<path>"; exit 1; }
	@$(PYTHON) scripts/gpu_check.py $(ARGS)

lock: web
	$(BIN)/python scripts/lock.py

# What is installed; each file stands for a finished install and is older than what it was made from when stale.
# A venv that was interrupted has a Python but no pip that knows of itself: venv mends what it finds.
web: $(VENV)/web
worker: $(VENV)/worker
speech: $(VENV)/speech
dev: $(VENV)/dev

$(VENV)/web: $(NEEDS)
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no $(PYTHON) here. Install Python 3.11 or newer, or name one: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Aloud needs Python 3.11 or newer, and $(PYTHON) is older. Name a newer one: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "$(PYTHON) lacks venv. On Debian and Ubuntu: apt install python3-venv"; exit 1; }
	@$(BIN)/python -m pip show --quiet pip 2>/dev/null || $(PYTHON) -m venv $(VENV)
	@echo "Installing the web side into $(VENV) (the first time only) ..."
	@$(PIP) --quiet -e .
	@touch $@

$(VENV)/worker: $(VENV)/web
	@echo "Installing what runs the demos (torch; large) ..."
	@$(BIN)/python scripts/requirements.py worker | \
	  $(PIP) --progress-bar off $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) -r /dev/stdin
	@touch $@

$(VENV)/speech: $(VENV)/web
	@echo "Installing speech to text (550 MB) ..."
	@$(BIN)/python scripts/requirements.py speech | $(PIP) --progress-bar off -r /dev/stdin
	@touch $@

$(VENV)/dev: $(VENV)/web
	@echo "Installing what the tests need ..."
	@$(BIN)/python scripts/requirements.py dev | $(PIP) --quiet -r /dev/stdin
	@touch $@
