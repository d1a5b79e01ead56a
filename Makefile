# Two commands do everything: `make demo` and `make test`. Each installs what it is missing first.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
# Many tests wait for other processes.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)
# In CI a warning is an error.
CONFIGURE := $(if $(CI),-DRHC_WERROR=ON)
FORMATTED := git ls-files '*.cc' '*.h'

.PHONY: arenas arenas-full demo build configure test setup-test test-release test-asan test-tsan test-fuzz test-long fuzz python bench bench-build bench-sweep problems learning rivals mujoco gymnasium lint \
        format format-check pictures setup-slurm clean

# Builds the program alone, without examples and networks.
demo: configure
	cmake --build --preset release -j $(JOBS) --target rhc_app
	build/bin/rhc explore pendulum --episodes 10

# Neither tests nor benchmarks, nor what they need.
build: configure
	cmake --build --preset release -j $(JOBS)

configure:
	@tools/setup build
	cmake --preset release $(CONFIGURE) -DRHC_BUILD_TESTS=OFF -DRHC_BUILD_BENCH=OFF -DRHC_TEST_SANITIZED=OFF

test: setup-test test-release

# All at once, so that it is fetched side by side.
setup-test:
	@tools/setup build torch mujoco test python

# The library's tests, the inputs of the fuzzers and each command once run with the sanitized library as well.
test-release:
	@tools/setup build torch mujoco test python
	cmake --preset release $(CONFIGURE) -DRHC_BUILD_TESTS=ON -DRHC_BUILD_BENCH=OFF -DRHC_TEST_SANITIZED=ON
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -LE long -j $(TEST_JOBS)
	@tools/slurm-tests

# The daemons of a Slurm cluster, for the tests alone: `make test` uses them where they are.
setup-slurm:
	@tools/setup slurm

# All of our own code under the address and undefined-behaviour sanitizers, networks, program and tests included.
test-asan:
	@tools/setup build torch mujoco test
	cmake --preset asan $(CONFIGURE)
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -L unit -j $(TEST_JOBS)

# The tests with threads under the thread sanitizer.
test-tsan:
	@tools/setup build mujoco test
	cmake --preset tsan $(CONFIGURE)
	cmake --build --preset tsan -j $(JOBS) --target test_threads
	ctest --preset tsan -L unit -R threads/ -j $(JOBS)

# The package as pip installs it, tested from there.
python: build
	@tools/setup python
	.venv-python/bin/python -m pip install --quiet --disable-pip-version-check .
	cd build && RHC=$(CURDIR)/build/bin/rhc ../.venv-python/bin/python -m pytest -q -p no:cacheprovider ../tests/python

# Readers of files and of a plant's words against made-up inputs: some seconds each, or `make fuzz FUZZ_SECONDS=3600`
# for so long each.
FUZZ_SECONDS ?= 600
test-fuzz:
	@tools/setup build fuzz
	cmake --preset fuzz $(CONFIGURE)
	cmake --build --preset fuzz -j $(JOBS)
	ctest --preset fuzz -j 2

fuzz:
	RHC_FUZZ_SECONDS=$(FUZZ_SECONDS) $(MAKE) test-fuzz

# The same claims, with many more kills, damaged files and seeds, and those that `make test` has no time for.
test-long: test test-asan test-tsan test-fuzz
	RHC_LONG=1 ctest --preset release -L 'unit|slurm|long' -j $(JOBS)
	ctest --preset asan -L long -j $(JOBS)

bench-build:
	@tools/setup build torch bench
	cmake --preset release -DRHC_BUILD_TESTS=OFF -DRHC_BUILD_BENCH=ON -DRHC_TEST_SANITIZED=OFF
	cmake --build --preset release -j $(JOBS)

# How fast the methods learn: the tables of docs/benchmarks.md, in about ten minutes.
learning: bench-build
	build/bin/learning
	build/bin/learning method=random episodes=10
	build/bin/learning pendulum cartpole preset=paper seeds=10 | python3 bench/paper/band.py

# All methods on pendulum and cart-pole, ten episodes and five seeds each.
rivals:
	@tools/setup torch
	$(MAKE) build
	rm -rf build/rivals
	for s in pendulum cartpole; do for m in rhc-evr rhc-us max sac-ig sac-pe random; do for i in 1 2 3 4 5; do \
	  echo $$s --method $$m --seed $$i --out build/rivals/runs/$$s-$$m-$$i; done; done; done | \
	  xargs -P $(JOBS) -L 1 build/bin/rhc explore --episodes 10 --quiet --threads 1
	build/bin/rhc compare build/rivals/runs --out build/rivals/compare.html

# MuJoCo models in docs/benchmarks.md: three systems, planned and random episodes, ten seeds each, in a
# minute or two; stopped, it goes on where it was.
mujoco:
	@tools/setup mujoco
	$(MAKE) build
	python3 bench/mujoco.py build/bin/rhc build/mujoco

# What planned episodes teach of Gymnasium's environments, beside random ones: five seeds each, in about half an hour.
gymnasium: build
	@tools/setup python
	$(MAKE) build
	PYTHONPATH=build/python .venv-python/bin/python bench/gymnasium/exploration.py

# Where others compete: docs/arenas.md. Three seeds of each, or those of the bars; each scored trial stays as a CSV file.
# An arena is one command more.
arenas: ARENA_SEEDS ?= 3
arenas-full: ARENA_SEEDS ?= 20
arenas arenas-full: bench-build
	build/bin/realaigym limit
	build/bin/realaigym arena seeds=$(ARENA_SEEDS) out=build/arenas/realaigym
	build/bin/realaigym robust seeds=1
	build/bin/noisy_cartpole seeds=$(ARENA_SEEDS) task_draws=0

# The planning problems that a run meets after its first, third and eighth episode.
problems: bench-build
	rm -rf build/problems && mkdir -p build/problems
	for s in mountain-car pendulum cartpole; do for k in 1 3 8; do \
	  build/bin/rhc explore $$s --no-evaluation --quiet --episodes $$k --dump-problem $$k \
	    --out build/problems/$$s-$$k && \
	  cp build/problems/$$s-$$k/problem-000$$k.json build/problems/$$s-$$k.json || exit 1; done; done

# Against peers, on one core, in their own Python environment. The evidence takes ten minutes, the
# plans an hour: IPOPT does.
ON_ONE_CORE := OPENBLAS_NUM_THREADS=1 taskset -c 0
bench: bench-build problems
	taskset -c 0 build/bin/bench_rhc
	taskset -c 0 build/bin/planning
	build/bin/calibration
	build/bin/bands
	build/bin/replanning
	taskset -c 0 build/bin/control_step
	taskset -c 0 build/bin/control time
	build/bin/real_logs bench/real
	build/bin/wiring
	build/bin/drift plan_starts=8
	build/bin/one_step bench/gymnasium features=200
	build/bin/room_to_grow bench/gymnasium
	build/bin/room_to_grow large outputs=2
	build/bin/room_to_grow predictions
	$(ON_ONE_CORE) build/bin/control_peers
	$(ON_ONE_CORE) .venv-bench/bin/python bench/peers/evidence.py build/bin/evidence_problem speed
	$(ON_ONE_CORE) .venv-bench/bin/python bench/peers/evidence.py build/bin/evidence_problem robust
	$(ON_ONE_CORE) .venv-bench/bin/python bench/peers/sac.py build/bin/sac
	$(ON_ONE_CORE) .venv-bench/bin/python bench/peers/plan.py --rhc build/bin/rhc tests/data/problem_*.json \
	  build/problems/*.json

# How busy a sweep keeps the cores, what it adds to a run, and how long ten thousand runs take to read. On an
# idle machine, in about ten minutes.
bench-sweep: build
	rm -rf build/bench-sweep
	python3 bench/sweep.py build/bin/rhc build/bench-sweep

# In a folder of its own, each file alone: it stands on its own includes.
lint: format-check
	@tools/setup build lint
	cmake --preset release -B build-lint $(CONFIGURE) -DRHC_UNITY=OFF
	git ls-files 'rhc/*.cc' 'apps/*.cc' | xargs -P $(JOBS) -n 4 clang-tidy -p build-lint --quiet --extra-arg=-Wno-unknown-warning-option

format:
	@tools/setup lint
	$(FORMATTED) | xargs clang-format -i

format-check:
	@tools/setup lint
	$(FORMATTED) | xargs clang-format --dry-run --Werror

# The README's pictures, from runs they make anew: what a report and a comparison show.
pictures: build
	@tools/setup pictures python
	rm -rf build/pictures
	for s in 1 2 3 4 5; do for m in rhc-evr random; do \
	  build/bin/rhc explore pendulum --quiet --method $$m --seed $$s --out build/pictures/runs/$$m-$$s || exit 1; done; done
	build/bin/rhc compare build/pictures/runs --out build/pictures/compare.html --png build/pictures
	build/bin/rhc explore pendulum --quiet --episodes 3 --out build/pictures/three
	build/bin/rhc report build/pictures/three --png build/pictures
	cp build/pictures/pendulum-task-cost.png build/pictures/plane.png docs/pictures/
	.venv-python/bin/python tools/animate build/pictures/three docs/pictures/learning.gif

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz build-lint build-wheel
