# The commands of the project. `make run` and `make test` work on a fresh clone.
PORT ?= 8501
ADDRESS ?= 0.0.0.0
PY := .venv/bin/python

# What is installed is compiled when it is first imported (see bin/environment). A shell that forbids Python to keep
# that would have each process compile it again: 6 of the 10 seconds that torch, Streamlit and transformers then take.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run serve cluster test test-all test-cluster check audit wheel format bench bench-load bench-cluster bench-alignment grammar grounding models results docs hostile clean

# For whoever sits at this computer: nobody else can reach it, and its folders may be opened.
run: .venv/.installed
	@echo "Attention Atlas: http://localhost:$(PORT)  (stop it with Ctrl+C)"
	@exec env ATLAS_AT_HOME=1 $(PY) -m streamlit run dashboard/hosting/server.py --server.port $(PORT) --server.address 127.0.0.1

# For others to visit, who may open nothing of this computer; behind a proxy on it with ADDRESS=127.0.0.1. With many
# threads glibc would keep memory that is free in an arena for each.
serve: .venv/.installed
	@echo "Attention Atlas for everybody: http://$(ADDRESS):$(PORT)  (stop it with Ctrl+C)"
	@exec env ATLAS_AT_HOME= MALLOC_ARENA_MAX=2 $(PY) -m streamlit run dashboard/hosting/server.py --server.port $(PORT) --server.address $(ADDRESS)

# Work is done by Ray's workers in processes of their own (docs/cluster.md): WORKERS of them, up to MOST when many wait;
# FRONTS processes serve the pages.
WORKERS ?= 1
MOST ?= $(WORKERS)
FRONTS ?= 1
cluster: .venv/.installed-cluster
	@exec env ATLAS_AT_HOME= $(PY) -m dashboard.hosting.with_workers --workers $(WORKERS) --most $(MOST) --fronts $(FRONTS) --port $(PORT) --address $(ADDRESS)

# What a change is tried with: everything but what needs a browser, a training or a process of its own, and one visit
# of each page in the browser.
test: .venv/.installed-dev
	@bin/browser
	@bin/npm test
	$(PY) -m pytest -m "not slow"

test-all: .venv/.installed-dev
	@bin/browser
	@bin/npm test
	$(PY) -m pytest

# The contract of workers, by Ray too: it is installed here and not by `make test`, which then says what it leaves out.
test-cluster: .venv/.installed-dev .venv/.installed-cluster
	@bin/browser
	$(PY) -m pytest -n 0 tests/cluster tests/browser/test_fronts.py

check: .venv/.installed-dev node_modules/.installed
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	@bin/npm run check
	$(PY) -m mypy
	$(PY) -m pytest -q -p no:xdist -o addopts= tests/test_architecture.py
	$(PY) bin/audit

# Whether what is installed has known holes; without a network it says so and passes.
audit: .venv/.installed-dev
	$(PY) bin/audit

# What `pip install .` installs, as one file in dist/. What an earlier build left would get into it.
wheel: .venv/.installed-dev
	rm -rf build
	$(PY) -m pip wheel --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist .
	rm -rf build

format: .venv/.installed-dev node_modules/.installed
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .
	@bin/npm run format

bench: .venv/.installed-dev
	@bin/browser
	$(PY) -m benchmarks

# All hostile input once; writes the table of docs/hosting.md.
hostile: .venv/.installed-dev
	$(PY) -m benchmarks.hostile

# Many visitors at once: what a rerun costs, how long a crowd waits, what memory it takes. Some 25 minutes.
bench-load: .venv/.installed-dev
	$(PY) -m benchmarks.load

# Crowds with and without workers, and a simulation of a larger one: some 15 minutes.
bench-cluster: .venv/.installed-dev .venv/.installed-cluster
	$(PY) -m benchmarks.cluster

# How well the translation models align: DATA is a folder with word_alignments/ and tatoeba/.
bench-alignment: .venv/.installed-dev
	$(PY) -m training translation alignment $(if $(DATA),--data "$(DATA)")

# Which head follows which relation of grammar: DATA is a folder with UD_English-EWT, MODEL one model (all without it).
grammar: .venv/.installed-dev
	$(PY) -m training measurements grammar-heads $(if $(DATA),--data "$(DATA)") $(if $(MODEL),--model "$(MODEL)")

# Which word belongs to which region, over a thousand drawn scenes: no DATA. About an hour.
grounding: .venv/.installed-dev
	$(PY) -m training measurements pointing-game

# Every family of the installed libraries, small and random: which can be seen. Some ten minutes.
models: .venv/.installed-dev
	$(PY) -m docs.models

# The table of all models with their baselines, from weights/*/results.json, into docs/results.md.
results: .venv/.installed-dev
	$(PY) -m docs.results

# The reference of the library, from its docstrings, into site/.
docs: .venv/.installed-dev
	$(PY) -m docs.api

# For instance: make train-gpt-books DATA=path/to/lm_text. Without DATA, where it is needed, a sentence says which; what
# there is to train: .venv/bin/python -m training
train-%: .venv/.installed-dev
	$(PY) -m training $* $(if $(DATA),--data "$(DATA)")

# What was trained is measured once more: make train-mae-report DATA=path
train-%-report: .venv/.installed-dev
	$(PY) -m training $* report $(if $(DATA),--data "$(DATA)")

clean:
	rm -rf .venv node_modules build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/.installed: requirements.txt bin/environment
	@bin/environment requirements.txt
	@touch $@

.venv/.installed-dev: requirements.txt requirements-dev.txt bin/environment
	@bin/environment requirements-dev.txt
	@touch .venv/.installed $@

.venv/.installed-cluster: requirements-cluster.txt .venv/.installed
	$(PY) -m pip install --disable-pip-version-check --no-compile -qr requirements-cluster.txt
	@touch $@

# What checks and formats JavaScript; node itself comes with requirements-dev.txt.
node_modules/.installed: package.json package-lock.json .npmrc .venv/.installed-dev
	@bin/npm ci
	@touch $@
