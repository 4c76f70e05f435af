# A thin front to CMake: `make help` lists what there is.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := all

BUILD  := build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)

# Configuring is quick when nothing changed; its output matters only when it fails.
configure = log=$$(cmake --preset $(1) 2>&1) || { echo "$$log"; exit 1; }
# One line a test, then the summary; the output of a test only when it fails.
# Many tests wait for a simulator or a disk: more of them at once than there are processors.
run_tests = ctest --preset $(1) -j$$((2 * $(JOBS))) | sed -e '/^ *Start /d' -e '/^Test project/d' -e '/^$$/d'

.NOTPARALLEL:
.PHONY: all help setup setup-checks needs-build needs-checks demo test test-release test-clang test-asan lint install coverage format symbols \
        test-c test-python wheel site bench-python bench-outer bench-constraints bench-sturdy bench-speed golden golden-check peers torture clean

all: needs-build ## build the program (build/gofh) and the library (build/libgofh.so, build/libgofh.a)
	@$(call configure,release)
	@cmake --build $(BUILD) -j$(JOBS) --target products

help: ## list these targets
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install the Debian packages that are missing to build; with CHECKS=1 also those to run all checks
	@scripts/setup.sh $(if $(CHECKS),check,build)

setup-checks:
	@scripts/setup.sh check

# Only setup, demo and test install packages. All other targets say what is missing.
needs-build:
	@scripts/setup.sh --missing build

needs-checks:
	@scripts/setup.sh --missing check

demo: setup all ## install what is missing, build, then calibrate the paper's environmental model
	@$(BUILD)/gofh demo

test: setup-checks test-c test-python ## install what is missing and run every test: optimised, installed, with sanitizers, in Python; build with clang too

test-c: test-release test-clang test-asan ## run every test but those in Python

test-release: needs-checks
	@echo "== optimised build: all tests but failing allocations"
	@$(call configure,release)
	@cmake --build $(BUILD) -j$(JOBS)
	@$(call run_tests,release)

test-clang: needs-checks
	@echo "== clang: library and program must build without a warning"
	@$(call configure,clang)
	@cmake --build build-clang -j$(JOBS) --target products

test-asan: needs-checks
	@echo "== sanitizers: unit tests and failing allocations"
	@$(call configure,asan)
	@cmake --build build-asan -j$(JOBS)
	@$(call run_tests,asan)

test-python: all needs-checks ## run the tests of the Python package, in build/python-venv; with PyTorch too: EXTRA=torch
	@echo "== the Python package: all tests"
	@JOBS=$(JOBS) scripts/python.sh test $(BUILD)

wheel: needs-checks ## a source distribution and a wheel that brings its libraries along, for others: build/dist
	@mkdir -p $(BUILD)
	@scripts/python.sh wheel $(BUILD)

site: ## the documents as a site for a browser, all links checked: build/site/index.html
	@mkdir -p $(BUILD)
	@scripts/site.sh $(BUILD)

torture: needs-checks ## the long random tests, all of them instead of a sample: hours
	@$(call configure,release)
	@cmake --build $(BUILD) -j$(JOBS)
	@GOFH_TORTURE=1 ctest --test-dir $(BUILD) -L torture -j$(JOBS) --timeout 86400 --no-tests=error --output-on-failure

lint: needs-checks ## check format, layers, clang-tidy, cppcheck, shell scripts
	@$(call configure,clang)
	@JOBS=$(JOBS) scripts/lint.sh build-clang

install: all ## install into PREFIX (default /usr/local), below DESTDIR if set
	@cmake --install $(BUILD) --prefix "$(PREFIX)"

# gcov takes some counts of branches as differences: what was killed between two counters leaves -1, which gcovr passes over.
coverage: needs-checks ## which lines the tests run: build-coverage/coverage.html
	@$(call configure,coverage)
	@cmake --build build-coverage -j$(JOBS)
	@find build-coverage -name '*.gcda' -delete
	@$(call run_tests,coverage)
	@gcovr --gcov-ignore-parse-errors --root . --filter src/ --object-directory build-coverage --exclude-unreachable-branches \
	       --html-details build-coverage/coverage.html --print-summary

format: needs-checks ## rewrite the C sources as .clang-format says
	@git ls-files --cached --others --exclude-standard '*.c' '*.h' | xargs clang-format -i

symbols: all needs-checks ## rewrite src/api/exported_symbols.txt from the library
	@scripts/check_symbols.py --update $(BUILD)/libgofh.so

bench-outer: needs-build ## time the outer functions
	@$(call configure,release)
	@cmake --build $(BUILD) -j$(JOBS) --target bench_outer
	@$(BUILD)/bench_outer

bench-constraints: needs-build ## evaluations that constrained problems need: SEEDS=10 BUDGET=60
	@$(call configure,release)
	@cmake --build $(BUILD) -j$(JOBS) --target bench_constraints
	@$(BUILD)/bench/constraints/bench_constraints $(or $(SEEDS),10) $(or $(BUDGET),60)

bench-sturdy: needs-build ## what becomes of each method under hardship: SEEDS=5
	@$(call configure,release)
	@cmake --build $(BUILD) -j$(JOBS) --target bench_sturdy
	@$(BUILD)/bench/sturdy/bench_sturdy $(or $(SEEDS),5)

golden: needs-build ## record all suggestions to the last bit, for golden-check: build/golden.txt
	@$(call configure,release)
	@cmake --build $(BUILD) -j$(JOBS) --target golden
	@$(BUILD)/bench/golden/golden record $(BUILD)/golden.txt

golden-check: needs-build ## compare this build's suggestions with those that `make golden` recorded of another
	@$(call configure,release)
	@cmake --build $(BUILD) -j$(JOBS) --target golden
	@$(BUILD)/bench/golden/golden record $(BUILD)/golden-now.txt
	@$(BUILD)/bench/golden/golden compare $(BUILD)/golden.txt $(BUILD)/golden-now.txt

bench-speed: all ## seconds, memory, instructions and rates of suggestions, as the tables of docs/speed.md: PARTS=suggestion
	@cmake --build $(BUILD) -j$(JOBS) --target bench_speed bench_kernels
	@bench/speed/speed.sh $(BUILD)

bench-python: all needs-checks ## what Study.ask costs more than the C call
	@scripts/python.sh bench $(BUILD)

peers: all needs-checks ## compare with BoTorch, DFO-LS, POUNDERS and SciPy: REPS=10 EVALS=50 PROBLEMS=paper METHODS=ei-cf PEERS=botorch-cf
	@bench/peers/peers.sh $(BUILD)

clean: ## remove all build folders
	rm -rf build build-clang build-asan build-coverage
