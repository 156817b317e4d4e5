# make run: the quickstart experiment.  make test: proof of the build.  Both install what is missing.
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: build run test bench installed install package packages packages-dev web check-web pages test-browser page-speed screenshot figures format clean help

help:
	@echo "make run       build, then run the quickstart: letters, then activities"
	@echo "make test      build, then run the tests"
	@echo "make build     leaves the program at build/release/tyto"
	@echo "make web       builds the report page again, after a change in web/"
	@echo "make test-browser  tests the report page in chromium, with pages of real runs"
	@echo "make bench     speed, as ratios to what the machine can do"
	@echo "make install   PREFIX=$(PREFIX)"
	@echo "make package   leaves a Debian package in build/package"

packages:
	@tools/install_packages.sh packages.txt

build/release/build.ninja: | packages
	cmake --preset release

build: packages build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target tyto_program tyto_nn tyto_client

run: build
	build/release/tyto run experiments/quickstart.yaml --force
	build/release/tyto run experiments/activities.yaml --force

test: packages build/release/build.ninja
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j $(JOBS)

packages-dev:
	@tools/install_packages.sh packages-dev.txt

web/node_modules/.package-lock.json: web/package-lock.json | packages-dev
	cd web && npm ci --no-audit --no-fund
	@touch $@

web: web/node_modules/.package-lock.json
	cd web && npm run build

check-web: web/node_modules/.package-lock.json
	tools/check_page.sh

pages: build
	tools/make_pages.sh build/release/tyto build/pages

test-browser: pages web/node_modules/.package-lock.json
	cd web && TYTO_PAGES=../build/pages npm test

page-speed: web/node_modules/.package-lock.json
	cd web && TYTO_PAGE_SPEED=1 npm test -- browser 2>&1 | grep "medians"

screenshot: pages web/node_modules/.package-lock.json
	cd web && node tests/screenshot.mjs ../build/pages/quickstart.html ../docs/images/report.png

figures: build web/node_modules/.package-lock.json
	cd web && node tests/protocol_figures.mjs ../build/release/tyto ../build/figures ../docs/images

bench: packages
	cmake --preset release -DTYTO_BENCH=ON
	cmake --build --preset release -j $(JOBS)
	@for program in build/release/bench/*_bench; do $$program || exit 1; done
	build/release/bench/kowl718_run
	build/release/bench/classes_run

installed: packages build/release/build.ninja
	cmake --build --preset release -j $(JOBS) --target tyto_installed

install: installed
	cmake --install build/release --prefix $(PREFIX)

package: installed
	cpack --config build/release/CPackConfig.cmake -B build/package
	@rm -rf build/package/_CPack_Packages

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

clean:
	rm -rf build
