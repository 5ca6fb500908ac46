# The Debian packages that this project needs, all of them, in this one place.
# The Swift toolchain itself comes from swift.org, with the packages that its download page asks for.
BUILD_PACKAGES := libmicrohttpd-dev libxxhash-dev libutf8proc-dev zlib1g-dev libbrotli-dev libcurl4-openssl-dev
INSTALL_PACKAGES := binutils
SYSTEM_TEST_PACKAGES := python3 openssl curl chromium-headless-shell
BENCHMARK_PACKAGES := gcc libexpat1-dev nginx-light wrk python3

SWIFT ?= swift
# A part of the toolchain.
DOCC ?= docc
DOCUMENT ?= Data/Data.plist
LISTEN ?= 127.0.0.1:8080

# Where 'make install' puts things, as the GNU Coding Standards have it.
PREFIX ?= /usr/local
DESTDIR ?=
INSTALL ?= install
bindir = $(DESTDIR)$(PREFIX)/bin
datadir = $(DESTDIR)$(PREFIX)/share/drilldown

# A module that imports another without naming it in Package.swift does not build.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
SWIFT_FILES := Sources Tests Package.swift
MANUAL := Sources/drilldown/drilldown.docc
SERVER := .build/release/drilldown
# The program as it is installed: with the Swift runtime in it, and its debugging information in a file beside it.
PROGRAM := .build/install/drilldown
PROGRAM_SCRATCH := .build/static
SYSTEM_TESTS := $(sort $(wildcard Tests/System/*.py))
MINUTES ?= 30

.DEFAULT_GOAL := help
.PHONY: help run build install uninstall clean test system-test soak benchmark manual format lint \
	deps install-deps system-test-deps benchmark-deps

help: ## Say what can be made.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: build ## Serve DOCUMENT (Data/Data.plist) on LISTEN (127.0.0.1:8080).
	@echo 'Serving $(DOCUMENT) on $(LISTEN). Another document, another address:'
	@echo '  make run DOCUMENT=path/to/Your.plist LISTEN=127.0.0.1:8081'
	@exec $(SERVER) serve '$(DOCUMENT)' --listen '$(LISTEN)'

build: deps ## Build the release.
	$(SWIFT) build --configuration release --product drilldown $(SWIFT_FLAGS)

install: $(PROGRAM) ## Install the program, its example configuration and sample documents in PREFIX (/usr/local), below DESTDIR.
	$(INSTALL) -d '$(bindir)' '$(datadir)/Config' '$(datadir)/Data/assets'
	$(INSTALL) -m 755 $(PROGRAM) '$(bindir)/drilldown'
	$(INSTALL) -m 644 Config/drilldown.plist '$(datadir)/Config'
	$(INSTALL) -m 755 Config/health-check '$(datadir)/Config'
	$(INSTALL) -m 644 $(wildcard Data/*.plist) '$(datadir)/Data'
	$(INSTALL) -m 644 $(wildcard Data/assets/*) '$(datadir)/Data/assets'

uninstall: ## Remove what 'make install' installed there.
	rm -rf '$(bindir)/drilldown' '$(datadir)'

# Built only when a source is newer, so that 'make install' as root after 'make .build/install/drilldown' builds nothing.
$(PROGRAM): $(shell find Sources -type f 2>/dev/null) Package.swift | deps install-deps
	$(SWIFT) build --configuration release --product drilldown --static-swift-stdlib \
		--scratch-path $(PROGRAM_SCRATCH) $(SWIFT_FLAGS)
	mkdir -p $(@D)
	objcopy --only-keep-debug $(PROGRAM_SCRATCH)/release/drilldown $@.debug
	objcopy --strip-all --add-gnu-debuglink=$@.debug $(PROGRAM_SCRATCH)/release/drilldown $@

clean: ## Remove all that was built.
	rm -rf .build

test: deps ## Run the unit tests.
	$(SWIFT) test $(SWIFT_FLAGS)

system-test: system-test-deps build ## Run the release from outside: saves, load, stops, hostile files and clients.
	@python3 Tests/System/harness/everything.py --server $(SERVER) $(SYSTEM_TESTS)

soak: system-test-deps build ## Run the release under everything at once for MINUTES (30), and see that it holds no more in the end.
	python3 Tests/System/soak/soak.py --server $(SERVER) --minutes $(MINUTES)

benchmark: benchmark-deps build ## Measure beside other programs and print the manual's table (OPTIONS="--help" lists parts and sizes).
	python3 Tests/Benchmark/benchmark.py --server $(SERVER) $(OPTIONS)

manual: ## Build the manual as web pages in .build/manual; a link that leads nowhere is an error.
	@mkdir -p .build
	$(DOCC) convert $(MANUAL) --output-path .build/manual --warnings-as-errors

format: ## Lay out all Swift files as .swift-format says.
	$(SWIFT) format --in-place --recursive --parallel $(SWIFT_FILES)

lint: ## Refuse Swift files that are laid out otherwise.
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_FILES)

deps: ## Install what the build lacks.
	@$(call install_missing,$(BUILD_PACKAGES))

install-deps: ## Install what 'make install' lacks.
	@$(call install_missing,$(INSTALL_PACKAGES))

system-test-deps: ## Install what the system tests lack.
	@$(call install_missing,$(SYSTEM_TEST_PACKAGES))

benchmark-deps: ## Install what the benchmark lacks.
	@$(call install_missing,$(BENCHMARK_PACKAGES))

# Nothing is asked of the network, and nobody is asked for a password, while everything is there already.
define install_missing
set -e; \
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then \
	echo "make: there is no apt here: install the equivalents of these Debian packages by hand: $(1)" >&2; \
	echo "make: then build with: swift build -c release" >&2; \
	exit 1; \
fi; \
missing=; \
for package in $(1); do \
	status=$$(dpkg-query --show --showformat='$${db:Status-Status}' "$$package" 2>/dev/null || true); \
	test "$$status" = installed || missing="$$missing $$package"; \
done; \
test -n "$$missing" || exit 0; \
sudo=; \
if test "$$(id -u)" -ne 0; then \
	if ! command -v sudo >/dev/null; then \
		echo "make: packages are missing, and only root can install them. Run this as root, and make again:" >&2; \
		echo "  apt-get update && apt-get install --yes --no-install-recommends$$missing" >&2; \
		exit 1; \
	fi; \
	sudo=sudo; \
fi; \
echo "Installing$$missing"; \
$$sudo apt-get --quiet update; \
$$sudo env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes --no-install-recommends install $$missing
endef
