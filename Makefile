# Everything is set up inside the checkout: .venv holds Python packages, build/ compiled code.
# Needs Python 3.11 or newer, g++ and make, and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Byte code is compiled when a module is first imported: most of scipy never is.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
# Byte code is kept: the workers of the tests, and the programs that tests start, import the same.
export PYTHONDONTWRITEBYTECODE :=
CORE := $(shell find cpp/include cpp/src cpp/bindings -type f) CMakeLists.txt pyproject.toml

.PHONY: demo docs test test-wheel test-slow test-peers lint format bench sanitize core-tests odr fuzz clean setup

## demo: grow, explain and judge trees on a real table; one report in build/report.html
demo: $(VENV)/.built
	@$(BIN)/python -m treewright demo
	@mkdir -p build && $(BIN)/python -m treewright report example:loans --out build/report.html

## docs: the documentation as pages, in build/docs; a warning is an error
docs: $(VENV)/.docs
	rm -rf build/docs docs/reference/generated
	$(BIN)/python -m sphinx -n -W --keep-going -q -j auto docs build/docs
	@echo build/docs/index.html

## test: the whole default suite; what must be alone first, then the rest on every core (up to 4)
test: $(VENV)/.dev core-tests
	$(BIN)/python -m pytest -m "alone and not slow"
	$(BIN)/python -m pytest -m "not alone and not slow" -n auto --maxprocesses 4 --dist worksteal

## test-wheel: the wheel as others install it, tested outside the checkout (PYTHON=, TESTS= a part)
TESTS ?= tests
WHEEL := $(abspath build/wheel)
test-wheel:
	rm -rf $(WHEEL)/venv $(WHEEL)/dist
	$(PYTHON) -m venv $(WHEEL)/venv
	$(subst $(BIN),$(WHEEL)/venv/bin,$(PIP)) "cmake>=3.26" ninja "scikit-build-core>=0.10" "nanobind>=2.4"
	$(WHEEL)/venv/bin/python -m pip --disable-pip-version-check wheel --quiet . --no-deps \
	    --no-build-isolation --wheel-dir $(WHEEL)/dist -C build-dir="build/wheel/{wheel_tag}"
	$(subst $(BIN),$(WHEEL)/venv/bin,$(PIP)) "$$(ls $(WHEEL)/dist/*.whl)[test]"
	there=$$(mktemp -d) && trap 'rm -rf "$$there"' EXIT && \
	    cp -r --parents tests docs examples cpp/include README.md CONTRIBUTING.md CHANGELOG.md Makefile \
	    pyproject.toml $$there && \
	    cd $$there && $(WHEEL)/venv/bin/python -m pytest $(TESTS) -m "not alone and not slow" -n auto \
	    --maxprocesses 4 && \
	    $(WHEEL)/venv/bin/python -m pytest --pyargs treewright

## test-slow: what takes minutes
test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow

## test-peers: scikit-learn's own tests, with our classes in the place of theirs
test-peers: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python -m peers

## lint: style, types, layers
lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/check_includes.py --python
	$(BIN)/clang-format --dry-run --Werror $$(find cpp -name '*.hpp' -o -name '*.cpp')

## format: let the tools rewrite what lint would complain about
format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(find cpp -name '*.hpp' -o -name '*.cpp')

## bench: side by side with the peers that are installed
bench: $(VENV)/.dev
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/shapes.py

## core-tests: the C++ headers alone, no Python; the core itself is the one that the module has
core-tests: $(VENV)/.dev
	$(BIN)/cmake --build build/cp* --target core_tests
	build/cp*/core_tests

## sanitize: the same under the address and undefined-behaviour sanitizers
sanitize: $(VENV)/.dev
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DTREEWRIGHT_TESTS=ON -DTREEWRIGHT_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug > /dev/null
	$(BIN)/cmake --build build/sanitize --target core_tests
	build/sanitize/core_tests

## odr: no two files give one name different meanings (link-time check, nothing runs)
odr: $(VENV)/.dev
	$(BIN)/cmake -S . -B build/odr -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	    -DTREEWRIGHT_TESTS=ON -DTREEWRIGHT_ODR=ON -DCMAKE_BUILD_TYPE=None > /dev/null
	$(BIN)/cmake --build build/odr --target core_tests

## fuzz: altered model files against the parser under the sanitizers, then against load (N=, SEED=)
N ?= 1000000
SEED ?= 0
FUZZ_LOADS ?= 100000
fuzz: $(VENV)/.dev
	@mkdir -p build/fuzz
	$(CXX) -std=c++20 -O1 -g -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=all \
	    -Icpp/include cpp/fuzz/model_files.cpp cpp/src/state/*.cpp -o build/fuzz/model_files
	$(BIN)/python tests/model_mutations.py --write build/fuzz/seeds
	ASAN_OPTIONS=max_allocation_size_mb=256 build/fuzz/model_files $(N) $(SEED) build/fuzz/seeds/*
	$(BIN)/python -X faulthandler tests/model_mutations.py --n $(FUZZ_LOADS) --seed $(SEED)

setup: $(VENV)/.dev

$(VENV)/.tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) "cmake>=3.26" ninja "scikit-build-core>=0.10" "nanobind>=2.4"
	@touch $@

$(VENV)/.built: $(VENV)/.tools $(CORE)
	$(PIP) --no-build-isolation --editable .
	@cp build/*/_core.pyi src/treewright/  # type checkers look beside the sources
	@touch $@

$(VENV)/.dev: $(VENV)/.built
	$(PIP) --no-build-isolation --editable ".[dev]"
	@touch $@

# As editable as the others: what the pages show is the code beside them.
$(VENV)/.docs: $(VENV)/.built
	$(PIP) --no-build-isolation --editable ".[docs]"
	@touch $@

clean:
	rm -rf docs/reference/generated build $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
