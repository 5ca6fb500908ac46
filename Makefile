# All Debian packages that this project needs.
# The Swift toolchain itself comes from swift.org, with the packages that its download page lists.
BUILD_PACKAGES := libmicrohttpd-dev libgnutls28-dev libxxhash-dev libutf8proc-dev zlib1g-dev libbrotli-dev libcurl4-openssl-dev libsqlite3-dev libpq-dev
SAMPLE_PACKAGES := python3
TEST_PACKAGES := postgresql
# The static Swift runtime links the C++ library. Its files for building come with g++: libstdc++-12-dev in Debian 12,
# libstdc++-14-dev in Debian 13.
INSTALL_PACKAGES := binutils g++
DEB_PACKAGES := debhelper dpkg-dev
DEB_TEST_PACKAGES := debootstrap lintian man-db python3 rsync systemd-container
SYSTEM_TEST_PACKAGES := $(TEST_PACKAGES) gcc libc6-dev python3 python3-venv python3-yaml openssl curl systemd groff-base zsh fish \
	sqlite3 prometheus nginx-light varnish default-jre-headless chromium-headless-shell chromium chromium-driver nodejs node-typescript \
	golang-go golang-gopkg-validator.v2-dev
SOAK_PACKAGES := btrfs-progs e2fsprogs firefox-esr fuse3 mount python3-fusepy webkit2gtk-driver xfsprogs xvfb
BENCHMARK_PACKAGES := gcc etcd-server libexpat1-dev libsqlite3-dev libpq-dev nginx-light postgresql sqlite3 varnish wrk python3 python3-venv

# What the tests in a browser need from PyPI.
BROWSER_TEST_PACKAGES := .build/browser

SWIFT ?= swift
# DocC is part of the toolchain.
DOCC ?= docc
DOCUMENT ?= Data/Data.plist
LISTEN ?= 127.0.0.1:8080

# Where 'make install' puts files, following the GNU Coding Standards.
PREFIX ?= /usr/local
# Debian's packages have theirs in share/zsh/vendor-completions.
ZSH_FUNCTIONS ?= $(PREFIX)/share/zsh/site-functions
DESTDIR ?=
INSTALL ?= install
bindir = $(DESTDIR)$(PREFIX)/bin
datadir = $(DESTDIR)$(PREFIX)/share/drilldown
mandir = $(DESTDIR)$(PREFIX)/share/man/man1
bashdir = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir = $(DESTDIR)$(ZSH_FUNCTIONS)
fishdir = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

# A module that imports another without naming it in Package.swift does not build. The colour is the compiler's option:
# without a choice here, a build on a terminal would compile everything again that was built without one.
SWIFT_FLAGS := --explicit-target-dependency-import-check error --no-color-diagnostics
SWIFT_FILES := Sources Tests Package.swift
MANUAL := Sources/drilldown/drilldown.docc
# The manual of the client library; its declarations are found in the module, which is built for this.
CLIENT_MANUAL := Sources/DrilldownClient/DrilldownClient.docc
CLIENT_SYMBOLS := .build/client-symbols
SERVER := .build/release/drilldown
# A sample of a database, which 'make run' makes when it is named.
CHINOOK := .build/Chinook.sqlite
# The installed program: it contains the Swift runtime, and its debugging information is in a separate file.
# The addresses of functions of other libraries are found at the start, and then read-only.
PROGRAM := .build/install/drilldown
PROGRAM_FLAGS := --static-swift-stdlib -Xlinker -z -Xlinker now
PROGRAM_SCRATCH := .build/static
# The terminal client, which 'drilldown browse' executes. It has Foundation in it, and so 59 MB; without a name here it is
# left out: make install BROWSE_PROGRAM=
BROWSE_PROGRAM := .build/install/drilldown-browse
# What debhelper packs is a copy of Config/debian; it leaves the packages beside this folder.
DEB_FOLDER := .build/deb
DEB_CHANGELOG := Config/debian/changelog
# Tests of the client library wait for answers without a thread. They run by themselves and one after the other, because
# other tests keep all threads of Swift's pool, and some tests of the library assert how soon something happens.
CLIENT_TESTS := ^DrilldownClientTests\.
# Further options of 'swift test'.
TEST_FLAGS ?=
SYSTEM_TESTS := $(sort $(wildcard Tests/System/*.py))
MINUTES ?= 30
# How many slips 'make slips' makes, and the choice of their places.
COUNT ?= 60
SEED ?= 1

.DEFAULT_GOAL := help
.PHONY: help run server build toolchain install install-files uninstall uninstall-files deb deb-test clean check test test-client system-test soak benchmark manual format lint \
	slips deps test-deps install-deps deb-deps deb-test-deps system-test-deps soak-deps benchmark-deps

help: ## List the targets.
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: server $(filter $(CHINOOK),$(DOCUMENT:sqlite:%=%)) ## Serve DOCUMENT (Data/Data.plist; a database: sqlite:.build/Chinook.sqlite) on LISTEN (127.0.0.1:8080).
	@echo 'Serving $(DOCUMENT) on $(LISTEN). To change the document or the address:'
	@echo '  make run DOCUMENT=path/to/Your.plist LISTEN=127.0.0.1:8081'
	@case '$(DOCUMENT)' in 'sqlite:$(CHINOOK)') ;; sqlite:* | postgres*:*) \
		echo 'A document is put into a database once, with:'; \
		echo "  $(SERVER) import Data/Data.plist '$(DOCUMENT)'" ;; \
	esac
	@exec $(SERVER) serve '$(DOCUMENT)' --listen '$(LISTEN)'

$(CHINOOK): Data/Chinook/make.py
	@$(call install_missing,$(SAMPLE_PACKAGES))
	@mkdir -p $(@D)
	python3 $< $@

server: toolchain deps
	$(SWIFT) build --configuration release --product drilldown $(SWIFT_FLAGS)

build: server ## Build the release: the service and the terminal client.
	$(SWIFT) build --configuration release --product drilldown-browse $(SWIFT_FLAGS)

install: $(PROGRAM) $(BROWSE_PROGRAM) ## Install the programs, their manual page, completions and sample documents in PREFIX (/usr/local), below DESTDIR.
	@$(call as_owner,install-files)

# What 'make install' does with the rights of the owner of the folder: builds nothing.
install-files:
	$(INSTALL) -d '$(bindir)' '$(datadir)/Config' '$(mandir)' '$(bashdir)' '$(zshdir)' '$(fishdir)'
	$(INSTALL) -m 755 $(PROGRAM) '$(bindir)/drilldown'
	test -z '$(BROWSE_PROGRAM)' || $(INSTALL) -m 755 '$(BROWSE_PROGRAM)' '$(bindir)/drilldown-browse'
	test -z '$(BROWSE_PROGRAM)' || $(INSTALL) -m 644 Config/debian/drilldown-browse.1 '$(mandir)'
	umask 022; '$(bindir)/drilldown' manual >'$(mandir)/drilldown.1'
	umask 022; '$(bindir)/drilldown' completions bash >'$(bashdir)/drilldown'
	umask 022; '$(bindir)/drilldown' completions zsh >'$(zshdir)/_drilldown'
	umask 022; '$(bindir)/drilldown' completions fish >'$(fishdir)/drilldown.fish'
	$(INSTALL) -m 644 Config/drilldown.plist '$(datadir)/Config'
	$(INSTALL) -m 755 Config/health-check '$(datadir)/Config'
	set -e; find Data -type f | while IFS= read -r file; do \
		$(INSTALL) -D -m 644 "$$file" '$(datadir)'/"$$file"; \
	done

uninstall: ## Remove what 'make install' installed there.
	@$(call as_owner,uninstall-files)

uninstall-files:
	rm -rf '$(bindir)/drilldown' '$(bindir)/drilldown-browse' '$(datadir)'
	rm -f '$(mandir)/drilldown.1' '$(mandir)/drilldown-browse.1' '$(bashdir)/drilldown' '$(zshdir)/_drilldown' '$(fishdir)/drilldown.fish'

# Built only when a source is newer.
$(PROGRAM) $(BROWSE_PROGRAM): $(shell find Sources -type f 2>/dev/null) Package.swift | toolchain deps install-deps
	$(SWIFT) build --configuration release --product $(@F) $(PROGRAM_FLAGS) \
		--scratch-path $(PROGRAM_SCRATCH) $(SWIFT_FLAGS)
	mkdir -p $(@D)
	objcopy --only-keep-debug $(PROGRAM_SCRATCH)/release/$(@F) $@.debug
	objcopy --strip-all --add-gnu-debuglink=$@.debug $(PROGRAM_SCRATCH)/release/$(@F) $@

# debhelper strips the programs itself, and makes other packages of the debugging information.
deb: $(PROGRAM) $(BROWSE_PROGRAM) | deb-deps ## Build the Debian packages .build/drilldown*_VERSION_ARCH.deb: service, terminal client, debugging information.
	@version=$$($(PROGRAM) --version); \
	test "$$version" = "$$(dpkg-parsechangelog -l $(DEB_CHANGELOG) -S Source) $$(dpkg-parsechangelog -l $(DEB_CHANGELOG) -S Version)" \
		|| { echo "make: the newest entry of $(DEB_CHANGELOG) is not that of $$version: add one." >&2; exit 1; }
	rm -rf $(DEB_FOLDER) .build/drilldown*.deb
	mkdir -p $(DEB_FOLDER)
	cp -R Config/debian $(DEB_FOLDER)/debian
	cp Config/systemd/drilldown.* $(DEB_FOLDER)/debian
	cd $(DEB_FOLDER) && debian/rules binary PROGRAM=$(PROGRAM_SCRATCH)/release/drilldown \
		BROWSE_PROGRAM=$(PROGRAM_SCRATCH)/release/drilldown-browse

deb-test: deb deb-test-deps ## Install, upgrade and purge the Debian packages in a bare Debian 12 with a systemd of its own (as root).
	lintian --fail-on error,warning .build/drilldown*.deb
	python3 Tests/System/package/package.py --package $$(ls .build/drilldown_*.deb) \
		--browse-package $$(ls .build/drilldown-browse_*.deb) $(OPTIONS)

clean: ## Remove everything that was built.
	rm -rf .build

test: toolchain deps test-deps ## Run the unit tests (TEST_FLAGS="--sanitize=address --disable-xctest" to look for wrong accesses and leaks).
	@$(call tested,$(SWIFT) test $(SWIFT_FLAGS) $(TEST_FLAGS) --skip '$(CLIENT_TESTS)')
	@$(call tested,LSAN_OPTIONS='suppressions=$(CURDIR)/.ci/known-leaks' \
		$(SWIFT) test $(SWIFT_FLAGS) $(TEST_FLAGS) --skip-build --no-parallel --filter '$(CLIENT_TESTS)')

# While one works: what a change may have broken, within minutes.
check: toolchain deps test-deps lint ## Check the format, build, and run the unit tests of the modules that differ from BASE (the upstream branch).
	$(SWIFT) build --build-tests $(SWIFT_FLAGS)
	@modules=$$(.ci/changed-tests $(BASE) | paste -sd '|'); \
	test -n "$$modules" || { echo 'No module differs: no test is run.'; exit 0; }; \
	$(call tested,$(SWIFT) test $(SWIFT_FLAGS) --skip-build --filter "^($$modules)\." --skip '$(CLIENT_TESTS)'); \
	case "|$$modules|" in *'|DrilldownClientTests|'*) ;; *) exit 0 ;; esac; \
	$(call tested,$(SWIFT) test $(SWIFT_FLAGS) --skip-build --no-parallel --filter '$(CLIENT_TESTS)')

# Runs tests; if some fail, prints what failed once more at the end.
define tested
mkdir -p .build; \
{ $(1); echo $$? >.build/tests.status; } 2>&1 | tee .build/tests.log; \
test "$$(cat .build/tests.status)" -eq 0 || { \
printf '\nFailed:\n' >&2; \
.ci/failed-tests .build/tests.log >&2; \
exit 1; }
endef

# TestClient observes levels with the client library, for swift_client.py.
test-client: toolchain deps
	$(SWIFT) build --configuration release --product TestClient $(SWIFT_FLAGS)

system-test: system-test-deps build test-client ## Run the release from outside, several scripts at a time (OPTIONS="--jobs 2" for fewer).
	@python3 Tests/System/harness/everything.py --server $(SERVER) $(OPTIONS) $(SYSTEM_TESTS)

soak: system-test soak-deps ## Run all system tests, more random unit tests, the release under every kind of load for MINUTES (30), and the long forms of tests (as root).
	RANDOM_ROUNDS=20 $(MAKE) test
	python3 Tests/System/soak/soak.py --server $(SERVER) --minutes $(MINUTES)
	python3 Tests/System/edit_history.py --server $(SERVER) --edits 20000
	python3 Tests/System/edit_crashes.py --server $(SERVER) --rounds 1000
	python3 Tests/System/swapped_folders.py --server $(SERVER) --runs 20
	python3 Tests/System/mounts.py --server $(SERVER) --seconds 30
	python3 Tests/System/followers.py --server $(SERVER) --saves 50 --kills 30
	python3 Tests/System/database_history.py --server $(SERVER) --edits 20000
	python3 Tests/System/database_failures.py --server $(SERVER) --rounds 500
	python3 Tests/System/database_recoveries.py --server $(SERVER) --seconds 60 --full-disk
	python3 Tests/System/damaged_databases.py --server $(SERVER) --files 1000
	python3 Tests/System/edits_elsewhere.py --server $(SERVER) --rounds 1000
	python3 Tests/System/extreme_requests.py --server $(SERVER) --requests 200000 --whole
	python3 Tests/System/lack_of_memory.py --server $(SERVER) --runs 200
	python3 Tests/System/unread_answers.py --server $(SERVER) --connections 16384 --prompt 20 --only crowd
	python3 Tests/System/rechecks.py --server $(SERVER) --waiters 10000 --patience 290 --plain 50
	/usr/bin/python3 Tests/System/soak/power_cuts.py --server $(SERVER)
	python3 Tests/System/edit_readers.py --server $(SERVER) --items 1100000 --rows 1000000 --limits
	python3 Tests/System/description.py --server $(SERVER) --examples 100 --cases 5000 --deadline 1800 --phases examples,coverage,fuzzing
	python3 Tests/System/browser_drilling.py --server $(SERVER) --all
	python3 Tests/System/browser_first_load.py --server $(SERVER) --million --idle
	python3 Tests/System/browser_trouble.py --server $(SERVER) --changes 1000
	python3 Tests/System/browser_screens.py --server $(SERVER) --all --million
	python3 Tests/System/soak/browser_engines.py --server $(SERVER) --all
	python3 Tests/System/browser_walk.py --server $(SERVER) --firefox
	python3 Tests/System/waiters.py --server $(SERVER) --each 16 --own-each 16
	python3 Tests/System/swift_client.py --server $(SERVER) --versions 1000 --long 100 --rows 25000 --kills 50 --cuts 20 --seconds 10 \
		--observers 1000 --changes 10000 --returns 20 --outage 60 --within 2
	python3 Tests/System/swift_app.py --server $(SERVER) --edits 2000 --kills 60

benchmark: benchmark-deps build ## Measure against other programs and print the manual's table (OPTIONS="--help" lists parts and sizes).
	python3 Tests/Benchmark/benchmark.py --server $(SERVER) $(OPTIONS)

slips: $(if $(filter WebClient,$(MODULE)),system-test-deps,toolchain deps test-deps) ## Make COUNT (60) small slips in MODULE, and print those that no test notices (SEED=2 for others; OPTIONS="--help").
	@SWIFT='$(SWIFT)' python3 Tests/Slips/slips.py $(MODULE) --count $(COUNT) --seed $(SEED) $(OPTIONS)

manual: ## Build the manuals as web pages in .build/manual and .build/client-manual; a broken link is an error.
	@mkdir -p $(CLIENT_SYMBOLS)
	$(DOCC) convert $(MANUAL) --output-path .build/manual --warnings-as-errors
	$(SWIFT) build --target DrilldownClient $(SWIFT_FLAGS) $(TEST_FLAGS)
	$(SWIFT) symbolgraph-extract -module-name DrilldownClient -I "$$($(SWIFT) build --show-bin-path $(TEST_FLAGS))/Modules" \
		-target "$$(uname -m)-unknown-linux-gnu" -minimum-access-level public -output-dir $(CLIENT_SYMBOLS)
	$(DOCC) convert $(CLIENT_MANUAL) --additional-symbol-graph-dir $(CLIENT_SYMBOLS) \
		--output-path .build/client-manual --warnings-as-errors

format: ## Format all Swift files according to .swift-format.
	$(SWIFT) format --in-place --recursive --parallel $(SWIFT_FILES)

lint: ## Check the format of all Swift files, the order of the folders, and the English of comments, messages and manual.
	$(SWIFT) format lint --strict --recursive --parallel $(SWIFT_FILES)
	@command -v python3 >/dev/null || { \
		echo "make: 'python3' is not in the path; .ci/folder-order and .ci/english need it." >&2; exit 1; }
	.ci/folder-order
	.ci/english

toolchain:
	@command -v $(SWIFT) >/dev/null || { \
		echo "make: '$(SWIFT)' is not in the path; install Swift 6.3 as https://www.swift.org/install/linux/ says." >&2; exit 1; }

deps: ## Install the packages that the build needs.
	@$(call install_missing,$(BUILD_PACKAGES))

test-deps: ## Install the packages that the unit tests need.
	@$(call install_missing,$(TEST_PACKAGES))

install-deps: ## Install the packages that 'make install' needs.
	@$(call install_missing,$(INSTALL_PACKAGES))

deb-deps: ## Install the packages that 'make deb' needs.
	@$(call install_missing,$(DEB_PACKAGES))

deb-test-deps: ## Install the packages that 'make deb-test' needs.
	@$(call install_missing,$(DEB_TEST_PACKAGES))

system-test-deps: ## Install the packages that the system tests need.
	@$(call install_missing,$(SYSTEM_TEST_PACKAGES))
	@cmp --silent Tests/System/requirements.txt $(BROWSER_TEST_PACKAGES)/requirements.txt || { \
		python3 -m venv $(BROWSER_TEST_PACKAGES) && \
		$(BROWSER_TEST_PACKAGES)/bin/pip install --quiet --requirement Tests/System/requirements.txt && \
		cp Tests/System/requirements.txt $(BROWSER_TEST_PACKAGES); }

# The simulated disk of power_cuts.py; its package is for Debian's own Python.
soak-deps:
	@$(call install_missing,$(SOAK_PACKAGES))

benchmark-deps: ## Install the packages that the benchmark needs.
	@$(call install_missing,$(BENCHMARK_PACKAGES))

# Makes a target with sudo, unless this user may write to the nearest folder that exists above the installed files.
define as_owner
folder='$(DESTDIR)$(PREFIX)'; \
while ! test -e "$$folder"; do folder=$$(dirname "$$folder"); done; \
if test -w "$$folder" || ! command -v sudo >/dev/null; then \
	$(MAKE) --no-print-directory $(1); \
else \
	echo "$$folder is not yours: sudo make $(1)"; \
	sudo $(MAKE) --no-print-directory $(MAKEOVERRIDES) $(1); \
fi
endef

# If every package is already installed, this needs neither the network nor a password.
define install_missing
set -e; \
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then \
	echo "make: apt is not available: install the equivalents of these Debian packages by hand: $(1)" >&2; \
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
		echo "make: packages are missing, and only root can install them. Run this as root, then run make again:" >&2; \
		echo "  apt-get update && apt-get install --yes --no-install-recommends$$missing" >&2; \
		exit 1; \
	fi; \
	sudo=sudo; \
fi; \
echo "Installing$$missing"; \
$$sudo apt-get --quiet update; \
$$sudo env DEBIAN_FRONTEND=noninteractive apt-get --quiet --yes --no-install-recommends install $$missing
endef
