# make run: the quickstart experiment.  make test: proof of the build.  Both install what is missing.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: build run test bench install packages format clean help

help:
	@echo "make run       build, then run the quickstart: letters, then activities"
	@echo "make test      build, then run the tests"
	@echo "make build     leaves the program at build/release/tyto"
	@echo "make bench     speed, as ratios to what the machine can do"
	@echo "make install   PREFIX=$(PREFIX)"

packages:
	@tools/install_packages.sh packages.txt

build/release/build.ninja: | packages
	cmake --preset release

build: packages build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target tyto_program tyto_nn

run: build
	build/release/tyto run experiments/quickstart.yaml --force
	build/release/tyto run experiments/activities.yaml --force

test: packages build/release/build.ninja
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

bench: packages
	cmake --preset release -DTYTO_BENCH=ON
	cmake --build --preset release -j $(JOBS)
	@for program in build/release/bench/*_bench; do $$program || exit 1; done
	build/release/bench/kowl718_run

install: build
	cmake --install build/release --prefix $(PREFIX)

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

clean:
	rm -rf build
