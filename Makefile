# make demo, make test: the two commands a fresh clone needs. Both create .venv and build.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src native toolkit CMakeLists.txt pyproject.toml README.md -type f \
	-not -path '*/__pycache__/*')
CXX_FILES := $(shell find native examples tests benchmarks -name '*.cc' -o -name '*.h' -o -name '*.cpp')

.PHONY: dev demo test check docs format campaign faults hostile large bench bench-quick sanitize \
	cross-aarch64 sweep strict-random clean

dev: $(VENV)/.installed

# Build requirements live in the venv, so that a rebuild compiles only what changed.
$(VENV)/.created: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check "pip>=25.1" "scikit-build-core>=0.10" \
		"nanobind>=2.4" "numpy>=2.0" "cmake>=3.21" ninja
	$(BIN)/python -m pip install -q --disable-pip-version-check "scipy-openblas32>=0.3.28" || \
		echo "no scipy-openblas32 for this platform: matrix products will be slow"
	touch $@

$(VENV)/.installed: $(VENV)/.created $(SOURCES)
	$(BIN)/pip install -q --disable-pip-version-check --no-build-isolation .
	touch $@

$(VENV)/.tested: $(VENV)/.installed
	$(BIN)/pip install -q --disable-pip-version-check --group dev
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python examples/demo.py

# Neighbours stay in one process, so that what a file compiles is compiled once.
test: check
	$(BIN)/python -m pytest -n auto --dist worksteal

# Random calls against golden and torch: make campaign ARGS="--seconds 3600 --operator aclnnElu"
campaign: $(VENV)/.tested
	$(BIN)/aclhost campaign --failures build/campaign $(ARGS)

# Errors of the mathematical functions over all floats, an hour: make sweep ARGS="--step 997"
sweep: $(VENV)/.created
	$(BIN)/python tests/sweep/run.py $(ARGS)

# Every allocation, mapping and thread of a sequence of calls fails once: make faults ARGS="--seeds 9"
faults: $(VENV)/.tested
	PYTHONPATH=tests $(BIN)/python -m faults $(ARGS)

# Random handles, sizes, enums and orders, addresses without access, from 1 and 8 threads:
# make hostile ARGS="--seeds 20 --first 100"
hostile: $(VENV)/.tested
	PYTHONPATH=tests $(BIN)/python -m hostile $(ARGS)

# Sizes past 2^31: minutes and up to 5 GB.
large: $(VENV)/.tested
	$(BIN)/python -m pytest -m slow

# Against torch, NumPy and the streaming limit: make bench ARGS="--operator elu", ARGS=--resume
bench: $(VENV)/.tested
	$(BIN)/aclhost bench --output build/bench $(ARGS)
	$(BIN)/python -m benchmarks build/bench

bench-quick: $(VENV)/.tested
	$(BIN)/aclhost bench --quick --output build/bench-quick $(ARGS)
	$(BIN)/python -m benchmarks --quick build/bench-quick

check: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)

format: $(VENV)/.tested
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

# Random programs in strict mode: make strict-random ARGS="--seeds 20000 --first 1000"
strict-random: $(VENV)/.tested
	PYTHONPATH=tests $(BIN)/python tests/strict/random_programs.py $(ARGS)

sanitize: $(VENV)/.created
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/sanitize/run.py address
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/sanitize/run.py thread

# Needs g++-aarch64-linux-gnu and qemu-user: make cross-aarch64 ARGS="--calls 2000 --seed 1"
cross-aarch64: $(VENV)/.tested
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tests/cross/run.py $(ARGS)

docs: $(VENV)/.installed
	$(BIN)/pip install -q --disable-pip-version-check --group docs
	$(BIN)/python -m aclhost.gen.pages docs/ops
	$(BIN)/python -m aclhost.gen.reference_pages docs
	NO_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build dist
