# The README's two commands are `make demo` and `make test`; `make help` lists the rest.

CARGO ?= cargo
WIREDYNO = target/release/wiredyno
# A Python of the tests' own, with the libraries that they compare with.
PYTHON = target/python/bin/python
PYTHON_LIBRARIES = cbor2 fastavro jsonschema msgpack pyarrow
# Everything is built with the one profile, so that tests compile nothing twice.
PROFILE = --release

.DEFAULT_GOAL := help
.PHONY: help demo build web lint test test-full bench-link bench-load bench-aa bench-harness deps-build deps-run deps-test clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: deps-run build ## install what is missing, build, run studies/demo.toml, print a table and the report's path
	$(WIREDYNO) run demo

build: web ## leave the program in target/release/wiredyno
	$(CARGO) build $(PROFILE) --locked --workspace

web: web/dist/report.js ## bundle the front end of the report

web/dist/report.js: deps-build web/package-lock.json $(wildcard web/*.mjs web/src/*.ts web/src/*/*.ts web/src/*.css)
	cd web && npm ci --silent --no-audit --no-fund && npm run --silent check && npm run --silent build

lint: web ## formatting and clippy, warnings as errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(PROFILE) --locked --workspace --all-targets -- -D warnings

test: deps-test web ## install what is missing and run all tests but the slow ones
	$(CARGO) fmt --all --check
	WIREDYNO_PYTHON=$(CURDIR)/$(PYTHON) $(CARGO) test $(PROFILE) --locked --workspace --no-fail-fast

test-full: deps-test web lint ## all tests, the slow ones too
	WIREDYNO_TEST_FULL=1 WIREDYNO_PYTHON=$(CURDIR)/$(PYTHON) $(CARGO) test $(PROFILE) --locked --workspace --no-fail-fast

deps-build:
	@scripts/need '!cargo=cargo' '!cc=gcc' '!node=nodejs' '!npm=npm'

deps-run: deps-build
	@scripts/need mosquitto=mosquitto

deps-test: deps-run
	@scripts/need ping=iputils-ping tshark=tshark chromium=chromium iperf3=iperf3 setpriv=util-linux \
		python3=python3-venv coap-client-notls=libcoap3-bin ip=iproute2
	@$(PYTHON) -c 'import cbor2, fastavro, jsonschema, msgpack, pyarrow' 2>/dev/null || { \
		echo "installing Python libraries into target/python: $(PYTHON_LIBRARIES)"; \
		python3 -m venv target/python && $(PYTHON) -m pip install --quiet $(PYTHON_LIBRARIES); } || \
		echo "no Python libraries ($(PYTHON_LIBRARIES)): tests that compare with them are ignored by name"

# Rows to keep of a bench, by words in their names: make bench-load ROWS=udp
ROWS =
BENCH = $(CARGO) bench --profile release --locked

bench-link: web ## the link beside loopback, veth, iperf3 and models (ROWS="word..." keeps some)
	$(BENCH) -p wiredyno-link --bench link -- $(ROWS)

bench-load: web ## lag and rate of the publisher at high rates, without a link (ROWS="word...")
	$(BENCH) -p wiredyno-orchestrate --bench load -- $(ROWS)

bench-aa: web ## the same cell against itself, 1000 trials of each kind: false differences
	$(BENCH) -p wiredyno-orchestrate --bench aa

# A package of its own, built apart, with the workspace's versions of all libraries: see benches/harness/Cargo.toml.
bench-harness: web ## our timed loop beside criterion's, which this downloads (ROWS="word...")
	cp Cargo.lock benches/harness/Cargo.lock
	$(CARGO) run $(PROFILE) --manifest-path benches/harness/Cargo.toml --target-dir target/harness -- $(ROWS)

clean: ## take away what was built
	$(CARGO) clean
	rm -rf web/dist web/node_modules
