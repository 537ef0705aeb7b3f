# The commands of the project. `make run` and `make test` work on a fresh clone.
PORT ?= 8501
ADDRESS ?= 0.0.0.0
PY := .venv/bin/python

.PHONY: run serve test test-all check audit wheel format bench bench-load bench-alignment grammar grounding models docs hostile train-small-tasks train-vilbert train-scene-reader train-discrete-vae train-dalle train-attention-gan \
	train-dalle-report train-attention-gan-report clean

# For whoever sits at this computer: nobody else can reach it, and its folders may be opened.
run: .venv/.installed
	@echo "Attention Atlas: http://localhost:$(PORT)  (stop it with Ctrl+C)"
	@exec env ATLAS_AT_HOME=1 $(PY) -m streamlit run dashboard/server.py --server.port $(PORT) --server.address 127.0.0.1

# For others to visit, who may open nothing of this computer; behind a proxy on it with ADDRESS=127.0.0.1. With many
# threads glibc would keep memory that is free in an arena for each.
serve: .venv/.installed
	@echo "Attention Atlas for everybody: http://$(ADDRESS):$(PORT)  (stop it with Ctrl+C)"
	@exec env ATLAS_AT_HOME= MALLOC_ARENA_MAX=2 $(PY) -m streamlit run dashboard/server.py --server.port $(PORT) --server.address $(ADDRESS)

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

# How well the translation models align: DATA is a folder with word_alignments/ and tatoeba/.
bench-alignment: .venv/.installed-dev
	@test -n "$(DATA)" || { echo "Say where the data is: make $@ DATA=path (training/translation_alignment.py says which)."; exit 1; }
	$(PY) -m training.translation_alignment --data "$(DATA)"

# Which head follows which relation of grammar: DATA is a folder with UD_English-EWT, MODEL one model (all without it).
grammar: .venv/.installed-dev
	@test -n "$(DATA)" || { echo "Say where the data is: make $@ DATA=path (training/grammar_heads.py says which)."; exit 1; }
	$(PY) -m training.grammar_heads --data "$(DATA)" $(if $(MODEL),--model "$(MODEL)")

# Which word belongs to which region, over a thousand drawn scenes: no DATA. About an hour.
grounding: .venv/.installed-dev
	$(PY) -m training.grounding

# Every family of the installed libraries, small and random: which can be seen. Some ten minutes.
models: .venv/.installed-dev
	$(PY) -m docs.models

# The reference of the library, from its docstrings, into site/.
docs: .venv/.installed-dev
	$(PY) -m docs.api

# For instance: make train-gpt-books DATA=path/to/lm_text
train-%: .venv/.installed-dev
	@test -n "$(DATA)" || { echo "Say where the data is: make $@ DATA=path (training/$(subst -,_,$*).py says which)."; exit 1; }
	$(PY) -m training.$(subst -,_,$*) --data "$(DATA)"

# Its problems are made, not read: no DATA.
train-small-tasks: .venv/.installed-dev
	$(PY) -m training.small_tasks

# Their scenes are drawn, not read: no DATA either.
train-vilbert train-scene-reader: .venv/.installed-dev
	$(PY) -m training.$(subst -,_,$(@:train-%=%))

# Scenes without DATA; with it, a folder that holds emoji_image_text, emoji too. A report measures what was trained.
train-discrete-vae train-dalle train-attention-gan: .venv/.installed-dev
	$(PY) -m training.$(subst -,_,$(@:train-%=%)) $(if $(DATA),--data "$(DATA)",--only $(if $(filter train-discrete-vae,$@),scenes scenes-gumbel,scenes))

train-dalle-report train-attention-gan-report: .venv/.installed-dev
	$(PY) -m training.$(subst -,_,$(@:train-%=%)) $(if $(DATA),--data "$(DATA)")

# The image classifiers share a script. The vision transformer learns twice, the second time from the residual network
# as well, so train that one first.
train-%-tiny-imagenet: .venv/.installed-dev
	@test -n "$(DATA)" || { echo "Say where the data is: make $@ DATA=path (training/tiny_imagenet.py says which)."; exit 1; }
	$(PY) -m training.tiny_imagenet $* --data "$(DATA)" $(if $(filter vit,$*),--steps 3600 --run runs/vit-first)
	$(if $(filter vit,$*),$(PY) -m training.tiny_imagenet vit --data "$(DATA)" --start weights/vit-tiny-imagenet/model.safetensors --teacher resnet)

clean:
	rm -rf .venv node_modules build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/.installed: requirements.txt bin/environment
	@bin/environment requirements.txt
	@touch $@

.venv/.installed-dev: requirements.txt requirements-dev.txt bin/environment
	@bin/environment requirements-dev.txt
	@touch .venv/.installed $@

# What checks and formats JavaScript; node itself comes with requirements-dev.txt.
node_modules/.installed: package.json package-lock.json .npmrc .venv/.installed-dev
	@bin/npm ci
	@touch $@
