# Epsilon Lab. `make` alone lists the commands.

VENV := .venv
BENCH_VENV := .venv-bench
MUTANTS_VENV := .venv-mutants
DOCS_VENV := .venv-docs
PY := $(VENV)/bin/python
BENCH_PY := $(BENCH_VENV)/bin/python
# Another Deno than the one from the wheel is named by DENO=deno; DENO=true goes without, and leaves the JavaScript out.
DENO := $(VENV)/bin/deno
PIP_INSTALL := -m pip install --quiet --no-input --disable-pip-version-check

# Deno asks nobody whether there is a newer one, and keeps its cache where `make clean` finds it.
export DENO_NO_UPDATE_CHECK := 1
export DENO_DIR := $(CURDIR)/$(VENV)/deno
# Each thread of the server would keep freed memory of its own (glibc): with two arenas the lab takes a tenth less.
export MALLOC_ARENA_MAX ?= 2

.DEFAULT_GOAL := help
.PHONY: help run class load test lint format quick browser soak mutants sweep audit bench docs site package pictures clean

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

run: $(VENV)/.run ## start the lab and print its address (PORT=8600 to choose the port)
	@$(PY) -m streamlit run app.py $(if $(PORT),--server.port $(PORT)) $(ARGS)

class: $(VENV)/.run ## several processes behind one address, for a large class (REPLICAS=4 PORT=8501)
	@CADDY="$$(sh scripts/caddy.sh)" && $(PY) -m scripts.replicas --caddy "$$CADDY" $(if $(REPLICAS),--replicas $(REPLICAS)) $(if $(PORT),--port $(PORT))

load: $(VENV)/.run ## people of a class on a server of yours, and what they wait for (ARGS="--people 50 --seconds 30 http://address")
	@$(PY) -m scripts.load $(ARGS)

test: $(VENV)/.dev ## everything: lint, format, unit, contract, doctest, page and real-browser tests; the time of each tier at the end
	@times=; for tier in lint quick browser; do \
		start=$$(date +%s) && $(MAKE) --no-print-directory $$tier || exit 1; \
		times="$$times$$tier $$(($$(date +%s) - start)) s  "; \
	done; echo "$$times"

lint: $(VENV)/.dev ## lint, format and type check only
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(DENO) lint --quiet
	@$(DENO) check --quiet .
	@$(DENO) fmt --quiet --check

format: $(VENV)/.dev ## put the code in the house style
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .
	@$(DENO) lint --quiet --fix
	@$(DENO) fmt --quiet

quick: $(VENV)/.dev ## the tests that need no browser, two at a time
	@$(DENO) test --quiet --no-check --parallel --reporter=dot
	@$(PY) -m pytest -m "not browser and not soak" -n 2 --dist worksteal $(ARGS)

browser: $(VENV)/.dev ## the tests in a real browser, two files at a time
	@CHROME="$$(sh scripts/chromium.sh $(PY))" && export CHROME && \
		$(PY) -m pytest -m "browser and not soak" -n 2 --dist loadfile $(or $(ARGS),tests/browser)

soak: $(VENV)/.dev ## what takes long: every sentence at 3,000 settings a page (SOAK=500 for fewer), 10,000 runs of intervals, containers, crowds, all pages in the browser, CONTRIBUTING
	@SOAK=$${SOAK:-3000} $(PY) -m pytest -m "not browser" -n 2 -k "sentence or any_settings" -o faulthandler_timeout=7200 tests/pages tests/dpcore/accountants/test_attacker.py $(ARGS)
	@SOAK=all $(PY) -m pytest -m "not browser" -s -o faulthandler_timeout=7200 tests/lab/statistics/test_coverage.py
	@$(PY) -m pytest -m "soak and not browser" -o faulthandler_timeout=7200 tests
	@CHROME="$$(sh scripts/chromium.sh $(PY))" && export CHROME && \
		$(PY) -m pytest -m "soak and browser" -o faulthandler_timeout=7200 tests/browser

mutants: $(MUTANTS_VENV)/.dev ## break the code in small ways and count what the tests find (ARGS="--of engine --count 100 --seed 1")
	@$(MUTANTS_VENV)/bin/python -m scripts.mutants --reached $(MUTANTS_VENV)/reached.json $(ARGS)

sweep: $(VENV)/.run ## train many settings at full size, into Parquet files (ARGS="'classifier?steps=50' --over epsilon=0.1,1 --out runs")
	@$(PY) -m scripts.sweep $(ARGS)

audit: $(VENV)/.run ## attack the mechanisms of the lab and print what was measured (ARGS="--times 10"; ARGS=--record for the table of the page)
	@$(PY) -m benchmarks.audit $(ARGS)

bench: $(BENCH_VENV)/.bench ## speed and latency, side by side with others, in one run
	@CHROME="$$(sh scripts/chromium.sh $(BENCH_PY))" && export CHROME && $(BENCH_PY) -m benchmarks.run $(ARGS)

docs: $(DOCS_VENV)/.docs ## describe the functions of dpcore and lab, into site/api
	@$(DOCS_VENV)/bin/python -m scripts.make_api $(ARGS)

site: $(VENV)/.run ## the lab as static files, for any host or disk (LAB_ADDRESS=https://lab.example.edu for links to it)
	@LAB_ADDRESS="$(LAB_ADDRESS)" $(PY) -m scripts.make_site $(ARGS)

package: $(VENV)/.run ## build the wheel of the engine into dist, and try it in a new environment
	@$(PY) -m scripts.check_package

pictures: $(VENV)/.dev ## make the README's pictures from the running lab
	@CHROME="$$(sh scripts/chromium.sh $(PY))" && export CHROME && $(PY) -m scripts.make_pictures

clean: ## remove the environments and everything else that can be made again
	rm -rf $(VENV) $(BENCH_VENV) $(MUTANTS_VENV) $(DOCS_VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp file is newer than what was installed, so the second start installs nothing.

$(VENV)/.made $(BENCH_VENV)/.made $(MUTANTS_VENV)/.made $(DOCS_VENV)/.made:
	@python="$$(sh scripts/python.sh $(PYTHON))" && echo "Making $(@D) with $$python" >&2 && \
	    rm -rf $(@D) && "$$python" -m venv $(@D)
	@touch $@

# The versions of requirements.lock, also of what is required indirectly. A constraint has no hash, or all would need one.
$(VENV)/.run: requirements.txt requirements.lock $(VENV)/.made
	@echo "Installing requirements.txt; a minute or so, this once" >&2
	@sed -e '/^ *--hash/d' -e 's/ \\$$//' requirements.lock > $(VENV)/constraints.txt
	@$(PY) $(PIP_INSTALL) --constraint $(VENV)/constraints.txt -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.run
	@echo "Installing requirements-dev.txt" >&2
	@$(PY) $(PIP_INSTALL) --constraint $(VENV)/constraints.txt -r requirements-dev.txt
	@touch $@

$(BENCH_VENV)/.bench: benchmarks/requirements.txt requirements.txt $(BENCH_VENV)/.made
	@echo "Installing benchmarks/requirements.txt; PyTorch is large" >&2
	@$(BENCH_PY) $(PIP_INSTALL) -r benchmarks/requirements.txt
	@touch $@

$(DOCS_VENV)/.docs: scripts/requirements-docs.txt requirements.txt $(DOCS_VENV)/.made
	@$(DOCS_VENV)/bin/python $(PIP_INSTALL) -r scripts/requirements-docs.txt
	@touch $@

$(MUTANTS_VENV)/.dev: scripts/requirements-mutants.txt requirements-dev.txt $(MUTANTS_VENV)/.made
	@$(MUTANTS_VENV)/bin/python $(PIP_INSTALL) -r scripts/requirements-mutants.txt
	@touch $@
